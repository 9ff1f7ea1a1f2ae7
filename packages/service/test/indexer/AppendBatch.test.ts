import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as AppendBatch from "../../src/indexer/AppendBatch.ts"
import * as PreparedBlock from "../../src/store/rows/PreparedBlock.ts"
import type { BlockRows, TransactionRow } from "../../src/block/BlockRows.ts"

const transaction: TransactionRow = { index: 0, hash: "0x0", body: "{}", internal: null, addresses: [] }

const block = (number: number, changes: Partial<BlockRows> = {}): BlockRows => ({
  number,
  hash: `h${number}`,
  parentHash: `h${number - 1}`,
  timestamp: number,
  decoderRevision: 1,
  transactions: [],
  ...changes,
})

const filled = (blocks: number, transactionsEach = 0): AppendBatch.AppendBatch => {
  let batch = AppendBatch.make(null, 0)
  const transactions = Array.from({ length: transactionsEach }, () => transaction)
  for (let number = 0; number < blocks; number++) batch = AppendBatch.add(batch, block(number, { transactions }))!
  return batch
}

describe("AppendBatch", () => {
  it("add: accepts any block for an empty index", () => {
    expect(AppendBatch.add(AppendBatch.make(null, 0), block(7))?.blocks).toEqual([block(7)])
  })

  it("add: rejects a block whose parent is not the stored tip", () => {
    const batch = AppendBatch.make({ number: 6, hash: "other" }, 0)

    expect(AppendBatch.add(batch, block(7))).toBeNull()
  })

  it("add: rejects a block with another number than the next, whatever its parent hash", () => {
    const batch = AppendBatch.make({ number: 6, hash: "h6" }, 0)

    expect(AppendBatch.add(batch, block(8, { parentHash: "h6" }))).toBeNull()
  })

  it.each([
    [99, 0, 0, false],
    [100, 0, 0, true],
    [9, 111, 0, false],
    [9, 112, 0, true],
    [1, 0, 499, false],
    [1, 0, 500, true],
  ])("isFull: %d blocks of %d transactions after %d ms: %s", (blocks, transactions, millis, isFull) => {
    expect(AppendBatch.isFull(filled(blocks, transactions), millis)).toBe(isFull)
  })

  it("isFull: counts the characters of documents, internal transactions and facts, and the bytes of the ledger", () => {
    const third = "x".repeat(6 * 1024 * 1024)
    const whole = block(0, { transactions: [{ ...transaction, body: third, internal: third }], facts: third })
    const isFull = (one: BlockRows) => AppendBatch.isFull(AppendBatch.add(AppendBatch.make(null, 0), one)!, 0)

    expect(isFull(whole)).toBe(true)
    expect(isFull({ ...whole, facts: "{}" })).toBe(false)
    expect(isFull({ ...whole, facts: "{}", ledger: Buffer.from(third) })).toBe(true)
    expect(isFull({ ...whole, transactions: [] })).toBe(false)
  })

  it("isFull: counts prepared bytes in addition to the texts from which they are made", () => {
    const body = JSON.stringify(Array.from({ length: 450_000 }, (_, at) => (at * 2_654_435_761) % 4_294_967_296))
    const prepared = PreparedBlock.prepare(
      block(0, { transactions: [{ ...transaction, hash: "0x00", body, internal: body }], facts: body }),
      "plain",
    )
    const isFull = (one: BlockRows) => AppendBatch.isFull(AppendBatch.add(AppendBatch.make(null, 0), one)!, 0)
    const { prepared: _, preparedBytes, ...texts } = prepared

    expect(preparedBytes).toBe(3 * body.length)
    expect(3 * body.length).toBeGreaterThan(12 * 1024 * 1024)
    expect([isFull(texts), isFull(prepared)]).toEqual([false, true])
  })

  it.prop(
    "add: links the blocks of a batch from the tip to the head, whatever is offered",
    {
      offered: Schema.Array(
        Schema.Struct({
          number: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6 })),
          parent: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })),
        }),
      ),
    },
    ({ offered }) => {
      let batch = AppendBatch.make({ number: 0, hash: "h0" }, 0)
      for (const { number, parent } of offered)
        batch = AppendBatch.add(batch, block(number, { parentHash: `h${parent}` })) ?? batch

      expect(batch.blocks).toEqual(Array.from({ length: batch.blocks.length }, (_, index) => block(index + 1)))
    },
  )
})
