/** Examinations of nodes that lack one thing or another. */
import { FakeNode } from "@daybook/harness"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as NodeDoctor from "../../src/maintenance/NodeDoctor.ts"
import * as NodeProbe from "../../src/node/NodeProbe.ts"
import * as TrieRoot from "../../src/verification/TrieRoot.ts"
import * as fixture from "../indexer/fixture.ts"
import { healthy as scripted } from "../indexer/scriptedChain.ts"
import * as ScriptedFetch from "../indexer/ScriptedFetch.ts"
import { type Response, missing, start } from "../node/server.ts"

const { hash } = fixture
const { transactions: _, ...header } = fixture.blockWire

const of =
  (result: unknown): Response =>
  () => ({ result })

/** Trace of a transaction without calls. */
const rootTrace = {
  type: "call",
  subtraces: 0,
  traceAddress: [],
  result: null,
  action: {
    from: fixture.sender,
    to: fixture.sender,
    value: "0x0",
    gas: "0x0",
    input: "0x",
    callType: "call",
  },
}

const blockAt = (number: unknown) =>
  typeof number === "string" && number.startsWith("0x") ? { ...header, number } : header

/** A node with one block of transactions at 100, and empty blocks before it. */
const healthy = (): Record<string, Response> => ({
  eth_chainId: of("0x539"),
  web3_clientVersion: of("Test/1.0"),
  eth_getBlockByNumber: ([number, hydrated]) => {
    if (number === "finalized") return { result: { ...header, number: "0x40", transactions: [] } }
    const isFull = number === "latest" || number === "0x64"
    const transactions = hydrated === true ? fixture.blockWire["transactions"] : [hash("1"), hash("2")]
    const empty = { gasUsed: "0x0", transactionsRoot: TrieRoot.empty, transactions: [] }
    return { result: { ...blockAt(number), ...(isFull ? { transactions } : empty) } }
  },
  eth_getBlockReceipts: of([fixture.transferReceiptWire, fixture.creationReceiptWire]),
  trace_block: () => ({ result: [1, 2].map((index) => ({ ...rootTrace, transactionHash: hash(String(index)) })) }),
})

const examine = Effect.fnUntraced(function* (answers: Record<string, Response>, more: object = {}) {
  const server = yield* start({ ...healthy(), ...answers })
  const examined = yield* NodeDoctor.examine({ node: server.url, ...more })
  const grades = Object.fromEntries(examined.findings.map(({ grade, name }) => [name, grade]))
  const texts = Object.fromEntries(examined.findings.map(({ name, remedy, text }) => [name, `${text} ${remedy ?? ""}`]))
  return { grades, texts, canIndex: NodeDoctor.canIndex(examined), server }
})

describe("NodeDoctor", () => {
  it.live("examine: finds what a complete node offers", () =>
    Effect.gen(function* () {
      const { canIndex, grades, texts } = yield* examine({})

      expect(canIndex).toBe(true)
      expect(texts["chain id"]).toContain("1337 (0x539), unlisted")
      expect(texts["client"]).toContain("Test/1.0")
      expect(grades).toMatchObject({ receipts: "good", traces: "good", "finalized tag": "good", batches: "good" })
      expect(texts["history"]).toContain("receipts from block 0, traces from block 0")
    }),
  )

  it.effect("examine: needs eight round trips to a distant node before it measures its rate", () =>
    Effect.gen(function* () {
      const distant = ScriptedFetch.inRounds(scripted)
      const found: Array<string> = []
      yield* Effect.forkScoped(
        NodeDoctor.examine({ node: "http://node.example:8545", fetch: distant.fetch }, ({ name }) => found.push(name)),
      )
      const rounds: Array<ReadonlyArray<string>> = []
      while (!found.includes("checks")) rounds.push(yield* distant.round)

      // The last round trip is the first of the measurement.
      expect(rounds).toHaveLength(9)
      expect(found).toEqual([
        "chain id",
        "client",
        "head",
        "blocks",
        "receipts",
        "traces",
        "finalized tag",
        "batches",
        "history",
        "checks",
      ])
    }),
  )

  it.live("examine: names what a node lacks, with remedies, while it can be indexed", () =>
    Effect.gen(function* () {
      const receiptOf: Response = ([wanted]) => ({
        result: wanted === hash("1") ? fixture.transferReceiptWire : fixture.creationReceiptWire,
      })
      const { canIndex, grades, texts } = yield* examine({
        eth_getBlockReceipts: missing,
        eth_getTransactionReceipt: receiptOf,
        trace_block: missing,
        eth_getBlockByNumber: (params) =>
          params[0] === "finalized"
            ? {
                error: {
                  code: -32602,
                  message: "unknown block tag",
                },
              }
            : healthy()["eth_getBlockByNumber"]!(params),
      })

      expect(canIndex).toBe(true)
      expect(grades).toMatchObject({ receipts: "limited", traces: "limited", "finalized tag": "limited" })
      expect(texts["receipts"]).toContain("one by one (eth_getTransactionReceipt)")
      expect(texts["traces"]).toContain('"traces": "off"')
    }),
  )

  it.live("examine: reports a node that cannot be indexed", () =>
    Effect.gen(function* () {
      const noReceipts = yield* examine({ eth_getBlockReceipts: missing, eth_getTransactionReceipt: missing })
      const other = yield* examine({}, { chainId: 137 })
      const refused = yield* examine({ eth_chainId: () => FakeNode.status(401) })

      expect([noReceipts.canIndex, other.canIndex, refused.canIndex]).toEqual([false, false, false])
      expect(noReceipts.texts["receipts"]).toContain("supports neither eth_getBlockReceipts nor")
      expect(other.texts["chain id"]).toContain("expected 137")
      expect(refused.grades).toEqual({ connection: "failed" })
      expect(refused.texts["connection"]).toContain("rejects the credentials")
    }),
  )

  it.live(
    "examine: reports that a node numbers logs per transaction, from a block with logs of several transactions",
    () =>
      Effect.gen(function* () {
        const logs = [fixture.logWire(0, 1), fixture.logWire(1, 1)]
        const perTransaction = yield* examine({
          eth_getBlockReceipts: of([fixture.transferReceiptWire, { ...fixture.creationReceiptWire, logs }]),
        })
        const perBlock = yield* examine({})

        expect(perTransaction.canIndex).toBe(true)
        expect(perTransaction.grades).toMatchObject({ corrections: "limited", rate: "good" })
        expect(perTransaction.texts["corrections"]).toMatch(
          /^log indexes per transaction \(numbered by Daybook\), in \d+ blocks, 1 with logs of several transactions /,
        )
        expect(perBlock.grades).toMatchObject({ corrections: "good", rate: "good" })
        expect(perBlock.texts["corrections"]).toMatch(/^none in \d+ blocks, 1 with logs of several transactions /)
      }),
  )

  it.live("examine: reports what an indexer would accept with a mark", () =>
    Effect.gen(function* () {
      const receipts = [fixture.transferReceiptWire, fixture.creationReceiptWire]
      const { canIndex, texts } = yield* examine({
        eth_getBlockReceipts: of(receipts.map((receipt) => ({ ...receipt, blockHash: hash("7") }))),
      })

      expect(canIndex).toBe(true)
      expect(texts["corrections"]).toContain("receipts of another block (block 100)")
    }),
  )

  it.live("examine: accepts blocks and receipts as far as they decode, as an indexer does", () =>
    Effect.gen(function* () {
      const { eth_getBlockByNumber: blocks } = healthy()
      const { canIndex, grades } = yield* examine({
        eth_getBlockByNumber: (params) => {
          const { result } = blocks!(params) as { readonly result: object }
          return { result: { ...result, logsBloom: "0x" } }
        },
        eth_getBlockReceipts: of(
          [fixture.transferReceiptWire, fixture.creationReceiptWire].map((one) => ({ ...one, logs: null })),
        ),
      })

      expect(canIndex).toBe(true)
      expect(grades).toMatchObject({ blocks: "good", receipts: "good", history: "good" })
    }),
  )

  it.live("examine: reports the first block for which a pruned node has receipts", () =>
    Effect.gen(function* () {
      const block = healthy()["eth_getBlockByNumber"]!
      const { canIndex, grades, texts } = yield* examine({
        eth_getBlockByNumber: (params) =>
          params[0] !== "latest" && Number(params[0]) < 60 ? { result: null } : block(params),
      })

      expect(canIndex).toBe(true)
      expect(grades["history"]).toBe("limited")
      expect(texts["history"]).toContain("receipts from block 60")
      expect(texts["history"]).toContain('begin at block 60 ("fromBlock")')
    }),
  )

  it.live("examine: ends in time even if the node does not respond", () =>
    Effect.gen(function* () {
      const { canIndex, texts } = yield* examine({ eth_chainId: () => new Promise(() => {}) }, { timeoutMillis: 300 })

      expect(canIndex).toBe(false)
      expect(texts["examination"]).toContain("not finished within")
    }),
  )

  it.effect("firstAvailable: finds the first block by bisection", () =>
    Effect.gen(function* () {
      const since = (first: number) =>
        NodeProbe.firstAvailable(10, 1_000_000, (number) => Effect.succeed(number >= first))

      expect([yield* since(0), yield* since(11), yield* since(777_777), yield* since(1_000_000)]).toEqual([
        10, 11, 777_777, 1_000_000,
      ])
      expect(yield* since(1_000_001)).toBe(null)
    }),
  )
})
