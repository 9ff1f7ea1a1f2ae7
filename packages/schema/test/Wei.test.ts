import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Wei from "../src/Wei.ts"

const maxAmount = 2n ** 256n - 1n
const Amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -maxAmount, maximum: maxAmount }))
const decimals = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 36 }))

describe("Wei", () => {
  it("formatUnits, parseUnits: throw a TypeError that shows an invalid amount, or decimals outside 0 to 255", () => {
    const call = (run: () => unknown) => {
      try {
        return run()
      } catch (error) {
        return String(error)
      }
    }

    expect([
      call(() => Wei.formatEther(1.5 as never)),
      call(() => Wei.formatEther("1" as never)),
      call(() => Wei.parseEther(1n as never)),
      call(() => Wei.formatUnits(1n, -2)),
      call(() => Wei.formatUnits(1n, 256)),
      call(() => Wei.parseUnits("1", 1.5)),
      call(() => Wei.formatUnits(1n, 255)),
    ]).toEqual([
      "TypeError: Invalid amount: expected a bigint, received 1.5.",
      'TypeError: Invalid amount: expected a bigint, received "1".',
      "TypeError: Invalid amount: expected a string, received 1n.",
      "TypeError: Invalid decimals: expected an integer from 0 to 255, received -2.",
      "TypeError: Invalid decimals: expected an integer from 0 to 255, received 256.",
      "TypeError: Invalid decimals: expected an integer from 0 to 255, received 1.5.",
      `0.${"0".repeat(254)}1`,
    ])
  })

  it.each([
    [0n, "0"],
    [1n, "0.000000000000000001"],
    [10n ** 18n, "1"],
    [1_500_000_000_000_000_000n, "1.5"],
    [123_456_789_012_345_678_901_234_567n, "123456789.012345678901234567"],
    [2n ** 256n - 1n, "115792089237316195423570985008687907853269984665640564039457.584007913129639935"],
    [-1n, "-0.000000000000000001"],
    [-(10n ** 19n), "-10"],
  ])("formatEther, parseEther: %d wei are %s ether", (wei, text) => {
    expect([Wei.formatEther(wei), Wei.parseEther(text)]).toEqual([text, wei])
  })

  it.each([
    ["1.", 10n ** 18n],
    [".5", 5n * 10n ** 17n],
    ["007", 7n * 10n ** 18n],
    ["1.50000000000000000000000", 15n * 10n ** 17n],
    ["-0", 0n],
  ])("parseEther: parses %s", (text, wei) => {
    expect(Wei.parseEther(text)).toBe(wei)
  })

  it.each([
    "",
    ".",
    "-",
    "1e3",
    "1,5",
    "1_000",
    " 1",
    "0x1",
    "+1",
    "1.0000000000000000001",
    "NaN",
    "1".repeat(79),
    "9".repeat(100_000),
  ])("parseEther: returns undefined for %s", (text) => {
    expect(Wei.parseEther(text)).toBeUndefined()
  })

  it("formatGwei, parseGwei: 10^9 wei are 1 gwei", () => {
    expect(Wei.formatGwei(1_500_000_001n)).toBe("1.500000001")
    expect(Wei.parseGwei("1.500000001")).toBe(1_500_000_001n)
    expect(Wei.parseGwei("0.0000000001")).toBeUndefined()
  })

  it("formatUnits, parseUnits: an amount without decimal places is an integer", () => {
    expect([Wei.formatUnits(42n, 0), Wei.parseUnits("42", 0), Wei.parseUnits("42.5", 0)]).toEqual([
      "42",
      42n,
      undefined,
    ])
  })

  it.prop("parseUnits: parses what formatUnits formats", [Amount, decimals], ([amount, places]) => {
    expect(Wei.parseUnits(Wei.formatUnits(amount, places), places)).toBe(amount)
  })

  it.prop("formatUnits: writes no trailing zero and no empty fraction", [Amount, decimals], ([amount, places]) => {
    expect(Wei.formatUnits(amount, places)).toMatch(/^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/)
  })

  it.prop("parseUnits: scales with the number of places", [Amount, decimals], ([amount, places]) => {
    expect(Wei.parseUnits(amount.toString(), places)).toBe(amount * 10n ** BigInt(places))
  })
})
