import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as Quantity from "../src/Quantity.ts"
import { decodesAndEncodes, encodesAndDecodes, refusal } from "./law.ts"

const decode = Schema.decodeUnknownSync(Quantity.Quantity)
const encode = Schema.encodeSync(Quantity.Quantity)

describe("Quantity", () => {
  describe("Quantity", () => {
    it("reads hex digits as a bigint", () => {
      expect(decode("0x1f")).toBe(31n)
      expect(decode(`0x${"f".repeat(64)}`)).toBe(2n ** 256n - 1n)
    })

    it("reads 0x0 as zero and writes zero as 0x0", () => {
      expect(decode("0x0")).toBe(0n)
      expect(encode(0n)).toBe("0x0")
    })

    it("reads what real nodes write loosely", () => {
      expect(decode("0x02")).toBe(2n)
      expect(decode("0x00")).toBe(0n)
      expect(decode("0x")).toBe(0n)
      expect(decode("0x112A880")).toBe(18000000n)
      expect(decode("0XAB")).toBe(171n)
      expect(decode(12345)).toBe(12345n)
      expect(decode("2362174980374604")).toBe(2362174980374604n)
      expect(decode((2n ** 256n - 1n).toString())).toBe(2n ** 256n - 1n)
    })

    it("writes the canonical form only", () => {
      expect(encode(decode("0x00AB"))).toBe("0xab")
    })

    it.each([
      "",
      "0x1g",
      "1f",
      "-0x1",
      "0x-1",
      " 0x1",
      `0x${"f".repeat(65)}`,
      (2n ** 256n).toString(),
      "1e3",
      null,
      undefined,
      -1,
      -0,
      1.5,
      NaN,
      2 ** 53,
      {},
      [],
      true,
    ])("refuses %j", (input) => {
      expect(refusal(Quantity.Quantity, input)).toContain("Expected a hex quantity of at most 256 bits such as 0x1f")
    })

    it("does not write what is not an unsigned integer of 256 bits", () => {
      expect(() => encode(-1n)).toThrow("an unsigned bigint of at most 256 bits")
      expect(() => encode(2n ** 256n)).toThrow("an unsigned bigint of at most 256 bits")
    })

    it("decodes what it encoded", async () => {
      expect(await encodesAndDecodes(Quantity.Quantity)).toBe(100)
    })
  })

  describe("SafeInteger", () => {
    it("reads a number up to 2^53 - 1 and no more", () => {
      expect(Schema.decodeUnknownSync(Quantity.SafeInteger)("0x1fffffffffffff")).toBe(Number.MAX_SAFE_INTEGER)
      expect(refusal(Quantity.SafeInteger, "0x20000000000000")).toContain("at most 53 bits")
    })

    it("reads leading zeros, 0x and JSON numbers", () => {
      expect(Schema.decodeUnknownSync(Quantity.SafeInteger)("0x0000000000000000000000000000001f")).toBe(31)
      expect(Schema.decodeUnknownSync(Quantity.SafeInteger)("0x")).toBe(0)
      expect(Schema.decodeUnknownSync(Quantity.SafeInteger)(7)).toBe(7)
    })

    it("decodes what it encoded", async () => {
      expect(await encodesAndDecodes(Quantity.SafeInteger)).toBe(100)
    })
  })

  describe("OrNull", () => {
    it("keeps null, and refuses an empty text", () => {
      decodesAndEncodes(Quantity.OrNull, null)
      decodesAndEncodes(Quantity.SafeIntegerOrNull, null)
      expect(refusal(Quantity.OrNull, "")).toContain("or null")
    })
  })

  describe("FromNumber", () => {
    it("is a JSON number on the wire", () => {
      expect(Schema.decodeUnknownSync(Quantity.FromNumber)(12)).toBe(12n)
      expect(Schema.encodeSync(Quantity.FromNumber)(12n)).toBe(12)
      expect(Schema.encodeSync(Quantity.SafeIntegerFromNumber)(3)).toBe(3)
    })

    it("decodes what it encoded", async () => {
      await encodesAndDecodes(Quantity.FromNumber)
      await encodesAndDecodes(Quantity.SafeIntegerFromNumber)
    })
  })
})
