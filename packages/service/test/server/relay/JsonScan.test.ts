import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as JsonScan from "../../../src/server/relay/JsonScan.ts"

const findMembers = (bytes: Uint8Array) => {
  const steps = JsonScan.findMembers(bytes, ["result", "error"])
  for (let slices = 1; ; slices++) {
    const { done, value } = steps.next()
    if (done === true) return { members: value, slices }
  }
}

/** Depth and values of a JSON value, by walking it. */
const walk = (value: unknown): { readonly depth: number; readonly values: number } => {
  if (typeof value !== "object" || value === null) return { depth: 0, values: 1 }
  const parts = Object.values(value).map(walk)
  return {
    depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
    values: 1 + parts.reduce((sum, { values }) => sum + values, 0),
  }
}

describe("JsonScan", () => {
  it.prop(
    "count: finds the depth, the items and at least the values of any JSON value, however it is written",
    { value: Schema.Json, space: Schema.Literals([0, 1, "\t"]) },
    ({ space, value }) => {
      const text = JSON.stringify(value, null, space)
      const counts = JsonScan.count(Buffer.from(` ${text} `))
      const expected = walk(value)

      expect(counts.depth).toBe(expected.depth)
      expect(counts.items).toBe(Array.isArray(value) ? value.length : null)
      expect(counts.isBalanced).toBe(true)
      expect(counts.values).toBeGreaterThanOrEqual(expected.values - 1)
      expect(counts.values).toBeLessThanOrEqual(2 * expected.values + 1)
    },
  )

  it.prop(
    "findMembers: gives the text of the last member of each name, as parsing does, and nothing for text that is cut off",
    { value: Schema.Record(Schema.Literals(["result", "error", "x"]), Schema.Json), space: Schema.Literals([0, 2]) },
    ({ space, value: drawn }) => {
      const text = JSON.stringify(drawn, null, space)
      // JSON has no -0.
      const value: typeof drawn = JSON.parse(text)
      const doubled = `${text.slice(0, -1)}${text.length > 3 ? "," : ""}"result" : ${JSON.stringify(value)} }`
      for (const [whole, expected] of [
        [text, value],
        [doubled, { ...value, result: value }],
      ] as const) {
        const bytes = Buffer.from(whole)
        const { members } = findMembers(bytes)
        for (const name of ["result", "error"] as const) {
          const found = members!.values[name]
          expect(found && JSON.parse(bytes.subarray(found.start, found.end).toString())).toEqual(expected[name])
        }
        expect(members!.depth).toBe(walk(JSON.parse(whole)).depth)
        expect(findMembers(bytes.subarray(0, -1)).members).toBeUndefined()
      }
    },
  )

  it("findMembers: yields after each 32 KiB of values", () => {
    const bytes = Buffer.from(`{"result":[${"1234567,".repeat(128 * 1024)}0]}`)

    expect(findMembers(bytes).slices).toBe(33)
  })

  it("findMembers: yields within a long string too, however many quotes it has", () => {
    const text = (value: string) => Buffer.from(JSON.stringify({ result: value }))

    expect(findMembers(text("x".repeat(2_000_000))).slices).toBeLessThanOrEqual(2)
    const { members, slices } = findMembers(text('"'.repeat(1_000_000)))
    expect(slices).toBeGreaterThan(100)
    expect(members!.values.result).toEqual({ start: 10, end: 2_000_012 })
  })

  it("count: takes brackets and commas in strings for text, also behind escapes", () => {
    const value = ['"[{,', "\\", '\\"[', "]"]
    expect(JsonScan.count(Buffer.from(JSON.stringify(value)))).toEqual({
      depth: 1,
      values: 5,
      items: 4,
      isBalanced: true,
    })
  })

  it.prop("count: never throws, and calls text unbalanced that no JSON can be", { text: Schema.String }, ({ text }) => {
    expect(JsonScan.count(Buffer.from(text)).depth).toBeGreaterThanOrEqual(0)
    findMembers(Buffer.from(text))
    expect(JsonScan.count(Buffer.from("[".repeat(100_000)))).toMatchObject({ depth: 100_000, isBalanced: false })
  })
})
