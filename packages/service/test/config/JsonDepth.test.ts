import { describe, expect, it } from "vitest"
import * as JsonDepth from "../../src/config/JsonDepth.ts"

describe("JsonDepth", () => {
  it("isDeeper: counts levels of lists and objects, and ignores brackets in texts", () => {
    expect(JsonDepth.isDeeper('{"a":[{}]}', 3)).toBe(false)
    expect(JsonDepth.isDeeper('{"a":[{}]}', 2)).toBe(true)
    expect(JsonDepth.isDeeper("[[],[],[]]", 2)).toBe(false)
    expect(JsonDepth.isDeeper(String.raw`["[[[\"[[[\\",[]]`, 2)).toBe(false)
    expect(JsonDepth.isDeeper(String.raw`["\\",[[]]]`, 2)).toBe(true)
  })

  it("isDeeper: reads long texts and unterminated quotes only once", () => {
    expect(JsonDepth.isDeeper(`"${"x".repeat(20_000_000)}"`, 1)).toBe(false)
    expect(JsonDepth.isDeeper(`"${String.raw`\"`.repeat(2_000_000)}`, 1)).toBe(false)
  })
})
