import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { copyOf, describeWhole, memberText, parse } from "../../../src/internal/reply/parse.ts"

describe("describeWhole", () => {
  it.each([
    [undefined, "nothing"],
    ["", "an empty string"],
    ["x".repeat(32_769), JSON.stringify("x".repeat(32_768))],
    [[1, 2, 3], "[1,2,3]"],
    [[1, 2, 3, 4], "an array of 4 items"],
    [{ a: "x".repeat(32_768) }, `{"a":"${"x".repeat(32_762)}`],
    [null, "null"],
  ])("describeWhole: case %#", (value, text) => {
    expect(describeWhole(value)).toBe(text)
  })
})

describe("parse", () => {
  it("itemText: finds the items of an array by their ids, among others, and none if it is not an array", () => {
    const { itemText, value } = parse('[1, [2,3], "{", {"id":7,"a":[{}]} ,{"id":"7"},{}]')

    expect(value).toHaveLength(6)
    expect([itemText(7), itemText(1), itemText(2)]).toEqual(['{"id":7,"a":[{}]}', "", ""])
    expect([parse("{").value, parse("7").itemText(7)]).toEqual([undefined, ""])
  })

  it("itemText: finds an item by the value of its id, however the number is spelled, and not by a text", () => {
    const { itemText } = parse('[{"id":7.0},{"id":8e0},{"id":"9"},{"id":null},{}]')

    expect([itemText(7), itemText(8), itemText(9), itemText(0)]).toEqual(['{"id":7.0}', '{"id":8e0}', "", ""])
  })
})

describe("copyOf", () => {
  it.prop("law: copyOf returns an equal value that shares no object", { value: Schema.Json }, ({ value }) => {
    const parsed: unknown = JSON.parse(JSON.stringify(value))
    const text = JSON.stringify(parsed)
    const freeze = (one: unknown): void => {
      if (typeof one !== "object" || one === null) return
      Object.values(Object.freeze(one)).forEach(freeze)
    }
    freeze(parsed)
    const isFrozen = (one: unknown): boolean =>
      typeof one === "object" && one !== null && (Object.isFrozen(one) || Object.values(one).some(isFrozen))
    const copy = copyOf(parsed)

    expect(JSON.stringify(copy)).toBe(text)
    expect(isFrozen(copy)).toBe(false)
  })

  it("copyOf: keeps a key __proto__ as a key", () => {
    const copy = copyOf(JSON.parse('{"__proto__":{"a":[1]}}'))

    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":[1]}}')
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  })
})

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
      "finds the inserted text, whatever its spacing",
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
