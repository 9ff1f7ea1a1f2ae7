/** Ranges of blocks: when they begin, are merged and end, and which parts of a history belong to each. */
import { describe, expect, it } from "@effect/vitest"
import * as KeyRanges from "../../../src/store/rows/KeyRanges.ts"
import * as RowId from "../../../src/store/rows/RowId.ts"

const limit = 10

const made = (...ranges: ReadonlyArray<readonly [range: number, first: number, entries: number, into?: number]>) =>
  ranges.map(([range, first, entries, into = null]) => ({ range, first, entries, into }))

/** Eight ranges of ten blocks, each full, and a newest one. */
const nine = made(...Array.from({ length: 9 }, (_, at) => [at, at * 10, limit] as const))

const id = (block: number) => RowId.make(block, 0)

/** Parts as ranges with their first and last block. */
const partsOf = (ranges: KeyRanges.KeyRanges, from: number, to: number) => {
  const [first, end] = RowId.range(from, to)
  return KeyRanges.partsOf(ranges, first, end - 1).map(([range, lowest, highest]) => [
    range,
    RowId.toPosition(lowest).block,
    RowId.toPosition(highest).block,
  ])
}

describe("KeyRanges", () => {
  it("parse: returns the ranges that were formatted", () => {
    const ranges = made([3, 0, 7], [1, 5, 80, 4], [2, 9, 0])

    expect(KeyRanges.parse(KeyRanges.format(ranges))).toEqual(ranges)
  })

  it("parse: returns null for a text that was not formatted", () => {
    const many = KeyRanges.format(made(...Array.from({ length: 401 }, (_, at) => [at, at, 1] as const)))
    const texts = [
      "",
      "[]",
      "{}",
      "null",
      "[1]",
      "[[0,0,0]]",
      '[["0",0,0,null]]',
      "[[0,-1,0,null]]",
      "[[0,0.5,0,null]]",
    ]

    expect([...texts, "[[0,null,0,null]]", "[[0,0,0,null],7]", many].map(KeyRanges.parse)).toEqual(
      Array.from({ length: 12 }, () => null),
    )
  })

  it("append: starts a range once the newest one has as many entries as the limit, or is being merged", () => {
    expect(KeyRanges.append(made([0, 0, 9]), 5, limit)).toEqual(made([0, 0, 9]))
    expect(KeyRanges.append(made([0, 0, 10]), 5, limit)).toEqual(made([0, 0, 10], [1, 5, 0]))
    expect(KeyRanges.append(made([0, 0, 1, 4]), 5, limit)).toEqual(made([0, 0, 1, 4], [5, 5, 0]))
    expect(KeyRanges.append(made([0, 0, 10], [1, 5, 10]), 5, limit)).toEqual(made([0, 0, 10], [1, 5, 10]))
  })

  it("prepend: starts a range of the lowest blocks once the one above has as many entries as the limit", () => {
    expect(KeyRanges.prepend(made([0, 0, 9]), 5, limit)).toEqual(made([0, 0, 9]))
    expect(KeyRanges.prepend(made([0, 0, 10], [1, 9, 1]), 5, limit)).toEqual(made([2, 0, 0], [0, 5, 10], [1, 9, 1]))
    expect(KeyRanges.prepend(made([0, 0, 10]), 0, limit)).toEqual(made([0, 0, 10]))
    expect(KeyRanges.prepend(made([0, 0, 10], [1, 5, 1]), 5, limit)).toEqual(made([0, 0, 10], [1, 5, 1]))
  })

  it("unwind: keeps the ranges that have a block below, and the lowest one", () => {
    const ranges = made([0, 0, 10], [1, 5, 10], [2, 9, 1])

    expect(KeyRanges.unwind(ranges, 10)).toEqual(ranges)
    expect(KeyRanges.unwind(ranges, 9)).toEqual(ranges.slice(0, 2))
    expect(KeyRanges.unwind(ranges, 0)).toEqual(ranges.slice(0, 1))
  })

  it("count: adds entries to the ranges of their blocks", () => {
    const counted = KeyRanges.count(made([0, 0, 1], [1, 5, 2]), [id(4), id(5), id(6), id(99)])

    expect(counted).toEqual(made([0, 0, 2], [1, 5, 5]))
    expect(KeyRanges.total(counted)).toBe(7)
    expect(KeyRanges.largest(counted).range).toBe(1)
  })

  it("partsOf: returns the parts of each range that has a requested block, lowest first", () => {
    const ranges = made([0, 0, 10], [1, 5, 10], [2, 9, 1])

    expect(partsOf(ranges, 0, 20)).toEqual([
      [0, 0, 4],
      [1, 5, 8],
      [2, 9, 20],
    ])
    expect(partsOf(ranges, 6, 8)).toEqual([[1, 6, 8]])
    expect(KeyRanges.partsOf(ranges, 7, 6)).toEqual([[0, 7, 6]])
  })

  it("partsOf: returns merged entries below the ranges that they were moved from", () => {
    const ranges = made([0, 0, 10], [1, 5, 10, 4], [2, 9, 10, 4], [3, 12, 1])

    expect(partsOf(ranges, 0, 20)).toEqual([
      [0, 0, 4],
      [4, 5, 11],
      [1, 5, 8],
      [2, 9, 11],
      [3, 12, 20],
    ])
    expect(KeyRanges.rangesOf(ranges, id(9))).toEqual([2, 4])
    expect(KeyRanges.rangesOf(ranges, id(12))).toEqual([3, 3])
  })

  it("beginMerges: merges eight neighbours of one size, never the newest one", () => {
    expect(KeyRanges.beginMerges(nine.slice(0, 8), limit)).toEqual(nine.slice(0, 8))
    const begun = KeyRanges.beginMerges(nine, limit)

    expect(KeyRanges.mergesOf(begun)).toEqual([{ into: 9, from: [0, 1, 2, 3, 4, 5, 6, 7] }])
    expect(KeyRanges.beginMerges(begun, limit)).toBe(begun)
    const larger = nine.with(0, { ...nine[0]!, entries: 8 * limit })
    expect(KeyRanges.mergesOf(KeyRanges.beginMerges(larger, limit))).toEqual([])
  })

  it("endMerge: makes one range of the next size", () => {
    const ended = KeyRanges.endMerge(KeyRanges.beginMerges(nine, limit), 9)

    expect(ended).toEqual(made([9, 0, 80], [8, 80, 10]))
  })
})
