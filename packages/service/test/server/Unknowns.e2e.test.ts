/** What an index does not know is an error or a mark in every dialect, and never a shorter list that looks complete. */
import { createRequire } from "node:module"
import type * as FeeRules from "@daybook/schema/FeeRules"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EtherscanProvider } from "ethers"
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
  readonly feeRules?: FeeRules.Name
  readonly status?: IndexerStatus
  readonly projections?: NonNullable<Options["chains"]>[string]["projections"]
  /** Changes the index, once its blocks are stored. */
  readonly after?: (store: Started["stores"][string]) => Effect.Effect<unknown, unknown>
  /** No indexer has ever run. */
  readonly isAbsent?: boolean
}

/** Adds the wallet to an index of others, and searches its past up to a block. */
const searched =
  (to: number): NonNullable<Way["after"]> =>
  ({ database, ref }) => {
    const { changeWatch } = database.chain(ref)
    return Effect.andThen(
      changeWatch({ _tag: "Add", wallets: [Rows.bob] }),
      changeWatch({ _tag: "Searched", wallets: [Rows.bob], from: -1, to }),
    )
  }

const ways = {
  "no indexer has run": { isAbsent: true },
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
  "no block has traces": { status: status({ traces: "off", settings: [{ name: "traces", value: "off" }] }) },
  "traces were turned off": {
    status: status({
      settings: [
        { name: "traces", value: "on" },
        { name: "traces", value: "off", from: 8 },
      ],
    }),
  },
  "the ledger is not derived": { projections: [WalletTransactions.projection] },
  "the ledger is being derived": {
    projections: [WalletTransactions.projection],
    after: (store) => store.fill(ledger, 4),
  },
  "the ledger is of an earlier revision": {
    projections: [WalletTransactions.projection, { ...ledger, revision: ledger.revision - 1 }],
  },
  "the wallet is not watched": { watch: [Rows.stranger] },
  "the wallet is no longer watched": {
    watch: [Rows.stranger],
    after: ({ database, ref }) => {
      const { changeWatch } = database.chain(ref)
      const wallets = [Rows.bob]
      return Effect.andThen(changeWatch({ _tag: "Add", wallets }), changeWatch({ _tag: "Remove", wallets }))
    },
  },
  "the past of the wallet is searched": { watch: [Rows.stranger], after: searched(2) },
  "the past of the wallet was searched in part": { blocks: chain(4), watch: [Rows.stranger], after: searched(2) },
  "an earlier version stored the blocks": {
    watch: [Rows.bob],
    status: status({
      settings: [
        { name: "traces", value: "on" },
        { name: "rows", value: "parties" },
      ],
    }),
  },
  "the chain does not state each change of a balance": { feeRules: "kaia" },
} satisfies Record<string, Way>

const configOf = ({ feeRules, watch }: Way) => {
  const config = watch === undefined ? {} : { watch }
  return feeRules === undefined ? config : { ...config, feeRules }
}

const startIn = Effect.fnUntraced(function* (way: Way) {
  const { after, blocks = chain(), isAbsent = false } = way
  const own = isAbsent ? { isAbsent } : { blocks, projections: way.projections ?? projections, config: configOf(way) }
  const service = yield* start({ chains: { eth: own } })
  const store = service.stores["eth"]
  if (store === undefined || blocks.length === 0) return service
  yield* Effect.orDie(store.writeStatus(way.status ?? status()))
  if (after !== undefined) yield* Effect.orDie(after(store))
  return service
})

/** How a question is answered: `known` if nothing shows that something may be missing. */
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
        const marks = ["missing-transactions", "direct-only-to", "untraced-to", "unstated-to"].map(
          (name) => headers[`daybook-${name}`],
        )
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

/** A tool states the blocks that it covers, and what its answer cannot show. */
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

/**
 * The subject of a question: `sent`, transactions that the wallet sent or received; `facts`, what blocks state about
 * it; `tokens`; `calls`, which need traces; `changes`, all changes of its holdings; `sums` of these.
 */
type Kind = "sent" | "facts" | "tokens" | "calls" | "changes" | "sums"

const dialects: Readonly<Record<string, Readonly<Record<string, readonly [kind: Kind, ask: Question]>>>> = {
  REST: {
    verbose: ["sent", ofRest("verbose")],
    internal: ["sent", ofRest("verbose?include=internal_transactions")],
    "user operations": ["tokens", ofRest("user_operations")],
    all: ["changes", ofRest("verbose?scope=all")],
    movements: ["changes", ofRest("movements")],
    statement: ["sums", ofRest("statement")],
    balances: ["sums", ofRest("balances")],
  },
  Etherscan: {
    txlist: ["sent", ofEtherscan("txlist")],
    txsBeaconWithdrawal: ["facts", ofEtherscan("txsBeaconWithdrawal")],
    getminedblocks: ["facts", ofEtherscan("getminedblocks")],
    tokentx: ["tokens", ofEtherscan("tokentx")],
    tokennfttx: ["tokens", ofEtherscan("tokennfttx")],
    token1155tx: ["tokens", ofEtherscan("token1155tx")],
    addresstokenbalance: ["tokens", ofEtherscan("addresstokenbalance")],
    addresstokennftbalance: ["tokens", ofEtherscan("addresstokennftbalance")],
    txlistinternal: ["calls", ofEtherscan("txlistinternal")],
  },
  Otterscan: {
    nonce: ["facts", ofOtterscan("ots_getTransactionBySenderAndNonce", Rows.bob, 3)],
    before: ["changes", ofOtterscan("ots_searchTransactionsBefore", Rows.bob, 0, 25)],
    after: ["changes", ofOtterscan("ots_searchTransactionsAfter", Rows.bob, 0, 25)],
    creator: ["calls", ofOtterscan("ots_getContractCreator", Rows.bob)],
  },
  MCP: {
    "tool movements": ["changes", ofTool("wallet_movements")],
    summary: ["sums", ofTool("wallet_summary")],
    "tool statement": ["sums", ofTool("wallet_statement")],
    "tool balances": ["sums", ofTool("wallet_balances_at")],
  },
}

const every: ReadonlyArray<Kind> = ["sent", "facts", "tokens", "calls", "changes", "sums"]

/**
 * Ways of not knowing: the states of an index, and the kinds of questions that it cannot answer as if it knew
 * everything.
 */
const unknowns: Readonly<Record<keyof typeof ways, ReadonlyArray<Kind>>> = {
  "no indexer has run": every,
  "no block is indexed": every,
  "the index begins later": every,
  "the index is behind": every,
  "a receipt is missing": every,
  "a transaction is missing": every,
  "a trace is missing": ["calls", "changes", "sums"],
  "blocks have no traces": ["calls", "changes", "sums"],
  "no block has traces": ["calls", "changes", "sums"],
  "traces were turned off": ["calls", "changes", "sums"],
  "the ledger is not derived": ["facts", "tokens", "calls", "changes", "sums"],
  "the ledger is being derived": ["facts", "tokens", "calls", "changes", "sums"],
  "the ledger is of an earlier revision": ["facts", "tokens", "calls", "changes", "sums"],
  "the wallet is not watched": every,
  "the wallet is no longer watched": every,
  "the past of the wallet is searched": every,
  "the past of the wallet was searched in part": every,
  "an earlier version stored the blocks": ["tokens", "calls", "changes", "sums"],
  "the chain does not state each change of a balance": ["changes", "sums"],
}

/**
 * States in which tools wait for unfinished work until their client gives up, except for lists of movements while there
 * is a ledger.
 */
const waiting: ReadonlySet<string> = new Set([
  "no indexer has run",
  "no block is indexed",
  "the ledger is not derived",
  "the ledger is being derived",
  "the ledger is of an earlier revision",
  "the past of the wallet is searched",
  "the past of the wallet was searched in part",
])

describe("what an index does not know", () => {
  for (const [name, way] of Object.entries<Way>(ways)) {
    it.live(`${name}: no dialect answers as if it knew everything`, () =>
      Effect.gen(function* () {
        const service = yield* startIn(way)
        const head = way.status?.nodeHead ?? last
        const unknown = unknowns[name as keyof typeof ways]
        const [found, expected]: [Array<string>, Array<string>] = [[], []]
        for (const [dialect, questions] of Object.entries(dialects)) {
          for (const [question, [kind, ask]] of Object.entries(questions)) {
            if (dialect === "MCP" && kind === "sums" && waiting.has(name)) continue
            if (question === "tool movements" && name.startsWith("the ledger")) continue
            if ((yield* ask(service, head)) === "known") found.push(`${dialect}: ${question}`)
            if (!unknown.includes(kind)) expected.push(`${dialect}: ${question}`)
          }
        }

        expect(found).toEqual(expected)
      }).pipe(Effect.scoped),
    )
  }

  it.live("the index begins later: clients of Etherscan's API reject, so that a program asks another service", () =>
    Effect.gen(function* () {
      const { key, url } = yield* startIn(ways["the index begins later"])
      class Redirected extends EtherscanProvider {
        override getUrl(module: string, params: Record<string, string>): string {
          return super.getUrl(module, params).replace("https://api.etherscan.io", url)
        }
      }
      const require = createRequire(import.meta.url)
      const axios = createRequire(require.resolve("etherscan-api"))("axios")
      const { account } = require("etherscan-api").init(key, null, 10_000, axios.create({ baseURL: url }))
      const list = { action: "txlist", address: Rows.bob, startblock: "0", endblock: "99999999" }
      const withFallback = (request: Promise<unknown>) =>
        Effect.promise(() => request.catch((error: unknown) => ["another service", String(error)]))

      const [first, message] = (yield* withFallback(new Redirected(1, key).fetch("account", list))) as [string, string]
      expect([first, message]).toEqual(["another service", expect.stringContaining("Not indexed: blocks 0 to 3 ")])
      expect(yield* withFallback(account.txlist(Rows.bob, 0))).toEqual([
        "another service",
        "Not indexed: blocks 0 to 3 of this chain are not in the index",
      ])
      expect(yield* withFallback(account.txlist(Rows.bob, 4))).toMatchObject({ message: "OK" })
    }).pipe(Effect.scoped),
  )

  it.live("an earlier version stored the blocks: pages, sums and tools report the last such block", () =>
    Effect.gen(function* () {
      const service = yield* startIn(ways["an earlier version stored the blocks"])
      const read = (path: string) =>
        Effect.map(service.get(`/api/v2.2/${Rows.bob}/${path}chain=eth`), ({ headers, json }) => [
          headers["daybook-direct-only-to"],
          json.incomplete?.direct_only_to,
        ])
      const paths = ["verbose?", "verbose?scope=all&", "movements?", "user_operations?", "balances?", "statement?"]
      const stream = yield* Effect.promise(async () => {
        const headers = { "x-api-key": service.key }
        const response = await fetch(`${service.url}/api/v2.2/${Rows.bob}/events?chain=eth&from=now`, { headers })
        await response.body?.cancel()
        return response.headers.get("daybook-direct-only-to")
      })
      const found = yield* Effect.forEach(paths, read)

      expect(stream).toBe("9")
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
