import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { memberText } from "../../../src/internal/reply/parse.ts"

describe("resultText", () => {
  describe("memberText", () => {
    it.each([
      ['{"jsonrpc":"2.0","id":1,"result":1.0}', "1.0"],
      ['{"result":12345678901234567890123,"id":1}', "12345678901234567890123"],
      ['{"result":1e3 }', "1e3"],
      [
        '{"result" : { "a" : [ 1 , { "b": "}" } ] , "c":"\\"]" }\n, "id":1}',
        '{ "a" : [ 1 , { "b": "}" } ] , "c":"\\"]" }',
      ],
      [' \t\r\n{ "id":1, "result":"a\\\\", "x":{"result":2}}', '"a\\\\"'],
      ['{"a":"\\\\\\"result\\":3","result":null}', "null"],
      ['{"res\\u0075lt":true}', "true"],
      ['{"result":1,"result":[ 2 ]}', "[ 2 ]"],
      ['{"result":[]}', "[]"],
      ['{"result":{}}', "{}"],
      ['{"result":-0}', "-0"],
    ])("finds the result of %s", (text, result) => {
      expect(memberText(text, "result")).toBe(result)
    })

    it.each(["{}", "{ }", '{"id":1}', '{"x":{"result":1}}'])("finds none in %s", (text) => {
      expect(memberText(text, "result")).toBe(undefined)
    })

    it.effect.prop(
      "finds the text that was put in, however it is spaced",
      [
        Schema.Json,
        Schema.Record(Schema.String, Schema.Json),
        Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 })),
      ],
      ([value, others, indent]) =>
        Effect.sync(() => {
          const { result: _, ...rest } = others
          const text = JSON.stringify({ ...rest, result: value, last: rest }, null, indent)
          const found = memberText(text, "result")

          expect(found).toBeDefined()
          expect(JSON.parse(found ?? "")).toEqual(JSON.parse(JSON.stringify(value)))
          expect(text.includes(found ?? "?")).toBe(true)
        }),
    )
  })
})
