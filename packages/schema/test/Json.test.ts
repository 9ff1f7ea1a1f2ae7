import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Json from "../src/Json.ts"

describe("Json", () => {
  it("parse: returns the value of a JSON text", () => {
    expect([Json.parse('{"a":[1,null]}'), Json.parse("null"), Json.parse(" 1 ")]).toEqual([{ a: [1, null] }, null, 1])
  })

  it.each(["", "<html>", "undefined", "{'a':1}", "1n", '{"a":'])(
    "parse: returns undefined for %j, which is not JSON",
    (text) => {
      expect(Json.parse(text)).toBeUndefined()
    },
  )

  it.prop("parse: returns what JSON.stringify has written", [Schema.Json], ([value]) => {
    const text = JSON.stringify(value)
    expect(JSON.stringify(Json.parse(text))).toBe(text)
  })
})
