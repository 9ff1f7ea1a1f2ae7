import { describe, expect, it } from "vitest"
import * as Runs from "../src/Runs.ts"

describe("Runs", () => {
  it("readPart: is 15 % by default, and rejects a part by which no run would be made", () => {
    expect([undefined, "1", "0.5"].map(Runs.readPart)).toEqual([0.15, 1, 0.5])
    for (const text of ["yes", "0", "-1", "2", "", "NaN"]) {
      expect(() => Runs.readPart(text)).toThrow(
        `Invalid DAYBOOK_LAWS: expected a number above 0 and at most 1, received "${text}".`,
      )
    }
  })

  it("usual: rounds up, and makes at least one run", () => {
    expect([Runs.usual(30, 0.15), Runs.usual(30, 1), Runs.usual(0, 1)]).toEqual([5, 30, 1])
  })
})
