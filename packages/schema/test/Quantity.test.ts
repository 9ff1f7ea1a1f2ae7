import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Quantity from "../src/Quantity.ts"
import { decodesAndEncodes, encodesAndDecodes, refusal } from "./law.ts"

const decode = Schema.decodeUnknownSync(Quantity.Quantity)
const encode = Schema.encodeSync(Quantity.Quantity)
const maxQuantity = 2n ** 256n - 1n

describe("Quantity", () => {
  it("Quantity: decodes hex digits to a bigint", () => {
    expect([decode("0x1f"), decode(`0x${"f".repeat(64)}`)]).toEqual([31n, maxQuantity])
  })

  it("Quantity: decodes 0x0 to zero and encodes zero as 0x0", () => {
    expect([decode("0x0"), encode(0n)]).toEqual([0n, "0x0"])
  })

  it.each<[unknown, bigint]>([
    ["0x02", 2n],
    ["0x00", 0n],
    ["0x", 0n],
    ["0x112A880", 18_000_000n],
    ["0XAB", 171n],
    [12345, 12345n],
    ["2362174980374604", 2362174980374604n],
    [maxQuantity.toString(), maxQuantity],
  ])("Quantity: decodes %j, which is not canonical, to %d", (wire, value) => {
    expect(decode(wire)).toBe(value)
  })

  it("Quantity: encodes lower-case digits without leading zeros", () => {
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
    "1".padStart(79, "0"),
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
  ])("Quantity: refuses %j", (input) => {
    expect(refusal(Quantity.Quantity, input)).toContain("Expected a hex quantity of at most 256 bits such as 0x1f")
  })

  it("Quantity: does not encode an integer that is negative or exceeds 256 bits", () => {
    expect(() => encode(-1n)).toThrow("an unsigned bigint of at most 256 bits")
    expect(() => encode(2n ** 256n)).toThrow("an unsigned bigint of at most 256 bits")
  })

  it.prop("Quantity: decodes what it encodes", [Quantity.Quantity], ([value]) => {
    encodesAndDecodes(Quantity.Quantity, value)
  })

  it.prop("Quantity: decodes what BigInt reads, in hex and in decimal digits", [Quantity.Quantity], ([value]) => {
    expect([decode(`0x${value.toString(16)}`), decode(value.toString())]).toEqual([value, value])
  })

  it("SafeInteger: decodes up to 2^53 - 1 and no more", () => {
    expect(Schema.decodeUnknownSync(Quantity.SafeInteger)("0x1fffffffffffff")).toBe(Number.MAX_SAFE_INTEGER)
    expect(refusal(Quantity.SafeInteger, "0x20000000000000")).toContain("at most 53 bits")
  })

  it.each<[unknown, number]>([
    ["0x0000000000000000000000000000001f", 31],
    ["0x", 0],
    [7, 7],
  ])("SafeInteger: decodes %j, which is not canonical, to %d", (wire, value) => {
    expect(Schema.decodeUnknownSync(Quantity.SafeInteger)(wire)).toBe(value)
  })

  it.prop("SafeInteger: decodes what it encodes", [Quantity.SafeInteger], ([value]) => {
    encodesAndDecodes(Quantity.SafeInteger, value)
  })

  it("OrNull: keeps null and refuses an empty string", () => {
    decodesAndEncodes(Quantity.OrNull, null)
    decodesAndEncodes(Quantity.SafeIntegerOrNull, null)
    expect(refusal(Quantity.OrNull, "")).toContain("or null")
  })

  it("FromNumber: encodes a JSON number", () => {
    expect(Schema.decodeUnknownSync(Quantity.FromNumber)(12)).toBe(12n)
    expect(Schema.encodeSync(Quantity.FromNumber)(12n)).toBe(12)
    expect(Schema.encodeSync(Quantity.SafeIntegerFromNumber)(3)).toBe(3)
  })

  it.each([-1n, 2n ** 53n])("FromNumber: does not encode %d, which is not an unsigned safe integer", (value) => {
    expect(() => Schema.encodeSync(Quantity.FromNumber)(value)).toThrow("an unsigned")
  })

  it.prop("FromNumber: decodes what it encodes", [Quantity.FromNumber], ([value]) => {
    encodesAndDecodes(Quantity.FromNumber, value)
  })

  it.prop("SafeIntegerFromNumber: decodes what it encodes", [Quantity.SafeIntegerFromNumber], ([value]) => {
    encodesAndDecodes(Quantity.SafeIntegerFromNumber, value)
  })
})
