/** Nodes whose blocks contradict themselves about the positions of their parts: no block stops the chain. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, References } from "effect"
import * as ChainIndexer from "../../src/indexer/ChainIndexer.ts"
import * as Node from "../../src/node/Node.ts"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import { Engine } from "../../src/store/Engine.ts"
import { decoder, openStore } from "./chain.ts"
import * as fixture from "./fixture.ts"
import { hashOf, healthyAt } from "./scriptedChain.ts"
import * as ScriptedFetch from "./ScriptedFetch.ts"

type Wire = Readonly<Record<string, unknown>>

const head = 20
const healthy = healthyAt(head)

/** Hashes of the two transactions of a block. */
const firstOf = (number: number) => hashOf(number + 0x10000)
const secondOf = (number: number) => hashOf(number + 0x20000)

const linksOf = (number: number) => ({ blockHash: hashOf(number), blockNumber: `0x${number.toString(16)}` })

const receiptsOf = (number: number): ReadonlyArray<Wire> => {
  const place = linksOf(number)
  const [one, two] = [firstOf(number), secondOf(number)]
  const logs = (transactionHash: string, index: number) => [
    fixture.logWire(index, index, { ...place, transactionHash }),
  ]
  return [
    { ...fixture.transferReceiptWire, ...place, transactionHash: one, logs: logs(one, 0) },
    { ...fixture.transferReceiptWire, ...place, transactionHash: two, transactionIndex: "0x1", logs: logs(two, 1) },
  ]
}

/** A node whose blocks have two transfers each, with different receipts by block and one by one. */
const answering =
  (
    change: (receipts: ReadonlyArray<Wire>) => ReadonlyArray<Wire>,
    single: (receipt: Wire) => Wire | null = (receipt) => receipt,
  ): ScriptedFetch.Handler =>
  (method, params) => {
    const reply = healthy(method, params)
    if (!("result" in reply)) return reply
    if (method === "eth_getBlockReceipts") return { result: change(receiptsOf(Number(params[0]))) }
    if (method === "eth_getTransactionReceipt") {
      const number = Number(params[0]) % 0x10000
      const receipt = receiptsOf(number).find(({ transactionHash }) => transactionHash === params[0])
      return { result: receipt === undefined ? null : single(receipt) }
    }
    if (method === "trace_block") return { error: { code: -32601, message: "the method does not exist" } }
    if (method !== "eth_getBlockByNumber") return reply
    const found = reply.result as Wire & { readonly transactions: ReadonlyArray<unknown> }
    const number = Number(found["number"])
    const second =
      params[1] === true
        ? { ...fixture.transferWire, ...linksOf(number), hash: secondOf(number), transactionIndex: "0x1" }
        : secondOf(number)
    return { result: { ...found, transactions: [...found.transactions, second] } }
  }

/** Indexes for a while; returns what is known of the chain by then. */
const index = Effect.fnUntraced(function* (answer: ScriptedFetch.Handler, seconds: number) {
  const scripted = ScriptedFetch.make(answer)
  const { fetch } = scripted
  const node = yield* Node.make({ urls: ["http://node.example:8545"], chainId: 31337, fetch })
  const store = yield* openStore
  const options = { chain: store.ref.name, chainId: store.ref.id, owner: "me", decoder, checks: "links" } as const
  const fiber = yield* ChainIndexer.run(node, options).pipe(
    Effect.provideService(Engine, store.database),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.forkScoped,
  )
  yield* ScriptedFetch.advance(scripted, seconds)
  const status = yield* store.readStatus
  yield* Fiber.interrupt(fiber)
  const query = { key: fixture.sender, from: 0, to: head, order: "ASC", after: null, limit: 100 } as const
  const page = yield* store.snapshot(({ page: read }) => read(WalletTransactions.projection, query))
  const records = page.rows.map(({ body }) => JSON.parse(body) as { readonly logs: ReadonlyArray<Wire> })
  return { status, records, gaps: yield* store.gaps({ from: 0, to: head, limit: 1_000 }) }
})

describe("ChainIndexer with contradicting positions", () => {
  it.effect("run: indexes a node that numbers logs per transaction, and reports that once as a limit", () =>
    Effect.gen(function* () {
      const perTransaction = answering((receipts) =>
        receipts.map((receipt) => ({
          ...receipt,
          logs: (receipt["logs"] as ReadonlyArray<Wire>).map((log) => ({ ...log, logIndex: "0x0" })),
        })),
      )
      const { gaps, records, status } = yield* index(perTransaction, 3)

      expect(status).toMatchObject({ state: "synced" })
      expect(records.slice(-2).map(({ logs }) => logs[0]!["log_index"])).toEqual(["0", "1"])
      expect(gaps).toEqual([])
      expect(status).toMatchObject({
        lacking: expect.stringContaining("log indexes per transaction (numbered by Daybook)"),
      })
    }),
  )

  it.effect("run: marks what all nodes return alike and stores it, without a delay for later blocks", () =>
    Effect.gen(function* () {
      const elsewhere = answering((receipts) => receipts.map((receipt) => ({ ...receipt, blockHash: hashOf(0xff) })))
      const early = yield* index(elsewhere, 5)
      const late = yield* index(elsewhere, 40)

      expect(early.records).toEqual([])
      expect(late.status).toMatchObject({ state: "synced" })
      expect(late.records.length).toBe(2 * (head + 1))
      expect(late.gaps.length).toBe(head + 1)
      expect(late.gaps[0]).toMatchObject({
        block: 0,
        kind: "check",
        reason: expect.stringContaining("receipts of another block: the block of receipt 0"),
      })
    }),
  )

  it.effect("run: waits again if the node returns another contradiction than before", () =>
    Effect.gen(function* () {
      const logIndexes = ["0x5", "0x2"]
      const changing = answering((receipts) =>
        receipts.map((receipt, at) =>
          Number(receipt["blockNumber"]) < 10
            ? { ...receipt, blockHash: hashOf(0xff) }
            : {
                ...receipt,
                logs: (receipt["logs"] as ReadonlyArray<Wire>).map((log) => ({ ...log, logIndex: logIndexes[at] })),
              },
        ),
      )
      const early = yield* index(changing, 17)
      const late = yield* index(changing, 40)

      expect(early.records.length).toBe(2 * 10)
      expect(late.status).toMatchObject({ state: "synced" })
      expect(late.gaps.map(({ block }) => block)).toEqual(Array.from({ length: head + 1 }, (_, block) => block))
      expect(late.gaps[10]).toMatchObject({ kind: "check", reason: expect.stringContaining("log indexes") })
    }),
  )

  it.effect("run: stores a block without the receipt that its list of receipts omits, with a gap", () =>
    Effect.gen(function* () {
      const shortened = answering(
        (receipts) => (receipts[0]!["blockNumber"] === "0x5" ? receipts.slice(0, 1) : receipts),
        (receipt) => (receipt["transactionHash"] === secondOf(5) ? null : receipt),
      )
      const { gaps, records, status } = yield* index(shortened, 40)

      expect(status).toMatchObject({ state: "synced" })
      expect(records.length).toBe(2 * (head + 1) - 1)
      expect(gaps).toMatchObject([{ block: 5, kind: "receipt", transaction: secondOf(5) }])
    }),
  )
})
