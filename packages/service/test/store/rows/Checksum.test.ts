import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Checksum from "../../../src/store/rows/Checksum.ts"

const Column = Schema.Union([Schema.Null, Schema.Int, Schema.String, Schema.Uint8Array])

describe("Checksum", () => {
  it.prop("of: changes if any bit of any column is flipped", { columns: Schema.Array(Column) }, ({ columns }) => {
    const check = Checksum.fromValues(columns)
    for (const [at, value] of columns.entries()) {
      const withOther = (other: typeof Column.Type) => Checksum.fromValues(columns.with(at, other))
      if (typeof value === "number") {
        for (let bit = 0; bit < 31; bit++)
          expect(withOther((value | 0) ^ (1 << bit))).not.toBe(Checksum.fromValues(columns.with(at, value | 0)))
      } else if (value instanceof Uint8Array) {
        for (let bit = 0; bit < value.length * 8; bit++) {
          const flipped = Uint8Array.from(value)
          flipped[bit >> 3]! ^= 1 << (bit & 7)
          expect(withOther(flipped)).not.toBe(check)
        }
      } else if (value !== null) expect(withOther(`${value}x`)).not.toBe(check)
    }
    expect(check).toBe(check | 0)
  })

  it.prop(
    "following: returns the checksum of all columns after any of them",
    { first: Schema.Array(Column), second: Schema.Array(Column) },
    ({ first, second }) => {
      expect(Checksum.following(Checksum.fromValues(first), second)).toBe(Checksum.fromValues([...first, ...second]))
    },
  )

  it.prop(
    "following: shared bytes stand for a column with them",
    { before: Schema.Int, bytes: Schema.Uint8Array },
    ({ before, bytes }) => {
      const shared = new Checksum.SharedBytes(bytes)

      expect(Checksum.following(before | 0, [7, shared])).toBe(Checksum.following(before | 0, [7, bytes]))
    },
  )

  it("of: depends on the order and the types of columns", () => {
    const checks = [
      [1, 2],
      [2, 1],
      [1, null],
      ["1", 2],
      [new Uint8Array([49]), 2],
      [2 ** 40, 1],
      [2 ** 41, 1],
    ].map(Checksum.fromValues)

    expect(new Set(checks).size).toBe(checks.length)
  })
})
