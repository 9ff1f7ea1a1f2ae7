import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as Decimal from "../src/Decimal.ts"
import { encodesAndDecodes, refusal } from "./law.ts"

const decode = Schema.decodeUnknownSync(Decimal.Decimal)
const encode = Schema.encodeSync(Decimal.Decimal)

describe("Decimal", () => {
  describe("Decimal", () => {
    it("reads digits as a bigint", () => {
      expect(decode("21041290431188")).toBe(21041290431188n)
      expect(decode((2n ** 256n - 1n).toString())).toBe(2n ** 256n - 1n)
    })

    it("reads a JSON number and leading zeros, and writes neither", () => {
      expect(decode(100)).toBe(100n)
      expect(encode(decode("007"))).toBe("7")
    })

    it.each(["", "0x1", "-1", "1.5", "1e3", " 1", "١", (2n ** 256n).toString(), null, undefined, -1, 0.5, 2 ** 53, {}])(
      "refuses %j",
      (input) => {
        expect(refusal(Decimal.Decimal, input)).toContain("Expected decimal digits such as 21000")
      },
    )

    it("decodes what it encoded", async () => {
      expect(await encodesAndDecodes(Decimal.Decimal)).toBe(100)
    })
  })

  describe("SafeInteger", () => {
    it("reads up to 2^53 - 1 and no more", () => {
      expect(Schema.decodeUnknownSync(Decimal.SafeInteger)("9007199254740991")).toBe(9007199254740991)
      expect(refusal(Decimal.SafeInteger, "9007199254740992")).toContain("a safe integer")
    })
  })

  describe("SafeIntegerOrEmpty", () => {
    it("reads an empty text and null as null and writes an empty text", () => {
      const decodeStatus = Schema.decodeUnknownSync(Decimal.SafeIntegerOrEmpty)
      expect(decodeStatus("")).toBe(null)
      expect(decodeStatus(null)).toBe(null)
      expect(decodeStatus("1")).toBe(1)
      expect(Schema.encodeSync(Decimal.SafeIntegerOrEmpty)(null)).toBe("")
    })
  })

  describe("FromNumber", () => {
    it("is a JSON number on the wire and reads digits too", () => {
      expect(Schema.decodeUnknownSync(Decimal.FromNumber)("18676771")).toBe(18676771n)
      expect(Schema.encodeSync(Decimal.FromNumber)(18676771n)).toBe(18676771)
      expect(() => Schema.encodeSync(Decimal.FromNumber)(2n ** 53n)).toThrow("53 bits")
    })
  })
})
