import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Hex from "../src/Hex.ts"
import { encodesAndDecodes, refusal } from "./law.ts"

const decode = Schema.decodeUnknownSync(Hex.Hex)
const decodeText = Schema.decodeUnknownSync(Hex.HexText)

describe("Hex", () => {
  it("Hex: decodes bytes of any length and case to lower case", () => {
    expect(["0x", "0xA9059CBB", "0XA9"].map((text) => decode(text))).toEqual(["0x", "0xa9059cbb", "0xa9"])
  })

  it("Hex: decodes an empty string to empty bytes", () => {
    expect(decode("")).toBe("0x")
  })

  it.each(["0x1", "a9", "0xzz", "0x1 ", null, 12, "0xé0"])("Hex: refuses %j", (input) => {
    expect(refusal(Hex.Hex, input)).toContain("Expected hex bytes such as 0xa9059cbb")
  })

  it("Hex: refuses ten megabytes with a short message", () => {
    const long = `0x${"ab".repeat(5_000_000)}`
    expect(decode(long)).toBe(long)
    expect(refusal(Hex.Hex, `${long}zz`).length).toBeLessThan(300)
  })

  it.prop("Hex: decodes what it encodes", [Hex.Hex], ([value]) => {
    encodesAndDecodes(Hex.Hex, value)
  })

  it.prop("Hex: decodes the hex of any bytes, in either case", [Schema.Uint8Array], ([bytes]) => {
    const hex = `0x${Buffer.from(bytes).toString("hex")}`
    expect([decode(hex), decode(`0x${hex.slice(2).toUpperCase()}`)]).toEqual([hex, hex])
  })

  it("Bloom: has 256 bytes, or is null", () => {
    expect(Schema.decodeUnknownSync(Hex.Bloom)(`0x${"00".repeat(256)}`)).toHaveLength(514)
    expect(refusal(Hex.Bloom, "0x00")).toContain("256 bytes of hex")
    expect(Schema.decodeUnknownSync(Hex.BloomOrNull)(null)).toBe(null)
  })

  it("BlockNonce: has 8 bytes, or is null", () => {
    expect(Schema.decodeUnknownSync(Hex.BlockNonce)("0x0000000000000042")).toBe("0x0000000000000042")
    expect(refusal(Hex.BlockNonce, "0x42")).toContain("8 bytes of hex")
    expect(Schema.decodeUnknownSync(Hex.BlockNonceOrNull)(null)).toBe(null)
  })

  it("OrEmpty: decodes an empty string and null to null and encodes an empty string", () => {
    const decodeRoot = Schema.decodeUnknownSync(Hex.OrEmpty)
    expect([decodeRoot(""), decodeRoot(null), decodeRoot("0x")]).toEqual([null, null, "0x"])
    expect(Schema.encodeSync(Hex.OrEmpty)(null)).toBe("")
  })

  it.prop("OrEmpty: decodes what it encodes", [Hex.OrEmpty], ([value]) => {
    encodesAndDecodes(Hex.OrEmpty, value)
  })

  it("OrNothing: decodes an empty string and null to empty bytes", () => {
    const decodeInput = Schema.decodeUnknownSync(Hex.OrNothing)
    expect([decodeInput(""), decodeInput(null), Hex.nothing()]).toEqual(["0x", "0x", "0x"])
  })

  it("HexText: keeps odd lengths, leading zeros and case", () => {
    for (const text of ["0x0", "0x00", "0xABC", "0x1", "0x"]) {
      expect(Schema.encodeSync(Hex.HexText)(decodeText(text))).toBe(text)
    }
    expect(refusal(Hex.HexText, "1f")).toContain("hex digits such as 0x1f")
  })

  it.prop("toBigInt: returns the integer that the digits represent", [Schema.BigInt], ([value]) => {
    const integer = value < 0n ? -value : value
    expect(Hex.toBigInt(decodeText(`0x0${integer.toString(16).toUpperCase()}`))).toBe(integer)
  })

  it("toBigInt: returns 0 for empty bytes", () => {
    expect(Hex.toBigInt(Hex.nothing())).toBe(0n)
  })

  it("bytes: makes a codec for a fixed number of bytes", () => {
    const Selector = Hex.bytes("a selector of 4 bytes", 4)
    expect(Schema.decodeUnknownSync(Selector)("0xA9059CBB")).toBe("0xa9059cbb")
    expect(refusal(Selector, "0xa9")).toContain("a selector of 4 bytes")
  })
})
