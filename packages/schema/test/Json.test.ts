import { describe, expect, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
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

  it("toJson: writes bigints as decimal text, times as ISO 8601 text, and omits undefined values", () => {
    const value = {
      amount: -(10n ** 30n),
      at: DateTime.makeUnsafe("2026-01-02T03:04:05Z"),
      list: Object.assign([1n, undefined, Number.NaN, { deep: [new Date(0)] }], { length: 5 }),
      missing: undefined,
      method: () => 1,
      [Symbol.for("key")]: 1,
      ["__proto__"]: 1n,
    }

    expect(JSON.stringify(Json.toJson(value))).toBe(
      '{"amount":"-1000000000000000000000000000000","at":"2026-01-02T03:04:05.000Z","list":["1",null,null,{"deep":["1970-01-01T00:00:00.000Z"]},null],"__proto__":"1"}',
    )
    expect([Json.toJson(null), Json.toJson(true), Json.toJson("a"), Json.toJson(() => 1)]).toEqual([
      null,
      true,
      "a",
      null,
    ])
  })
})
