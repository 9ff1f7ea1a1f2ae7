/** What an index does not know is an error or a mark in every dialect, and never a shorter list that looks whole. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import type { BlockGap, BlockRows } from "../../src/block/BlockRows.ts"
import type { LedgerProjection } from "../../src/block/Projection.ts"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import * as Role from "../../src/ledger/Role.ts"
import * as WalletLedger from "../../src/projection/WalletLedger.ts"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import type { IndexerStatus } from "../../src/store/StatusBoard.ts"
import * as Rows from "./rows.ts"
import { type Options, start, type Started } from "./service.ts"

const ledger: LedgerProjection = {
  id: WalletLedger.id,
  kind: "ledger",
  revision: WalletLedger.revision,
  ledger: () => LedgerCodec.pack([{ index: 0, wallet: Rows.bob, roles: Role.bits.internal_callee, movements: [] }]),
}

const projections = [WalletTransactions.projection, ledger]

const last = 9

const chain = (from = 0, gaps: Readonly<Record<number, BlockGap["kind"]>> = {}): ReadonlyArray<BlockRows> =>
  Array.from({ length: last + 1 - from }, (_, at) => {
    const block = Rows.block(from + at, [{ from: Rows.alice, to: Rows.bob }])
    const kind = gaps[from + at]
    return kind === undefined
      ? block
      : { ...block, gaps: [{ kind, transaction: Rows.hashOf("gap"), reason: "it was left out" }] }
  })

const status = (more: Partial<IndexerStatus> = {}): IndexerStatus => ({
  state: "synced",
  traces: "debug_traceBlock",
  nodeHead: last,
  message: "",
  settings: [{ name: "traces", value: "on" }],
  ...more,
})

/** A way of not knowing: what the index has, and what its indexer has reported. */
interface Way {
  readonly blocks?: ReadonlyArray<BlockRows>
  readonly watch?: ReadonlyArray<string>
  readonly status?: IndexerStatus
  readonly projections?: NonNullable<Options["chains"]>[string]["projections"]
  readonly isSearching?: boolean
}

const ways = {
  "no block is indexed": { blocks: [] },
  "the index begins later": { blocks: chain(4) },
  "the index is behind": { status: status({ state: "backfill", nodeHead: 60 }) },
  "a receipt is missing": { blocks: chain(0, { 5: "receipt" }) },
  "a transaction is missing": { blocks: chain(0, { 5: "transaction" }) },
  "a trace is missing": { blocks: chain(0, { 5: "trace" }) },
  "blocks have no traces": {
    status: status({
      settings: [
        { name: "traces", value: "off" },
        { name: "traces", value: "on", from: 5 },
      ],
    }),
  },
  "the ledger is not derived": { projections: [WalletTransactions.projection] },
  "the wallet is not watched": { watch: [Rows.stranger] },
  "the past of the wallet is searched": { watch: [Rows.stranger], isSearching: true },
  "an earlier version stored the blocks": {
    watch: [Rows.bob],
    status: status({
      settings: [
        { name: "traces", value: "on" },
        { name: "rows", value: "parties" },
      ],
    }),
  },
} satisfies Record<string, Way>

const startIn = Effect.fnUntraced(function* (way: Way) {
  const { blocks = chain(), isSearching = false, watch } = way
  const own = { blocks, projections: way.projections ?? projections, config: watch === undefined ? {} : { watch } }
  const service = yield* start({ chains: { eth: own } })
  const store = service.stores["eth"]!
  if (blocks.length > 0) yield* Effect.orDie(store.writeStatus(way.status ?? status()))
  if (isSearching) {
    const { changeWatch } = store.database.chain(store.ref)
    yield* changeWatch({ _tag: "Add", wallets: [Rows.bob] })
    yield* changeWatch({ _tag: "Searched", wallets: [Rows.bob], from: -1, to: 2 })
  }
  return service
})

/** How a question is answered: `known` where nothing shows that something may be missing. */
type Outcome = "error" | "mark" | "known"

/** A question to a service about all blocks up to the head of its node. */
type Question = (service: Started, head: number) => Effect.Effect<Outcome>

/** A page has the blocks that its headers state, and states what it lacks of them. */
const ofRest =
  (path: string): Question =>
  (service, head) =>
    Effect.map(
      service.get(
        `/api/v2.2/${Rows.bob}/${path}${path.includes("?") ? "&" : "?"}chain=eth&from_block=0&to_block=${head}`,
      ),
      ({ headers, status: code, text }) => {
        if (code >= 400) return "error"
        const [from, to] = [headers["daybook-indexed-from"], headers["daybook-indexed-to"]]
        const marks = [headers["daybook-missing-transactions"], headers["daybook-direct-only-to"]]
        const isCovered = from === "0" && Number(to) >= head && marks.every((mark) => mark === undefined)
        return isCovered && !/"incomplete":true|"internal_transactions":null/.test(text) ? "known" : "mark"
      },
    )

const ofEtherscan =
  (action: string): Question =>
  (service) =>
    Effect.map(
      service.fetch(`/v2/api?chainid=1&module=account&action=${action}&address=${Rows.bob}&apikey=${service.key}`),
      ({ json }) => (json.message === "NOTOK" ? "error" : "known"),
    )

const ofOtterscan =
  (method: string, ...params: ReadonlyArray<unknown>): Question =>
  (service) =>
    Effect.map(service.call({ jsonrpc: "2.0", id: 1, method, params }), ({ json }) =>
      json.error === undefined ? "known" : "error",
    )

/** Calls a tool with a wallet; `null` for an error. */
const callTool = (service: Started, name: string) =>
  Effect.map(
    service.fetch("/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "x-api-key": service.key,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: { address: Rows.bob, chain: "eth" } },
      }),
    }),
    ({ text }) => {
      const body = JSON.parse(text.startsWith("{") ? text : text.slice(text.indexOf("{")))
      return body.error !== undefined || body.result.isError === true ? null : JSON.parse(body.result.content[0].text)
    },
  )

/** A tool states the blocks that it covers, and in sentences what its answer cannot show. */
const ofTool =
  (name: string): Question =>
  (service, head) =>
    Effect.map(callTool(service, name), (answer) => {
      if (answer === null) return "error"
      const { coverage, not_covered: lacking } = answer
      const isReached = Number(coverage?.from_block ?? 1) === 0 && Number(coverage?.to_block ?? 0) >= head
      const isCovered = isReached && coverage?.missing_transactions === null
      return isCovered && lacking.length === 0 ? "known" : "mark"
    })

const dialects: Readonly<Record<string, Readonly<Record<string, Question>>>> = {
  REST: {
    verbose: ofRest("verbose"),
    internal: ofRest("verbose?include=internal_transactions"),
    all: ofRest("verbose?scope=all"),
    movements: ofRest("movements"),
    statement: ofRest("statement"),
  },
  Etherscan: {
    txlist: ofEtherscan("txlist"),
    txlistinternal: ofEtherscan("txlistinternal"),
    tokentx: ofEtherscan("tokentx"),
    tokennfttx: ofEtherscan("tokennfttx"),
    txsBeaconWithdrawal: ofEtherscan("txsBeaconWithdrawal"),
    getminedblocks: ofEtherscan("getminedblocks"),
    addresstokenbalance: ofEtherscan("addresstokenbalance"),
  },
  Otterscan: {
    before: ofOtterscan("ots_searchTransactionsBefore", Rows.bob, 0, 25),
    after: ofOtterscan("ots_searchTransactionsAfter", Rows.bob, 0, 25),
    creator: ofOtterscan("ots_getContractCreator", Rows.bob),
    nonce: ofOtterscan("ots_getTransactionBySenderAndNonce", Rows.bob, 3),
  },
  MCP: {
    summary: ofTool("wallet_summary"),
    "tool movements": ofTool("wallet_movements"),
    "tool statement": ofTool("wallet_statement"),
    balances: ofTool("wallet_balances_at"),
  },
}

const everyRest = Object.keys(dialects["REST"]!)

/**
 * Lists that traces do not concern. Pages of REST, which tools read, mark the row that lacks a trace: no row of the wallet does.
 */
const withoutTraces = {
  REST: everyRest,
  Etherscan: ["txlist", "tokentx", "tokennfttx", "txsBeaconWithdrawal", "getminedblocks", "addresstokenbalance"],
  Otterscan: ["nonce"],
  MCP: ["tool movements"],
}

/** Questions that a way does not concern, by dialect. */
const known: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>> = {
  "a trace is missing": withoutTraces,
  "blocks have no traces": withoutTraces,
  "the ledger is not derived": { REST: ["verbose", "internal"], Etherscan: ["txlist"] },
  "an earlier version stored the blocks": {
    REST: ["verbose", "internal"],
    Etherscan: ["txlist", "txsBeaconWithdrawal", "getminedblocks"],
    Otterscan: ["nonce"],
  },
}

/** Tools that wait for what is searched, until their client gives up. */
const skipped: Readonly<Record<string, ReadonlyArray<string>>> = {
  "no block is indexed": ["summary", "tool statement", "balances"],
  "the ledger is not derived": ["summary", "tool movements", "tool statement", "balances"],
  "the past of the wallet is searched": ["summary", "tool statement", "balances"],
}

describe("what an index does not know", () => {
  for (const [name, way] of Object.entries<Way>(ways)) {
    it.live(`${name}: no dialect answers as if it knew all`, () =>
      Effect.gen(function* () {
        const service = yield* startIn(way)
        const head = way.status?.nodeHead ?? last
        const found: Record<string, ReadonlyArray<string>> = {}
        for (const [dialect, questions] of Object.entries(dialects)) {
          const own: Array<string> = []
          for (const [question, ask] of Object.entries(questions)) {
            if (skipped[name]?.includes(question) === true) continue
            if ((yield* ask(service, head)) === "known") own.push(question)
          }
          found[dialect] = own
        }

        expect(found).toEqual({ REST: [], Etherscan: [], Otterscan: [], MCP: [], ...known[name] })
      }).pipe(Effect.scoped),
    )
  }

  it.live("an earlier version stored the blocks: pages, sums and tools state the last of them", () =>
    Effect.gen(function* () {
      const service = yield* startIn(ways["an earlier version stored the blocks"])
      const read = (path: string) =>
        Effect.map(service.get(`/api/v2.2/${Rows.bob}/${path}chain=eth`), ({ headers, json }) => [
          headers["daybook-direct-only-to"],
          json.incomplete?.direct_only_to,
        ])
      const paths = ["verbose?", "verbose?scope=all&", "movements?", "user_operations?", "balances?", "statement?"]
      const found = yield* Effect.forEach(paths, read)

      expect(found).toEqual([
        [undefined, undefined],
        ["9", undefined],
        ["9", undefined],
        ["9", undefined],
        ["9", "9"],
        ["9", "9"],
      ])
      for (const tool of [
        "wallet_summary",
        "wallet_movements",
        "wallet_statement",
        "wallet_balances_at",
        "prove_wallet",
      ]) {
        const { coverage, not_covered: lacking } = yield* callTool(service, tool)
        expect(coverage.direct_only_to).toBe("9")
        expect(lacking).toContain(
          "Up to block 9, tokens and internal transactions may be missing: an earlier version stored those blocks.",
        )
      }
    }).pipe(Effect.scoped),
  )
})
