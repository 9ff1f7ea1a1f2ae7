import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as JsonText from "../../../src/server/rest/JsonText.ts"

const joined = (value: unknown) => [...JsonText.textsOf(value)].join("")

const rows = function* (count: number) {
  for (let at = 0; at < count; at++) yield { at: String(at), names: ["a", null] }
}

describe("JsonText", () => {
  it.prop("textsOf: returns the JSON of any value", { value: Schema.Json }, ({ value }) => {
    expect(joined(value)).toBe(JSON.stringify(value))
    expect(joined({ value, list: [value] })).toBe(JSON.stringify({ value, list: [value] }))
  })

  it("textsOf: writes lists that are produced while they are read, including empty ones", () => {
    expect(joined({ from: "1", inner: { result: rows(2) }, none: rows(0), last: null })).toBe(
      JSON.stringify({ from: "1", inner: { result: [...rows(2)] }, none: [], last: null }),
    )
    expect(joined({})).toBe("{}")
  })

  it("textsOf: produces no more of a list than was read", () => {
    let made = 0
    const list = function* () {
      while (true) yield made++
    }
    const texts = JsonText.textsOf({ list: list() })

    expect([...Array(4)].map(() => texts.next().value)).toEqual(['{"list":', "", "[0", ",1"])
    expect(made).toBe(2)
  })

  it("textsOf: has an empty text before the output of a function", () => {
    expect([...JsonText.textsOf({ part: () => ({ at: "1" }) })]).toEqual(['{"part":', "", '{"at":', '"1"', "}", "}"])
  })
})
