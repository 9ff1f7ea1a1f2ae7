import { describe, expect, it } from "vitest"
import * as Table from "../src/Table.ts"

describe("Table", () => {
  it("layout: makes each column as wide as its widest cell and leaves no trailing space", () => {
    const columns: ReadonlyArray<Table.Column> = [
      { heading: "name", align: "left" },
      { heading: "n", align: "right" },
      { heading: "last", align: "left" },
    ]

    const lines = Table.layout(columns, [
      ["a", "10", "x"],
      ["longer", "5", ""],
    ])

    expect(lines).toEqual(["name     n  last", "a       10  x", "longer   5"])
  })
})
