import { describe, expect, it } from "vitest"
import * as Syntax from "./Syntax.ts"

describe("lines", () => {
  it("lines: assigns the first character of a line and its line feed to that line", () => {
    const lineAt = Syntax.lines("ab\n\nc")

    expect([0, 2, 3, 4].map(lineAt)).toEqual([1, 1, 2, 3])
  })
})

describe("parse", () => {
  it("parse: fails on a source that is not valid, with the name of the file", () => {
    expect(() => Syntax.parse("x.ts", "import {")).toThrow(/^x\.ts: /)
  })
})

describe("calls", () => {
  it("calls: names chains of members, and calls of what a call returns", () => {
    const text = `it.effect.prop("a")\nit.each([1])("b")\nlist[0]()\n;(() => 1)()`

    expect(Syntax.calls(Syntax.parse("x.ts", text))).toEqual([
      { callee: "it.effect.prop", line: 1 },
      { callee: "it.each()", line: 2 },
      { callee: "it.each", line: 2 },
    ])
  })
})
