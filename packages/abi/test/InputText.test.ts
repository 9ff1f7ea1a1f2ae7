import { describe, expect, it } from "vitest"
import * as InputText from "../src/InputText.ts"

const hexOf = (text: string): string => `0x${Buffer.from(text).toString("hex")}`

describe("InputText.fromHex", () => {
  it("reads UTF-8 with line breaks and tabs", () => {
    expect(InputText.fromHex(hexOf('data:,{"p":"erc-20"}'))).toBe('data:,{"p":"erc-20"}')
    expect(InputText.fromHex(hexOf("für\n\tspäter"))).toBe("für\n\tspäter")
  })

  it("rejects bytes that are not UTF-8, have control characters, are empty or too long", () => {
    expect(InputText.fromHex("0xa9059cbb")).toBeUndefined()
    expect(InputText.fromHex(hexOf("a\0b"))).toBeUndefined()
    expect(InputText.fromHex("0x")).toBeUndefined()
    expect(InputText.fromHex(`0x${"61".repeat(10_000)}`)).toHaveLength(10_000)
    expect(InputText.fromHex(`0x${"61".repeat(10_001)}`)).toBeUndefined()
  })
})
