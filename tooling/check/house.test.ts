import { describe, expect, it } from "vitest"
import { table } from "./house.ts"

const measures = [
  { key: "longest", label: "longest function", value: "12 run (A.ts:1)", places: [] },
  { key: "words", label: "words", places: ["a", "b"] },
]

describe("table", () => {
  it("table: shows the value of a measure, or the number of its places", () => {
    expect(table(measures)).toEqual([
      "measure           value",
      "longest function  12 run (A.ts:1)",
      "words             2",
    ])
  })

  it("table: shows a second commit beside it, and a dash for what only one of them has", () => {
    const before = [
      { key: "longest", label: "longest function", places: ["a"] },
      { key: "old", label: "old", places: [] },
    ]

    expect(table(measures, { name: "v1", measures: before })).toEqual([
      "measure           v1  now",
      "longest function  1   12 run (A.ts:1)",
      "old               0   -",
      "words             -   2",
    ])
  })
})
