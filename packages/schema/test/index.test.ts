import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as schema from "../src/index.ts"

describe("@daybook/schema", () => {
  it("index: exports these modules and names", () => {
    const names = Object.fromEntries(
      Object.entries(schema).map(([name, module]) => [name, Object.keys(module).toSorted().join(" ")]),
    )
    expect(names).toMatchInlineSnapshot(`
      {
        "Abi": "Item Parameter maxDepth maxItems maxMembers maxParameters",
        "Account": "AccountProof StorageProof",
        "Address": "Address OrEmpty OrNone OrNull checksum fromText fromTopic isAddress pattern",
        "AddressText": "checksum fromText fromTopic isAddress pattern",
        "ApiError": "ApiError BadRequest BareMessage Forbidden Internal MethodNotAllowed NotFound PayloadTooLarge RateLimited StaleCursor Unauthorized Unavailable",
        "ApiHeader": "IndexCoverage RateLimit RetryAfter apiKey exposed requestId",
        "Balance": "Balance Balances Incomplete extras",
        "Block": "Block HydratedBlock PartialBlock Uncle Withdrawal extras isUndecodable",
        "Chain": "all fromId fromInput fromName fromText hashRulesAt normalizeName parseId toCaip2 toHexId",
        "ChangeOperation": "all proveWallet putContract removeContract",
        "Contract": "DescribedContract Description Key Name Path Query RemovedContract",
        "ContractView": "ContractAbi ContractResult ContractView Path Query",
        "Decimal": "Decimal FromNumber SafeInteger SafeIntegerOrEmpty Signed",
        "DecodeWarning": "find strict",
        "DecodedItem": "DecodedItem Param args",
        "ExplorerOperation": "all contract names ready search settings",
        "ExplorerSettings": "Currency ExplorerSettings ServedChain",
        "Fee": "fee",
        "FeeRules": "all at operatorFee",
        "Hash": "Hash OrEmpty OrNone OrNull",
        "Hex": "BlockNonce BlockNonceOrNull Bloom BloomOrNull Hex HexText OrEmpty OrNothing OrNull bytes nothing toBigInt",
        "IndexStatus": "ChainStatus GapCounts IndexedRange IndexerCounts Prepend Query ServiceStatus State WebhookCounts",
        "InternalTransaction": "InternalTransaction extras",
        "Issue": "cut describe find format formatPath fromError quote",
        "Json": "parse toJson",
        "JsonRpc": "ErrorObject Failure Id Request Response Success code isFailure",
        "LedgerFacts": "ofChain",
        "LedgerQuery": "BalanceQuery MovementQuery ProofQuery SignedStatementQuery StatementQuery",
        "Log": "Log extras topics",
        "Movement": "Asset Movement MovementPage Role extras flags kinds",
        "NameLookup": "LookupQuery NamedFunction Names NamesResult maxErrorBytes maxNames",
        "NameSearch": "NamedAddress SearchQuery SearchResult maxLimit",
        "ProofProgress": "ProofProgress extras",
        "Quantity": "FromNumber OrNull Quantity SafeInteger SafeIntegerFromNumber SafeIntegerOrNull",
        "Receipt": "Log Receipt extras",
        "RestOperation": "all balances decodeQuery encodeQuery formatPath movements parameterNames signedStatement statement streams userOperations walletEvents walletTransactions",
        "RowId": "rowId",
        "RpcMethod": "BlockId BlockOverride CallRequest CreatedAccessList FeeHistory LogFilter SimulatedBlock SimulatedCall Simulation StateBlock StateOverride StorageSlots SyncStatus TraceOptions all blockTags isName resultOf",
        "SignedStatement": "SentTransactions SignedBalance SignedBlock SignedRows SignedStatement SignedSum SignedWallet StatementHeader StatementSignature WalletDigest canonicalJson extras toText",
        "Statement": "Difference Opening Proof Statement Sum extras",
        "Timestamp": "Timestamp",
        "Token": "Token extras",
        "TokenTransfer": "etherLogger fromLog topics transfers",
        "Trace": "Action ActionResult CallFrame FlatTrace TransactionTrace",
        "Transaction": "AccessList AccessListEntry Arbitrum Authorization Blob Deposit FeeMarket Legacy SetCode StateSync Transaction Unknown extras",
        "UserOperation": "UserOperation entryPoints extras fromLogs topics userOperations",
        "UserOperationPage": "UserOperationPage UserOperationQuery extras",
        "VisibleText": "isVisibleLine visible visibleLine visibleStart",
        "WalletEvent": "EventQuery WalletEvent rowTypes types",
        "WalletPage": "WalletPage extras",
        "WalletQuery": "Path WalletQuery bounds",
        "WalletTransaction": "WalletTransaction extras",
        "Webhook": "AddressChange AddressesQuery DeliveryQuery Id Path Query RemovedWebhook Replay Rotation Settings Webhook WebhookAddresses WebhookDeliveries WebhookDelivery WebhookList WebhookTest WebhookWithSecret maxAddresses",
        "WebhookMessage": "WebhookMessage",
        "WebhookOperation": "all changeWebhookAddresses createWebhook getWebhook listWebhookAddresses listWebhooks pauseWebhook removeWebhook replayWebhook resumeWebhook rotateWebhook testWebhook webhookDeliveries",
        "Wei": "formatEther formatGwei formatUnits parseEther parseGwei parseUnits",
      }
    `)
  })

  it("index: only RestApi imports an HTTP stack", () => {
    const folder = join(import.meta.dirname, "../src")
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
    expect(files.filter((file) => /from "effect\/http/.test(readFileSync(join(folder, file), "utf8")))).toEqual([
      "RestApi.ts",
    ])
    expect(files.filter((file) => /from ".*RestApi.ts"/.test(readFileSync(join(folder, file), "utf8")))).toEqual([])
  })
})
