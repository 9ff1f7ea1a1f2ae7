import { describe, expect, it } from "vitest"
import { exceeded, table } from "./house.ts"

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

describe("exceeded", () => {
  const pages = Array.from({ length: 50 }, (_, at) => `${at}.md`)

  it("exceeded: names each place of a measure above its limit, and none of a measure without one", () => {
    expect(
      exceeded([
        { key: "sentences-documents", label: "  documents", places: ["README.md:3 36 It is long."] },
        { key: "functions-60", label: "functions over 60 lines", places: ["61 run (A.ts:1)"] },
      ]),
    ).toEqual(["documents, at most 0: README.md:3 36 It is long."])
  })

  it("exceeded: accepts 49 decision pages and rejects 50", () => {
    const decisions = { key: "decisions", label: "decision pages" }

    expect(exceeded([{ ...decisions, places: pages.slice(1) }])).toEqual([])
    expect(exceeded([{ ...decisions, places: pages }])).toHaveLength(50)
  })
})
