import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as KeyOrder from "../../../src/store/rows/KeyOrder.ts"

type Row = readonly [key: Uint8Array, place: number]

const keyOf = ([key]: Row) => key
const rowsOf = (keys: ReadonlyArray<string>): ReadonlyArray<Row> =>
  keys.map((key, place) => [Buffer.from(key, "hex"), place])
const placesOf = (rows: ReadonlyArray<Row>) => rows.map(([, place]) => place)

const byte = Schema.Literals([0, 1, 127, 128, 255])

describe("KeyOrder", () => {
  it("byKey: puts rows in the order of the first four bytes of their keys", () => {
    const rows = rowsOf(["ff000000", "00000001aa", "7f", "80000000", "00000000ffff"])

    expect(placesOf(KeyOrder.byKey(rows, keyOf))).toEqual([4, 1, 2, 3, 0])
  })

  it("byKey: keeps the order of rows whose keys share their first four bytes", () => {
    const rows = rowsOf(["0000000002", "0000000001", "00000000", "0000000002"])

    expect(placesOf(KeyOrder.byKey(rows, keyOf))).toEqual([0, 1, 2, 3])
  })

  it.prop(
    "byKey: returns each row once, in the order of a stable sort",
    { keys: Schema.Array(Schema.Array(byte).check(Schema.isMaxLength(5))) },
    ({ keys }) => {
      const rows = keys.map((key, place): Row => [Uint8Array.from(key), place])
      const firstBytes = ([key]: Row) => Buffer.concat([key, Buffer.alloc(4)]).subarray(0, 4)
      const sorted = rows.toSorted((one, other) => Buffer.compare(firstBytes(one), firstBytes(other)))

      expect(KeyOrder.byKey(rows, keyOf)).toEqual(sorted)
    },
  )
})
