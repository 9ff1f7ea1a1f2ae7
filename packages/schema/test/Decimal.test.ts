import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Decimal from "../src/Decimal.ts"
import { encodesAndDecodes, refusal } from "./law.ts"

const decode = Schema.decodeUnknownSync(Decimal.Decimal)
const encode = Schema.encodeSync(Decimal.Decimal)

describe("Decimal", () => {
  it("Decimal: decodes digits to a bigint", () => {
    expect(decode("21041290431188")).toBe(21041290431188n)
    expect(decode((2n ** 256n - 1n).toString())).toBe(2n ** 256n - 1n)
  })

  it("Decimal: decodes a JSON number and leading zeros, and encodes digits without them", () => {
    expect(decode(100)).toBe(100n)
    expect(encode(decode("007"))).toBe("7")
  })

  it.each(["", "0x1", "-1", "1.5", "1e3", " 1", "١", (2n ** 256n).toString(), null, undefined, -1, 0.5, 2 ** 53, {}])(
    "Decimal: refuses %j",
    (input) => {
      expect(refusal(Decimal.Decimal, input)).toContain("Expected decimal digits of at most 256 bits such as 21000")
    },
  )

  it.prop("Decimal: decodes what it encodes", [Decimal.Decimal], ([value]) => {
    encodesAndDecodes(Decimal.Decimal, value)
  })

  it.prop("Decimal: encodes the digits of BigInt", [Decimal.Decimal], ([value]) => {
    expect(BigInt(encode(value))).toBe(value)
  })

  it("SafeInteger: decodes up to 2^53 - 1 and no more", () => {
    expect(Schema.decodeUnknownSync(Decimal.SafeInteger)("9007199254740991")).toBe(9007199254740991)
    expect(refusal(Decimal.SafeInteger, "9007199254740992")).toContain("a safe integer")
  })

  it.prop("SafeInteger: decodes what it encodes", [Decimal.SafeInteger], ([value]) => {
    encodesAndDecodes(Decimal.SafeInteger, value)
  })

  it("SafeIntegerOrEmpty: decodes an empty string and null to null and encodes an empty string", () => {
    const decodeStatus = Schema.decodeUnknownSync(Decimal.SafeIntegerOrEmpty)
    expect([decodeStatus(""), decodeStatus(null), decodeStatus("1")]).toEqual([null, null, 1])
    expect(Schema.encodeSync(Decimal.SafeIntegerOrEmpty)(null)).toBe("")
  })

  it.prop("SafeIntegerOrEmpty: decodes what it encodes", [Decimal.SafeIntegerOrEmpty], ([value]) => {
    encodesAndDecodes(Decimal.SafeIntegerOrEmpty, value)
  })

  it("FromNumber: encodes a JSON number and decodes digits too", () => {
    expect(Schema.decodeUnknownSync(Decimal.FromNumber)("18676771")).toBe(18676771n)
    expect(Schema.encodeSync(Decimal.FromNumber)(18676771n)).toBe(18676771)
    expect(() => Schema.encodeSync(Decimal.FromNumber)(2n ** 53n)).toThrow("53 bits")
  })

  it.prop("FromNumber: decodes what it encodes", [Decimal.FromNumber], ([value]) => {
    encodesAndDecodes(Decimal.FromNumber, value)
  })
})
