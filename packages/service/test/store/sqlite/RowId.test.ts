import { describe, expect, it } from "vitest"
import * as RowId from "../../../src/store/sqlite/RowId.ts"

describe("RowId", () => {
  it("orders transactions by block and index", () => {
    expect(RowId.of(0, 0)).toBe(0)
    expect(RowId.of(2, 3)).toBe(2_097_155)
    expect(RowId.of(1, RowId.perBlock - 1) + 1).toBe(RowId.of(2, 0))
  })

  it("gives the range of blocks, however far it is asked for", () => {
    expect(RowId.range(2, 3)).toEqual([2_097_152, 4_194_304])
    expect(RowId.range(0, Number.MAX_SAFE_INTEGER)[1]).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER)
  })

  it("has no row id that is not exact", () => {
    expect(() => RowId.of(1, RowId.perBlock)).toThrow(RangeError)
    expect(() => RowId.of(Number.MAX_SAFE_INTEGER, 0)).toThrow(RangeError)
  })
})
