import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import * as LogRanges from "../../src/discovery/LogRanges.ts"

const Last = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200_000 }))
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 300_000 }))

describe("LogRanges", () => {
  it.prop(
    "step: searches each block exactly once, whatever range the node accepts",
    { first: Last, last: Last, limit: Limit },
    ({ first, last, limit }) => {
      let ranges = LogRanges.make({ from: first, to: last })
      const accepted: Array<LogRanges.BlockRange> = []
      // A node that accepts few blocks at once needs many turns; the law covers the first hundred.
      for (let turn = 0; turn < 100 && ranges.left.length > 0; turn++) {
        const calls = LogRanges.next(ranges, 4)
        const results = calls.map((call) => (LogRanges.lengthOf(call) > limit ? ("too_large" as const) : [call.from]))
        const searched = calls.filter((_, at) => results[at] !== "too_large")
        const { blocks, ranges: next } = LogRanges.step(ranges, results)
        accepted.push(...searched)
        ranges = next

        expect(blocks).toEqual(searched.map(({ from }) => from))
      }
      const all = [...accepted, ...ranges.left].toSorted((one, other) => one.from - other.from)
      let expected = first
      for (const { from, to } of all) {
        expect(from).toBe(expected)
        expected = to + 1
      }

      expect(expected).toBe(Math.max(first, last + 1))
      if (limit >= 20_000) expect(ranges.left).toEqual([])
    },
  )

  it("step: shortens the ranges after a rejected one, and treats a single block that is too large as one with events", () => {
    const begun = LogRanges.make({ from: 1, to: 100_000 })
    const refused = LogRanges.step(begun, ["too_large"])
    const accepted = LogRanges.step(refused.ranges, [[7]])
    const single = LogRanges.step({ left: [{ from: 5, to: 5 }], length: 1 }, ["too_large"])

    expect(refused.ranges).toMatchObject({
      left: [
        { from: 1, to: 20_000 },
        { from: 20_001, to: 100_000 },
      ],
      length: 10_000,
    })
    expect(accepted.ranges.length).toBe(10_000)
    expect(accepted.blocks).toEqual([7])
    expect(single).toMatchObject({ ranges: { left: [] }, blocks: [5] })
  })

  /** Searches blocks with a node that rejects some ranges. */
  const search = (to: number, isRefused: (range: LogRanges.BlockRange) => boolean) => {
    let [ranges, calls, refused] = [LogRanges.make({ from: 1, to }), 0, 0]
    while (ranges.left.length > 0) {
      const results = LogRanges.next(ranges, 8).map((range) => (isRefused(range) ? ("too_large" as const) : []))
      calls += results.length
      refused += results.filter((result) => result === "too_large").length
      ranges = LogRanges.step(ranges, results).ranges
    }
    return { calls, refused }
  }

  it("step: a few blocks with more events than the node returns at once do not shorten later ranges for long", () => {
    const few = search(20_000_000, ({ from, to }) => from < 5_001_000 && to >= 5_000_000 && to - from >= 100)
    const one = search(20_000_000, ({ from, to }) => from <= 5_000_000 && to >= 5_000_000 && to > from)

    expect(few.calls).toBeLessThan(1_000)
    expect(one.calls).toBeLessThan(1_000)
  })

  it.each([10, 500, 2_000, 10_000, 50_000])(
    "step: has few ranges rejected by a node that accepts %i blocks at once",
    (max) => {
      const { calls, refused } = search(1_000 * max, (range) => LogRanges.lengthOf(range) > max)

      expect(calls - refused).toBeLessThan(1_100)
      expect(refused).toBeLessThan(150)
    },
  )
})
