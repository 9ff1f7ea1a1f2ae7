import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as AdaptiveBatchSize from "../../src/node/AdaptiveBatchSize.ts"
import * as fixture from "../indexer/fixture.ts"

describe("AdaptiveBatchSize", () => {
  it("answered: doubles the size up to 100 while responses are fast", () => {
    const batchSize = AdaptiveBatchSize.make()
    const sizes: Array<number> = []
    for (let round = 0; round < 7; round++) {
      sizes.push(batchSize.size())
      batchSize.answered(batchSize.size(), 50, false)
    }

    expect(sizes).toEqual([4, 8, 16, 32, 64, 100, 100])
  })

  it("answered: keeps the size at a moderate speed, and halves it when the node is slow or overloaded", () => {
    const batchSize = AdaptiveBatchSize.make()
    const sizes: Array<number> = []
    for (const [blocks, millis, isOverloaded] of [
      [4, 50, false],
      [8, 1_000, false],
      [8, 2_000, false],
      [4, 10, true],
    ] as const) {
      batchSize.answered(blocks, millis, isOverloaded)
      sizes.push(batchSize.size())
    }

    expect(sizes).toEqual([8, 8, 4, 2])
  })

  it("answered: ignores responses to smaller requests than the current size", () => {
    const batchSize = AdaptiveBatchSize.make()
    batchSize.answered(4, 50, false)
    batchSize.answered(4, 50, false)

    expect(batchSize.size()).toBe(8)
  })

  it("weighed: lowers the size at once for heavy blocks, and raises it slowly for light ones", () => {
    const batchSize = AdaptiveBatchSize.make()
    for (let round = 0; round < 5; round++) batchSize.answered(batchSize.size(), 50, false)
    batchSize.weighed(10, 5_000_000)
    const heavy = batchSize.size()
    for (let round = 0; round < 60; round++) batchSize.weighed(10, 100_000)

    expect([heavy, batchSize.size()]).toEqual([4, 100])
  })

  it.prop(
    "size: lies between 1 and 100, whatever the responses",
    {
      responses: Schema.Array(
        Schema.Struct({
          blocks: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 })),
          millis: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60_000 })),
          isOverloaded: Schema.Boolean,
          weight: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 30 })),
        }),
      ),
    },
    ({ responses }) => {
      const batchSize = AdaptiveBatchSize.make()
      for (const { blocks, isOverloaded, millis, weight } of responses) {
        batchSize.answered(blocks, millis, isOverloaded)
        batchSize.weighed(blocks, weight)

        expect(batchSize.size()).toBeGreaterThanOrEqual(1)
        expect(batchSize.size()).toBeLessThanOrEqual(AdaptiveBatchSize.maxSize)
        expect(Number.isInteger(batchSize.size())).toBe(true)
      }
    },
  )

  it("ofBlock, ofReceipts: grow with the texts in them", () => {
    const long = `0x${"00".repeat(50_000)}`
    const heavier = [{ ...fixture.transferReceiptWire, logs: [fixture.logWire(0, 0, { data: long })] }]

    expect(
      AdaptiveBatchSize.ofBlock(fixture.block({ transactions: [{ ...fixture.transferWire, input: long }] })),
    ).toBeGreaterThan(100_000)
    expect(AdaptiveBatchSize.ofReceipts(fixture.receipts(heavier))).toBeGreaterThan(100_000)
    expect(AdaptiveBatchSize.ofReceipts(fixture.receipts([]))).toBe(0)
  })
})
