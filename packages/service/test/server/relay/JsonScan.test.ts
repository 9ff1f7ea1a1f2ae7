import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as JsonScan from "../../../src/server/relay/JsonScan.ts"

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

  it("count: skips each kind of white space before an array and before its end, and nothing else", () => {
    const itemsOf = (text: string) => JsonScan.count(Buffer.from(text)).items

    for (const space of [" ", "\n", "\r", "\t"]) expect(itemsOf(`${space}[${space}]`)).toBe(0)
    expect([itemsOf("\n\r\t [1,2]"), itemsOf("\f[]"), itemsOf("\v[1]")]).toEqual([2, null, null])
  })

  it("count: counts only the items of the first array, and those before the end of an unclosed one", () => {
    const countsOf = (text: string) => {
      const { isBalanced, items } = JsonScan.count(Buffer.from(text))
      return [items, isBalanced]
    }

    expect(countsOf("[1,2] [3,4,5]")).toEqual([2, true])
    expect(countsOf("[1,[2,3]] [4,5,6]")).toEqual([2, true])
    expect(countsOf("[1,2")).toEqual([2, false])
    expect(countsOf("[[1,2],3")).toEqual([2, false])
  })

  it("count: treats brackets and commas in strings as text, even after escapes", () => {
    const value = ['"[{,', "\\", '\\"[', "]"]
    expect(JsonScan.count(Buffer.from(JSON.stringify(value)))).toEqual({
      depth: 1,
      values: 5,
      items: 4,
      isBalanced: true,
    })
  })

  it.prop(
    "count: never throws, and reports text that cannot be JSON as unbalanced",
    { text: Schema.String },
    ({ text }) => {
      expect(JsonScan.count(Buffer.from(text)).depth).toBeGreaterThanOrEqual(0)
      expect(JsonScan.count(Buffer.from("[".repeat(100_000)))).toMatchObject({ depth: 100_000, isBalanced: false })
    },
  )
})
