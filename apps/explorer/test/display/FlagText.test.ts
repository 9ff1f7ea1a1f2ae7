import { describe, expect, it } from "vitest"
import * as FlagText from "../../src/display/FlagText.ts"

describe("FlagText", () => {
  it("ofFlag: explains each flag of the interface, and shows an unknown one by its name", () => {
    const marks = ["poisoning", "fake_symbol", "link", "sanctioned_by"].map((flag) => FlagText.ofFlag(flag).mark)

    expect(marks).toEqual(["poisoning?", "fake symbol", "link", "sanctioned by"])
    expect(FlagText.ofFlag("poisoning").hint).toContain("Do not copy it")
  })
})
