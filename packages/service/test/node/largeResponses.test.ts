/** Blocks and receipts whose response exceeds the limits are fetched in parts. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as BoundedFetch from "../../src/node/BoundedFetch.ts"
import * as Node from "../../src/node/Node.ts"
import * as NodeError from "../../src/node/NodeError.ts"
import * as fixture from "../indexer/fixture.ts"
import { type Reply, type Response, start } from "./server.ts"

/** A value that exceeds the limits of a large response: it is too deep. */
const excessive = (value: object): Reply => {
  let deep: unknown = "0x"
  for (let level = 0; level < 3_000; level++) deep = [deep]
  return { result: { ...value, padding: "x".repeat(BoundedFetch.smallBytes), deep } }
}

const { blockHash, blockWire, creationReceiptWire, creationWire, transferReceiptWire, transferWire } = fixture
const transactions = [transferWire, creationWire]
const receipts = [transferReceiptWire, creationReceiptWire]
const hashes = transactions.map(({ hash }) => String(hash))

const answers = {
  eth_chainId: () => ({ result: "0x1" }),
  eth_getBlockByNumber: ([, isHydrated]: ReadonlyArray<unknown>) =>
    isHydrated === true ? excessive(blockWire) : { result: { ...blockWire, transactions: hashes } },
  eth_getTransactionByHash: ([hash]: ReadonlyArray<unknown>) => ({
    result: transactions.find((one) => one["hash"] === hash) ?? null,
  }),
  eth_getBlockReceipts: () => excessive({}),
  eth_getTransactionReceipt: ([hash]: ReadonlyArray<unknown>) => ({
    result: receipts.find(({ transactionHash }) => transactionHash === hash) ?? null,
  }),
}

const nodeOf = (more: Partial<Record<keyof typeof answers, Response>> = {}) =>
  Effect.flatMap(start({ ...answers, ...more }), ({ url }) => Node.make({ urls: [url], chainId: 1, traces: "off" }))

describe("Node", () => {
  it.live("block: fetches the transactions one by one if the block is too large", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf()

      expect(yield* node.block(100)).toEqual(fixture.block())
    }),
  )

  it.live("block: is null if the node no longer has one of its transactions", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf({ eth_getTransactionByHash: () => ({ result: null }) })

      expect(yield* node.block(100)).toBe(null)
    }),
  )

  it.live("lenientBlock: omits a transaction that is too large on its own", () =>
    Effect.gen(function* () {
      const [first, second] = transactions
      const node = yield* nodeOf({
        eth_getTransactionByHash: ([hash]) => (hash === hashes[0] ? excessive(first!) : { result: second! }),
      })
      const error = yield* Effect.flip(node.block(100))
      const found = yield* node.lenientBlock(100)

      expect(NodeError.undecodable(error)).toBe("all")
      expect(found?.block.transactions).toEqual(fixture.block().transactions.slice(1))
      expect(found?.undecoded.transactions).toMatchObject([{ hash: hashes[0], isLeftOut: true }])
    }),
  )

  it.live("lenientReceipts: omits a receipt that is too large on its own, and one that does not decode", () =>
    Effect.gen(function* () {
      const [first] = fixture.receipts()
      const receiptsBy = (second: Response) =>
        Effect.gen(function* () {
          const wire: Response = ([hash]) =>
            hash === hashes[0] ? { result: fixture.transferReceiptWire } : second([hash])
          const node = yield* nodeOf({ eth_getTransactionReceipt: wire })
          return yield* node.lenientReceipts({ number: 100, hash: blockHash, transactions: hashes })
        })
      const tooLarge = yield* receiptsBy(() => excessive(fixture.creationReceiptWire))
      const broken = yield* receiptsBy(() => ({ result: { ...fixture.creationReceiptWire, gasUsed: "much" } }))
      const missing = yield* receiptsBy(() => ({ result: null }))

      for (const found of [tooLarge, broken]) {
        expect(found?.receipts).toEqual([first])
        expect(found?.undecoded).toMatchObject([{ hash: hashes[1], isLeftOut: true }])
      }
      expect(missing).toBeNull()
    }),
  )

  it.live("receipts: are fetched one by one if those of the block are too large", () =>
    Effect.gen(function* () {
      const node = yield* nodeOf()

      expect(yield* node.receipts({ number: 100, hash: blockHash, transactions: hashes })).toEqual(fixture.receipts())
    }),
  )
})
