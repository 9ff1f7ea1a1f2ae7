import { describe, expect, it } from "vitest"
import { spreads } from "./Spreads.ts"
import { parse } from "./Syntax.ts"

const found = (text: string) => spreads(parse("a.ts", text)).map(({ isConditional }) => isConditional)

describe("spreads", () => {
  it("spreads: finds a literal and a conditional literal in an object", () => {
    expect(found("const a = { ...{ b, c }, ...(d === undefined ? {} : { d }) }")).toEqual([false, true])
    expect(found("const a = { ...(b ? { b } : {}), ...(c && { c }) }")).toEqual([true, true])
  })

  it("spreads: ignores spreads of values, of arguments and of a choice between two non-empty literals", () => {
    expect(
      found("const a = { ...b, ...(c ? { d } : { e }), ...(f ?? { g }), ...(h && h.i), ...f({}) }; g(...[h])"),
    ).toEqual([])
  })
})
