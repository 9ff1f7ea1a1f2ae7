import { describe, expect, it } from "vitest"
import * as AdaptiveBatchSize from "../../src/node/AdaptiveBatchSize.ts"
import * as fixture from "../indexer/fixture.ts"

describe("Portion", () => {
  it("doubles while the node is quick, within a bound", () => {
    const portion = AdaptiveBatchSize.make()
    const sizes: Array<number> = []
    for (let round = 0; round < 7; round++) {
      sizes.push(portion.size())
      portion.answered(portion.size(), 50, false)
    }

    expect(sizes).toEqual([4, 8, 16, 32, 64, 100, 100])
  })

  it("stays when the node takes its time, and halves when it is slow or has enough", () => {
    const portion = AdaptiveBatchSize.make()
    portion.answered(4, 50, false)
    portion.answered(8, 1_000, false)
    expect(portion.size()).toBe(8)
    portion.answered(8, 2_000, false)
    expect(portion.size()).toBe(4)
    portion.answered(4, 10, true)

    expect(portion.size()).toBe(2)
  })

  it("never asks for less than one block", () => {
    const portion = AdaptiveBatchSize.make()
    for (let round = 0; round < 9; round++) portion.answered(portion.size(), 5_000, true)
    expect(portion.size()).toBe(1)
    portion.weighed(1, 50_000_000)

    expect(portion.size()).toBe(1)
  })

  it("learns nothing of answers to smaller requests than it makes now", () => {
    const portion = AdaptiveBatchSize.make()
    portion.answered(4, 50, false)
    portion.answered(4, 50, false)

    expect(portion.size()).toBe(8)
  })

  it("asks for few heavy blocks at once, from the first on, and for more again when they are light for long", () => {
    const portion = AdaptiveBatchSize.make()
    for (let round = 0; round < 5; round++) portion.answered(portion.size(), 50, false)
    portion.weighed(10, 5_000_000)
    expect(portion.size()).toBe(4)
    for (let round = 0; round < 60; round++) portion.weighed(10, 100_000)

    expect(portion.size()).toBe(100)
  })

  it("weighs answers by what they hold", () => {
    const long = `0x${"00".repeat(50_000)}`
    const heavier = [{ ...fixture.transferReceiptWire, logs: [fixture.logWire(0, 0, { data: long })] }]

    expect(
      AdaptiveBatchSize.ofBlock(fixture.block({ transactions: [{ ...fixture.transferWire, input: long }] })),
    ).toBeGreaterThan(100_000)
    expect(AdaptiveBatchSize.ofReceipts(fixture.receipts(heavier))).toBeGreaterThan(100_000)
    expect(AdaptiveBatchSize.ofReceipts(fixture.receipts([]))).toBe(0)
  })
})
