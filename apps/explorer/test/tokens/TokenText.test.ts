import { encodeAbiParameters } from "viem"
import { describe, expect, it } from "vitest"
import { clean, readDecimals, readText } from "../../src/tokens/TokenText.ts"

const encode = (text: string) => encodeAbiParameters([{ type: "string" }], [text])

describe("TokenText", () => {
  it("readText: reads a string, and the bytes32 of early tokens", () => {
    expect(readText(encode("Wrapped Ether"))).toBe("Wrapped Ether")
    expect(readText(`0x${Buffer.from("MKR").toString("hex").padEnd(64, "0")}`)).toBe("MKR")
  })

  it("readText: escapes control characters and bidirectional marks, and limits the length", () => {
    expect(readText(encode("US\u202eD\u001b\n"))).toBe("US[U+202E]D[U+001B]")
    expect(readText(encode("x".repeat(500)))).toHaveLength(64)
    expect(clean(" \n")).toBeUndefined()
  })

  it("readText and readDecimals: return null for other bytes", () => {
    for (const output of ["0x", "0x01", `0x${"ff".repeat(64)}`]) expect(readText(output)).toBeUndefined()
    expect(readDecimals("0x")).toBeUndefined()
    expect(readDecimals(`0x${"f".repeat(64)}`)).toBeUndefined()
    expect(readDecimals(`0x${"0".repeat(62)}12`)).toBe(18)
  })
})
