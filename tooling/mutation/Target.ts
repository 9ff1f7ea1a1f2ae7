/**
 * The mutated sources: those whose errors would lose, invent or misread data, each with the tests of the package that own
 * it. Tests mirror the sources, so a target names the folder of tests that must detect its mutants.
 */

/** Sources of one package and the tests that must detect their mutants. */
export interface Target {
  readonly name: string
  /** Folder of the package from the root of the repository. */
  readonly folder: string
  /** Paths from the root of the repository. */
  readonly sources: ReadonlyArray<string>
  /** Patterns of test files below the folder. */
  readonly tests: ReadonlyArray<string>
}

const target = (
  name: string,
  folder: string,
  sources: ReadonlyArray<string>,
  tests: ReadonlyArray<string>,
): Target => ({
  name,
  folder,
  sources: sources.map((source) => `${folder}/src/${source}.ts`),
  tests: tests.map((pattern) => `test/${pattern}`),
})

/** Sources of a folder of the service; their tests are those of the same folder unless given. */
const service = (
  folder: string,
  sources: ReadonlyArray<string>,
  tests: ReadonlyArray<string> = [`${folder}/**/*.test.ts`],
): Target =>
  target(
    folder,
    "packages/service",
    sources.map((source) => `${folder}/${source}`),
    tests,
  )

/** The targets, in the order in which they run. */
export const targets: ReadonlyArray<Target> = [
  target(
    "schema",
    "packages/schema",
    ["Timestamp", "Quantity", "Issue", "Decimal", "Wei", "internal/integer", "internal/hexText"],
    ["*.test.ts", "internal/*.test.ts"],
  ),
  // A separate target: this source cannot be mutated while the documentation tests, which read it, run.
  target("fees", "packages/schema", ["FeeRules"], ["FeeRules.test.ts", "Chain.test.ts"]),
  target(
    "transport",
    "packages/transport",
    [
      "internal/Backoff",
      "internal/JsonScanner",
      "internal/Redaction",
      "internal/RequestedWaits",
      "internal/Retry",
      "internal/RetryAfter",
      "internal/TokenBucket",
    ],
    ["**/*.test.ts"],
  ),
  target(
    "rpc",
    "packages/rpc",
    [
      "internal/BatchState",
      "internal/EndpointStates",
      "internal/PoolState",
      "internal/reply/BytesReading",
      "internal/reply/MemberFinder",
      "internal/reply/classify",
      "internal/reply/decode",
      "internal/reply/match",
      "internal/reply/parse",
      "internal/reply/read",
    ],
    ["internal/**/*.test.ts", "batch*.test.ts", "EndpointPool.test.ts", "RequestBytes.test.ts", "RpcClient.test.ts"],
  ),
  target(
    "rest",
    "packages/rest",
    ["internal/PageStream", "internal/Pagination", "internal/Position", "internal/RowTracker", "internal/Segments"],
    ["internal/*.test.ts", "RestClient*.test.ts", "resume.law.test.ts"],
  ),
  target(
    "abi",
    "packages/abi",
    [
      "AbiReader",
      "AbiType",
      "Decoder",
      "KnownSignatures",
      "Sentence",
      "Signature",
      "StandardErrors",
      "internal/Checksum",
      "internal/SentenceEvents",
      "internal/SentenceFacts",
      "internal/SentenceParts",
      "internal/TokenSentences",
      "internal/TradeSentences",
    ],
    [
      "AbiReader.test.ts",
      "AbiType.test.ts",
      "Decoder.test.ts",
      "KnownSignatures.test.ts",
      "Sentence.test.ts",
      "Signature.test.ts",
      "internal/*.test.ts",
    ],
  ),
  // The suite that the fake and the service pass belongs to the service, which has both.
  {
    name: "testkit",
    folder: "packages/service",
    sources: [
      "FakeCursor",
      "FakeEvents",
      "FakeLedger",
      "FakePages",
      "FakeProofs",
      "FakeRequest",
      "FakeStatement",
      "FakeSums",
    ].map((source) => `packages/testkit/src/internal/${source}.ts`),
    tests: ["test/server/rest/TestKit.test.ts"],
  },
  service("contract", [
    "ArtifactFolder",
    "ContractAbi",
    "ContractCode",
    "ContractDecoder",
    "ContractKeeper",
    "CreatedContracts",
    "Proxies",
    "SignatureDirectory",
  ]),
  service("token", ["MetadataReader", "TokenFlags", "TokenText"]),
  service("signed", ["RowsDigest", "StatementCheck", "StatementFile"]),
  service(
    "push",
    ["Delivery", "EventPosition", "PublicAddress", "Webhook", "WebhookKey", "WebhookRequest"],
    ["push/{Delivery,EventPosition,PublicAddress,Webhook,WebhookKey,WebhookRequest}.test.ts"],
  ),
  target(
    "push/events",
    "packages/service",
    ["push/WalletEvents", "server/rest/WalletEvents"],
    ["push/{EventSteps,SharedSteps,WalletEvents}.test.ts"],
  ),
  service(
    "server/webhook",
    ["WebhookAttempt", "WebhookBounds", "WebhookChanges", "WebhookStarts", "WebhookSender", "WebhookView"],
    ["server/webhook/*.test.ts", "push/{WebhookRequest,webhooks}.test.ts"],
  ),
  // Mutants of these are detected by their own tests: the page tests take minutes per target.
  service(
    "server/rest",
    ["ContractChanges", "Cursor", "Dates", "JsonText", "PageLifetime", "PageWriter"],
    ["server/rest/{ContractChanges,Cursor,Dates,JsonText,PageLifetime,PageWriter}.test.ts"],
  ),
  target(
    "server/rest/pages",
    "packages/service",
    [
      "LedgerText",
      "PageRequest",
      "RangeParameters",
      "UserOperationText",
      "WalletMovements",
      "WalletSums",
      "WalletTransactions",
      "WalletUserOperations",
    ].map((source) => `server/rest/${source}`),
    ["server/rest/**/*.test.ts"],
  ),
  service(
    "query",
    [
      "CompleteRange",
      "Coverage",
      "L1Fees",
      "LedgerGrowth",
      "Lookalikes",
      "MovementFlags",
      "Range",
      "TotalsCache",
      "TransferFlags",
      "WalletBlocks",
      "WalletMovements",
      "WalletPage",
      "WalletSums",
      "WalletTransactions",
      "WalletTransfers",
      "WalletUserOperations",
    ],
    [
      "query/*.test.ts",
      "server/rest/{MovementFlags,PageLifetime,PagedQuery,Scope,TraceCoverage,WalletMovements,WalletSums,WalletTransactions,WalletTransactions.cursor,WalletTransactions.parameters,WalletUserOperations}.test.ts",
      "server/etherscan/{Coverage,ServiceFacts,ServiceFacts.holdings}.test.ts",
    ],
  ),
  // Thousands of hostile requests take too long per mutant.
  service(
    "server/etherscan",
    [
      "AccountActions",
      "BlockActions",
      "ContractActions",
      "Envelope",
      "HoldingActions",
      "ListPlaces",
      "Lists",
      "LogActions",
      "Parameters",
      "ProxyActions",
      "Receipt",
      "Rows",
      "TransactionFrames",
    ],
    [
      "server/etherscan/{Actions,Coverage,Etherscan,HoldingActions,ListPlaces,Lists,Logs,Parameters,Rows,ServiceFacts,ServiceFacts.holdings}.test.ts",
    ],
  ),
  service(
    "server/otterscan",
    ["Blocks", "Frames", "IndexReads", "NodeValues", "Params", "Searches", "Transactions"],
    ["Coverage.test.ts", "Hostile.test.ts", "Otterscan.test.ts", "Fallback.integration.test.ts"].map(
      (file) => `server/otterscan/${file}`,
    ),
  ),
  service(
    "server/relay",
    ["Cacheability", "JsonRpcEnvelope", "JsonScan", "LruCache", "RequestCheck"],
    ["server/relay/{Cacheability,JsonRpcEnvelope,JsonScan,LruCache,RequestCheck}.test.ts"],
  ),
  target(
    "server/relay/calls",
    "packages/service",
    ["LargeResponses", "Relay", "RelayCache", "RelayCall", "RequestBody", "Upstream"].map(
      (source) => `server/relay/${source}`,
    ),
    ["server/relay/{LargeResponses,Relay,RelayBounds,RelayCache*,RelayIndex,RequestBody*,Upstream}.test.ts"],
  ),
  service(
    "server/http",
    ["ContentCoding", "ErrorResponse", "InvalidParameter", "OwnRequests", "Request", "Routes", "StaticPage"],
    [
      "server/http/*.test.ts",
      "server/{HttpServer,HttpServer.connection,Listener}.test.ts",
      "server/explorer/*.test.ts",
    ],
  ),
  service(
    "server/mcp",
    [
      "Explanation",
      "Handlers",
      "McpMessage",
      "McpRoutes",
      "MovementTable",
      "Resources",
      "StatelessServer",
      "ToolResult",
      "Tools",
    ],
    ["server/mcp/*.test.ts"],
  ),
  service("server/admission", ["Bounds", "FairQueue", "FairShares", "InFlight", "KeyLookups", "RateLimit", "Turns"]),
  service("server/cluster", ["Member", "Primary"]),
  service("supervision", ["Restart"]),
  service("verification", ["BlockVerifier", "HashRules", "HeaderHash", "LogsBloom", "Rlp", "StateSync", "TrieRoot"]),
  service("indexer", ["BlockAppender", "CommonAncestor", "FailureReports", "IndexerState", "RuleDoubt"]),
  service("node", [
    "BlockReceipts",
    "BoundedFetch",
    "StructLog",
    "StructLogCall",
    "StructLogFrames",
    "TraceBounds",
    "TraceBudget",
    "TraceFilter",
  ]),
  service("block", ["BlockFacts"]),
  service("fetch", ["BlockAssembler", "ReceiptRecovery", "RuleDetection"]),
  service("ledger", [
    "AtomicTransactions",
    "Authorities",
    "EtherFlows",
    "Fees",
    "GasPrice",
    "Bisection",
    "Holding",
    "Ledger",
    "LedgerCodec",
    "LedgerRules",
    "LedgerSource",
    "Movement",
    "Rewards",
    "Role",
    "TokenLogs",
    "Totals",
    "UserOperations",
    "WalletRows",
  ]),
  service("discovery", ["DiscoveryFile", "DiscoveryState", "DiscoveryStep", "LogRanges", "TokenTopics"]),
  service("proof", ["Proof", "WatchedProofs"]),
  // These compare the ledger of an index with a chain, which a test double would only repeat.
  target(
    "proof/chain",
    "packages/service",
    [
      "ComparedHoldings",
      "LedgerScope",
      "OpeningReader",
      "ProofKeeper",
      "Reconciliation",
      "StateRoot",
      "TokenReader",
    ].map((source) => `proof/${source}`),
    ["proof/*.test.ts", "proof/*.integration.test.ts"],
  ),
  // Exports from a node are compared with its chain where holdings are.
  service(
    "export",
    ["Beancount", "Csv", "Export", "ExportEntry", "ExportFormat", "Hledger", "Ndjson", "TextFields"],
    ["export/*.test.ts", "proof/ComparedHoldings.integration.test.ts"],
  ),
  service("store", [
    "sqlite/Blocks",
    "sqlite/ChainReader",
    "sqlite/ChainWriter",
    "rows/Checksum",
    "sqlite/Documents",
    "sqlite/Facts",
    "rows/Frame",
    "sqlite/Gaps",
    "sqlite/Histories",
    "sqlite/PageReader",
    "sqlite/Projections",
    "rows/DocumentRow",
    "rows/DocumentText",
    "rows/JournalRow",
    "rows/LedgerDifferences",
    "rows/OpeningRow",
    "rows/PageFit",
    "rows/ProjectionPlan",
    "rows/ProofRow",
    "rows/RowId",
    "rows/TimeSearch",
    "rows/WatchedWallets",
    "rows/WritePlan",
    "rows/Zstd",
  ]),
  service("store/postgres", ["Issue"]),
  // Runs on a PostgreSQL server that the tests start.
  target(
    "store/postgres/engine",
    "packages/service",
    [
      "BlockReplacement",
      "ChainReader",
      "ChainWriter",
      "Checkpoints",
      "Documents",
      "Leases",
      "Ledgers",
      "Marks",
      "PageReader",
      "Places",
      "Projections",
      "Replicas",
      "SharedLookups",
      "SnapshotStart",
    ].map((source) => `store/postgres/${source}`),
    [
      "store/postgres/Engine.mutation.ts",
      "store/postgres/{Ledgers,Marks,Replicas,SharedLookups,SnapshotStart}.test.ts",
    ],
  ),
]

/** The targets with only the sources whose path contains one of the texts; all sources if there are no texts. */
export const select = (texts: ReadonlyArray<string>): ReadonlyArray<Target> =>
  targets
    .map((one) => ({
      ...one,
      sources: one.sources.filter((source) => texts.length === 0 || texts.some((text) => source.includes(text))),
    }))
    .filter((one) => one.sources.length > 0)
