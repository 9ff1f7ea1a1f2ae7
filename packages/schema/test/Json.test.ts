import { describe, expect, it } from "vitest"
import * as Json from "../src/Json.ts"

describe("parse", () => {
  it("parse: returns the value of a JSON text", () => {
    expect([Json.parse('{"a":[1,null]}'), Json.parse("null"), Json.parse(" 1 ")]).toEqual([{ a: [1, null] }, null, 1])
  })

  it.each(["", "<html>", "undefined", "{'a':1}", "1n", '{"a":'])(
    "parse: returns undefined for %j, which is not JSON",
    (text) => {
      expect(Json.parse(text)).toBeUndefined()
    },
  )
})
