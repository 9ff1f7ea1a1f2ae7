import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import * as TokenText from "../../src/token/TokenText.ts"

const word = (value: number) => value.toString(16).padStart(64, "0")

const padded = (hex: string) => hex.padEnd(Math.ceil(hex.length / 64) * 64, "0")

const abiString = (text: string, length = Buffer.byteLength(text)) =>
  `0x${word(32)}${word(length)}${padded(Buffer.from(text).toString("hex"))}`

const bytes32 = (text: string) => `0x${Buffer.from(text).toString("hex").padEnd(64, "0")}`

describe("TokenText", () => {
  it("fromResult: reads strings, and texts of 32 bytes", () => {
    expect(TokenText.fromResult(abiString("Wrapped Ether"))).toBe("Wrapped Ether")
    expect(TokenText.fromResult(bytes32("MKR"))).toBe("MKR")
    expect(TokenText.fromResult(abiString("Tether ₮"))).toBe("Tether ₮")
  })

  it("fromResult: escapes control characters and bidirectional marks, and truncates long texts", () => {
    expect(TokenText.fromResult(abiString("A\u202eB\u0000C\r\nD\u001b[31m"))).toBe("A[U+202E]B[U+0000]C D[U+001B][31m")
    expect(TokenText.fromResult(abiString("x".repeat(300)))).toBe(`${"x".repeat(63)}…`)
    expect(TokenText.fromResult(abiString("金".repeat(100)))).toBe(`${"金".repeat(63)}…`)
    expect(TokenText.fromResult(abiString("😀".repeat(65)))).toBe(`${"😀".repeat(63)}…`)
    expect(TokenText.fromResult(abiString(" \n\u0000"))).toBe(null)
  })

  it("fromResult: returns null for data that is not text", () => {
    expect(TokenText.fromResult("0x")).toBe(null)
    expect(TokenText.fromResult(null)).toBe(null)
    expect(TokenText.fromResult(`0x${"ff".repeat(32)}`)).toBe(null)
    expect(TokenText.fromResult(abiString("short", 1_000_000))).toBe(null)
    expect(TokenText.fromResult(`0x${"f".repeat(64)}${word(1)}${word(0)}`)).toBe(null)
  })

  it("fromResult: reads a text without padding, and rejects an incomplete character unless the text was truncated there", () => {
    const ofBytes = (hex: string) => TokenText.fromResult(`0x${word(32)}${word(hex.length / 2)}${hex}`)
    const xs = (count: number) => "78".repeat(count)

    expect(ofBytes("6869")).toBe("hi")
    expect(ofBytes("68c3")).toBe(null)
    expect(ofBytes(`${xs(259)}c3`)).toBe(null)
    expect(ofBytes(`${xs(259)}c3a9`)).toBe(`${"x".repeat(63)}…`)
    // Bytes beyond the truncation are not decoded.
    expect(ofBytes(`${xs(260)}ff`)).toBe(`${"x".repeat(63)}…`)
  })

  it("fromResult, decimalsOf: return null for a value that is not text", () => {
    expect([[bytes32("MKR")], 7, {}].map(TokenText.fromResult)).toEqual([null, null, null])
    expect([[`0x${word(18)}`], 18, null].map(TokenText.decimalsOf)).toEqual([null, null, null])
  })

  it.prop(
    "fromResult: returns a short text or null for any bytes",
    { bytes: Schema.Uint8Array, words: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 }))) },
    ({ bytes, words }) => {
      const text = TokenText.fromResult(`0x${words.map(word).join("")}${Buffer.from(bytes).toString("hex")}`)

      expect(text === null || (Array.from(text).length <= 64 && !/\p{Cc}|\p{Cf}/u.test(text))).toBe(true)
    },
  )

  it("decimalsOf: reads the number of decimals, and returns null for impossible numbers", () => {
    expect(TokenText.decimalsOf(`0x${word(18)}`)).toBe(18)
    expect(TokenText.decimalsOf(`0x${word(77)}`)).toBe(77)
    expect(TokenText.decimalsOf(`0x${word(78)}`)).toBe(null)
    expect(TokenText.decimalsOf(`0x${"f".repeat(64)}`)).toBe(null)
    expect(TokenText.decimalsOf("0x12")).toBe(null)
  })
})
