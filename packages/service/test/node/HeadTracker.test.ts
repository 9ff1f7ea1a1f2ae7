import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as HeadTracker from "../../src/node/HeadTracker.ts"

const header = (number: number) => ({ number, hash: `h${number}`, parentHash: `h${number - 1}` })

/** Polls heads one after another; returns for each whether the node counts as behind. */
const poll = (numbers: ReadonlyArray<number>) => {
  let tracker = HeadTracker.initial
  const behind = numbers.map((number) => {
    const isBehind = HeadTracker.isBehind(tracker, header(number))
    tracker = HeadTracker.polled(tracker, header(number), isBehind)
    return isBehind
  })
  return { behind, tracker }
}

describe("HeadTracker", () => {
  it("isBehind: is false for the first head and for every higher one", () => {
    expect(poll([0, 1, 5]).behind).toEqual([false, false, false])
  })

  it("isBehind: is true for a head below the last one", () => {
    expect(poll([5, 4]).behind).toEqual([false, true])
  })

  it("isBehind: is true every fifth poll while the head stays the same", () => {
    expect(poll([7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]).behind.map(Number)).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
  })

  it("isSettled: is true from 65 blocks below the last head", () => {
    const { tracker } = poll([100])

    expect([HeadTracker.isSettled(tracker, 36), HeadTracker.isSettled(tracker, 35)]).toEqual([false, true])
    expect(HeadTracker.isSettled(HeadTracker.initial, 0)).toBe(false)
  })

  it.prop(
    "isBehind: is true if the head has not advanced for five polls, and never if it just did",
    { numbers: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))) },
    ({ numbers }) => {
      const { behind } = poll(numbers)

      for (const [at, number] of numbers.entries()) {
        if (at > 0 && number > numbers[at - 1]!) expect(behind[at]).toBe(false)
        if (at > 0 && number < numbers[at - 1]!) expect(behind[at]).toBe(true)
        const window = numbers.slice(Math.max(0, at - 4), at + 1)
        const hasMoved = at < 5 || window.some((one, index) => one > numbers[at - window.length + index]!)
        if (!hasMoved) expect(behind.slice(at - 4, at + 1)).toContain(true)
      }
    },
  )
})
