import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as AdaptiveBatchSize from "../../src/node/AdaptiveBatchSize.ts"
import * as fixture from "../indexer/fixture.ts"

describe("AdaptiveBatchSize", () => {
  const sizesAfter = (
    ...responses: ReadonlyArray<readonly [blocks: number, millis: number, isOverloaded: boolean]>
  ) => {
    const batchSize = AdaptiveBatchSize.make()
    return responses.map((response) => {
      batchSize.answered(...response)
      return batchSize.size()
    })
  }

  it("answered: quadruples the size up to 100 while the node is idle, and doubles it while the node is fast", () => {
    expect(sizesAfter([4, 50, false], [16, 60, false], [64, 90, false], [100, 90, false])).toEqual([16, 64, 100, 100])
    expect(sizesAfter([4, 50, false], [16, 250, false], [32, 250, false])).toEqual([16, 32, 64])
  })

  it("answered: keeps the size at a moderate speed, and halves it when the node is slow or overloaded", () => {
    const sizes = sizesAfter([4, 50, false], [16, 1_000, false], [16, 2_000, false], [8, 10, true], [4, 50, false])

    expect(sizes).toEqual([16, 16, 8, 4, 16])
  })

  it("answered: does not keep the size low because a node is distant", () => {
    expect(sizesAfter([4, 2_000, false], [16, 2_050, false], [64, 2_300, false])).toEqual([16, 64, 100])
    expect(sizesAfter([4, 2_000, false], [16, 4_000, false], [8, 2_900, false])).toEqual([16, 8, 8])
  })

  it("answered: measures an increased latency by requests of one block", () => {
    const slow = sizesAfter([4, 5, false], [16, 2_000, false], [8, 2_000, false], [4, 2_000, false], [2, 2_000, false])

    expect(slow).toEqual([16, 8, 4, 2, 1])
    expect(sizesAfter([4, 5, false], [2, 2_000, false], [1, 2_000, false], [4, 2_050, false])).toEqual([16, 1, 4, 16])
  })

  it("answered: requests few blocks at once from a node that is slow per block", () => {
    const sizes = [800, 5_000].map((millisPerBlock) => {
      const batchSize = AdaptiveBatchSize.make()
      return Array.from({ length: 6 }, () => {
        const blocks = batchSize.size()
        batchSize.answered(blocks, blocks * millisPerBlock, blocks * millisPerBlock > 30_000)
        return batchSize.size()
      })
    })

    expect(sizes).toEqual([
      [4, 4, 4, 4, 4, 4],
      [2, 1, 1, 1, 1, 1],
    ])
  })

  it("answered: ignores responses to smaller requests than the current size", () => {
    expect(sizesAfter([4, 50, false], [4, 50, false])).toEqual([16, 16])
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
    "size: is between 1 and 100, whatever the responses",
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
