import { describe, expect, it } from "vitest"
import { emittersOf } from "../../../src/pages/transaction/Emitters.ts"

const params = [{ name: "amount", type: "uint256", value: "1" }]

describe("Emitters", () => {
  it("emittersOf: lists each contract once, in the order of its logs, and none without a decoded parameter", () => {
    const addressOf = (digit: string) => `0x${digit.repeat(40)}`
    const logs = ["a", "b", "a", "c", "d", "e"].map((digit, at) => ({ address: addressOf(digit), logIndex: at }))
    const events = new Map([
      [1, { params }],
      [2, { params }],
      [0, { params }],
      [3, { params: [] }],
      [5, { params }],
    ])

    expect(emittersOf(logs, events)).toEqual([addressOf("a"), addressOf("b"), addressOf("e")])
    expect(emittersOf([{ address: addressOf("a"), logIndex: null }], events)).toEqual([])
  })
})
