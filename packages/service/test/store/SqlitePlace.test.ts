import { describe, expect, it } from "vitest"
import * as SqlitePlace from "../../src/store/SqlitePlace.ts"

describe("SqlitePlace", () => {
  it("orders transactions by block and index", () => {
    expect(SqlitePlace.of(0, 0)).toBe(0)
    expect(SqlitePlace.of(2, 3)).toBe(2_097_155)
    expect(SqlitePlace.of(1, SqlitePlace.ofBlock - 1) + 1).toBe(SqlitePlace.of(2, 0))
  })

  it("gives the range of blocks, however far it is asked for", () => {
    expect(SqlitePlace.range(2, 3)).toEqual([2_097_152, 4_194_304])
    expect(SqlitePlace.range(0, Number.MAX_SAFE_INTEGER)[1]).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER)
  })

  it("has no place that is not exact", () => {
    expect(() => SqlitePlace.of(1, SqlitePlace.ofBlock)).toThrow(RangeError)
    expect(() => SqlitePlace.of(Number.MAX_SAFE_INTEGER, 0)).toThrow(RangeError)
  })
})
