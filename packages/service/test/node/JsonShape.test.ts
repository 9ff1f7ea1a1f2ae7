import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as JsonShape from "../../src/node/JsonShape.ts"
import * as JsonScan from "../../src/server/relay/JsonScan.ts"

const shapeOf = (text: string, lengths: ReadonlyArray<number> = [1_000]) => {
  const shape = JsonShape.make()
  const bytes = Buffer.from(text)
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length]!
    JsonShape.push(shape, bytes.subarray(at, at + length))
    at += length
  }
  return shape
}

const Length = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))

describe("JsonShape", () => {
  it.prop(
    "push: counts the same as a scan of the whole text, for every way to cut it",
    { value: Schema.Json, texts: Schema.Array(Schema.Literals(['"', "\\", "[", ',\\"', "]"])), length: Length },
    ({ length, texts, value }) => {
      const text = JSON.stringify([value, texts.join("")])
      const { depth, values } = JsonScan.count(Buffer.from(text))

      expect(shapeOf(text, [length, 3])).toMatchObject({
        deepest: depth,
        depth: 0,
        isText: false,
        isEscaped: false,
        values: values - 1,
        bytes: Buffer.byteLength(text),
      })
    },
  )

  it("push: reports where it is within a text, and behind a backslash at the end of a chunk", () => {
    expect(shapeOf('{"a')).toMatchObject({ isText: true, isEscaped: false, depth: 1 })
    expect(shapeOf('{"a\\')).toMatchObject({ isText: true, isEscaped: true })
    expect(shapeOf('{"a\\\\')).toMatchObject({ isText: true, isEscaped: false })
    expect(shapeOf('{"a\\"', [4])).toMatchObject({ isText: true, isEscaped: false })
    expect(shapeOf('{"a\\\\"', [4])).toMatchObject({ isText: false, isEscaped: false })
  })

  it("isExcessive: is true beyond the bounds, not at them", () => {
    const shape = { ...JsonShape.make(), deepest: JsonShape.maxDepth, values: JsonShape.maxValues }

    expect(JsonShape.isExcessive(shape)).toBe(false)
    expect(JsonShape.isExcessive({ ...shape, deepest: JsonShape.maxDepth + 1 })).toBe(true)
    expect(JsonShape.isExcessive({ ...shape, values: JsonShape.maxValues + 1 })).toBe(true)
  })
})
