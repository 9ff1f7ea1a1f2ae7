import { describe, expect, it } from "@effect/vitest"
import * as TraceBudget from "../../src/node/TraceBudget.ts"

const limits: TraceBudget.Limits = { transactionBytes: 10, blockBytes: 25, frames: 3, depth: 4 }

/** Ends entries of a flat list that belong to these transactions, each with some data; returns their outcomes. */
const ended = (budget: TraceBudget.TraceBudget, hashes: ReadonlyArray<string>, data = 0) =>
  hashes.map((hash) => {
    TraceBudget.keep(budget, data)
    return TraceBudget.end(budget, { ...TraceBudget.element(false), hash, isFlat: true })
  })

describe("TraceBudget", () => {
  it("enter: accepts the permitted frames, and twice as many levels as calls plus the enclosing ones", () => {
    const budget = TraceBudget.make(limits)
    const element = TraceBudget.element(false)

    expect([16, 17].map((levels) => TraceBudget.enter(budget, element, levels, false))).toEqual([
      null,
      "deeper than 4 calls",
    ])
    expect([1, 2, 3, 4].map(() => TraceBudget.enter(budget, element, 1, true))).toEqual([
      null,
      null,
      null,
      "more than 3 frames",
    ])
    expect(TraceBudget.enter(budget, element, 1, false)).toBeNull()
    expect(TraceBudget.enter(budget, TraceBudget.element(false), 1, true)).toBeNull()
  })

  it("remaining: is what the transaction and the block have left, and everything for the next result", () => {
    const budget = TraceBudget.make(limits)
    const left: Array<number> = [TraceBudget.remaining(budget)]
    for (const data of [4, 6]) {
      TraceBudget.keep(budget, data)
      left.push(TraceBudget.remaining(budget))
    }
    TraceBudget.end(budget, TraceBudget.element(false))
    left.push(TraceBudget.remaining(budget))
    TraceBudget.keep(budget, 10)
    TraceBudget.end(budget, TraceBudget.element(false))
    left.push(TraceBudget.remaining(budget))
    TraceBudget.keep(budget, 3)
    TraceBudget.beginResult(budget)

    expect([...left, TraceBudget.remaining(budget)]).toEqual([10, 6, 0, 10, 5, 10])
  })

  it("end: keeps the permitted entries of a flat list, replaces the next one, and drops the others", () => {
    const budget = TraceBudget.make(limits)

    // One entry is the transaction itself.
    expect(
      ended(
        budget,
        Array.from({ length: 7 }, () => "0x1"),
      ),
    ).toEqual(["keep", "keep", "keep", "keep", "replace", "drop", "drop"])
    expect(ended(budget, ["0x2", "0x1"])).toEqual(["keep", "keep"])
    TraceBudget.beginResult(budget)
    expect(
      ended(
        budget,
        Array.from({ length: 4 }, () => "0x1"),
      ),
    ).toEqual(["keep", "keep", "keep", "keep"])
  })

  it("end: adds up the data of all entries of a transaction", () => {
    const budget = TraceBudget.make({ ...limits, blockBytes: 1_000 })
    const left = ["0x1", "0x1", "0x2", "0x2"].map((hash) => {
      ended(budget, [hash], 2)
      return TraceBudget.remaining(budget)
    })

    expect(left).toEqual([10, 8, 10, 8])
  })

  it("replacementOf, messageOf: name the limit, and the transaction as its list does", () => {
    const excess = { ...TraceBudget.element(false), excess: "more than 3 frames" }
    const error = "Trace beyond the limits: more than 3 frames."

    expect(TraceBudget.messageOf(excess)).toBe(error)
    expect(TraceBudget.replacementOf(excess)).toEqual({ error })
    expect(TraceBudget.replacementOf({ ...excess, hash: "0x1" })).toEqual({ txHash: "0x1", error })
    expect(TraceBudget.replacementOf({ ...excess, hash: "0x1", isFlat: true })).toEqual({
      type: "excess",
      action: {},
      error,
      subtraces: 0,
      traceAddress: [],
      transactionHash: "0x1",
    })
  })
})
