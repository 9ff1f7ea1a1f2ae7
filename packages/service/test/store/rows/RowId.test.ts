import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as RowId from "../../../src/store/rows/RowId.ts"

describe("RowId", () => {
  it("of: orders transactions by block and index", () => {
    expect(RowId.make(0, 0)).toBe(0)
    expect(RowId.make(2, 3)).toBe(2_097_155)
    expect(RowId.make(1, RowId.perBlock - 1) + 1).toBe(RowId.make(2, 0))
  })

  it("range: returns the row ids of blocks, even beyond the last possible one", () => {
    expect(RowId.range(2, 3)).toEqual([2_097_152, 4_194_304])
    expect(RowId.range(0, Number.MAX_SAFE_INTEGER)[1]).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER)
  })

  it("of: throws if a number would not be exact", () => {
    expect(() => RowId.make(1, RowId.perBlock)).toThrow(RangeError)
    expect(() => RowId.make(Number.MAX_SAFE_INTEGER, 0)).toThrow(RangeError)
  })

  it.prop(
    "toPosition: is the inverse of of, for any block and index",
    {
      block: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8_589_934_590 })),
      index: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: RowId.perBlock - 1 })),
    },
    ({ block, index }) => {
      expect(RowId.toPosition(RowId.make(block, index))).toEqual({ block, index })
    },
  )
})
