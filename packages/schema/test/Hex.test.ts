import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as Hex from "../src/Hex.ts"
import { encodesAndDecodes, refusal } from "./law.ts"

const decode = Schema.decodeUnknownSync(Hex.Hex)

describe("Hex", () => {
  describe("Hex", () => {
    it("reads bytes of any length in any case as lower case", () => {
      expect(decode("0x")).toBe("0x")
      expect(decode("0xA9059CBB")).toBe("0xa9059cbb")
      expect(decode("0XA9")).toBe("0xa9")
    })

    it("reads an empty text as no bytes", () => {
      expect(decode("")).toBe("0x")
    })

    it.each(["0x1", "a9", "0xzz", "0x1 ", null, 12, "0xé0"])("refuses %j", (input) => {
      expect(refusal(Hex.Hex, input)).toContain("Expected hex bytes such as 0xa9059cbb")
    })

    it("checks ten megabytes in bounded time", () => {
      const long = `0x${"ab".repeat(5_000_000)}`
      expect(decode(long)).toBe(long)
      expect(refusal(Hex.Hex, `${long}zz`).length).toBeLessThan(300)
    })

    it("decodes what it encoded", async () => {
      await encodesAndDecodes(Hex.Hex)
    })
  })

  describe("Bloom, BlockNonce", () => {
    it("have a fixed number of bytes", () => {
      expect(Schema.decodeUnknownSync(Hex.Bloom)(`0x${"00".repeat(256)}`)).toHaveLength(514)
      expect(refusal(Hex.Bloom, "0x00")).toContain("256 bytes of hex")
      expect(Schema.decodeUnknownSync(Hex.BlockNonce)("0x0000000000000042")).toBe("0x0000000000000042")
      expect(refusal(Hex.BlockNonce, "0x42")).toContain("8 bytes of hex")
      expect(Schema.decodeUnknownSync(Hex.BlockNonceOrNull)(null)).toBe(null)
      expect(Schema.decodeUnknownSync(Hex.BloomOrNull)(null)).toBe(null)
    })
  })

  describe("OrEmpty", () => {
    it("reads an empty text and null as null and writes an empty text", () => {
      expect(Schema.decodeUnknownSync(Hex.OrEmpty)("")).toBe(null)
      expect(Schema.decodeUnknownSync(Hex.OrEmpty)(null)).toBe(null)
      expect(Schema.decodeUnknownSync(Hex.OrEmpty)("0x")).toBe("0x")
      expect(Schema.encodeSync(Hex.OrEmpty)(null)).toBe("")
    })
  })

  describe("OrNothing", () => {
    it("reads an empty text and null as no bytes", () => {
      expect(Schema.decodeUnknownSync(Hex.OrNothing)("")).toBe("0x")
      expect(Schema.decodeUnknownSync(Hex.OrNothing)(null)).toBe("0x")
      expect(Hex.nothing()).toBe("0x")
    })
  })

  describe("HexText", () => {
    it("keeps odd lengths, leading zeros and case", () => {
      for (const text of ["0x0", "0x00", "0xABC", "0x1", "0x"]) {
        expect(Schema.encodeSync(Hex.HexText)(Schema.decodeUnknownSync(Hex.HexText)(text))).toBe(text)
      }
      expect(refusal(Hex.HexText, "1f")).toContain("hex digits such as 0x1f")
    })
  })

  describe("toBigInt", () => {
    it("gives the integer that the digits spell", () => {
      expect(Hex.toBigInt(Schema.decodeUnknownSync(Hex.HexText)("0x0ff"))).toBe(255n)
      expect(Hex.toBigInt(Hex.nothing())).toBe(0n)
    })
  })

  describe("bytes", () => {
    it("makes a codec of a fixed number of bytes", () => {
      const Selector = Hex.bytes("a selector of 4 bytes", 4)
      expect(Schema.decodeUnknownSync(Selector)("0xA9059CBB")).toBe("0xa9059cbb")
      expect(refusal(Selector, "0xa9")).toContain("a selector of 4 bytes")
    })
  })
})
