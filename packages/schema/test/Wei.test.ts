import { describe, expect, it } from "vitest"
import * as Wei from "../src/Wei.ts"

describe("Wei", () => {
  describe("toEther", () => {
    it.each([
      [0n, "0"],
      [1n, "0.000000000000000001"],
      [10n ** 18n, "1"],
      [1_500_000_000_000_000_000n, "1.5"],
      [123_456_789_012_345_678_901_234_567n, "123456789.012345678901234567"],
      [2n ** 256n - 1n, "115792089237316195423570985008687907853269984665640564039457.584007913129639935"],
      [-1n, "-0.000000000000000001"],
      [-(10n ** 19n), "-10"],
    ])("writes %d wei as %s", (wei, text) => {
      expect(Wei.formatEther(wei)).toBe(text)
      expect(Wei.parseEther(text)).toBe(wei)
    })
  })

  describe("fromEther", () => {
    it.each([
      ["1.", 10n ** 18n],
      [".5", 5n * 10n ** 17n],
      ["007", 7n * 10n ** 18n],
      ["1.50000000000000000000000", 15n * 10n ** 17n],
      ["-0", 0n],
    ])("reads %s", (text, wei) => {
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
    ])("refuses %s", (text) => {
      expect(Wei.parseEther(text)).toBeUndefined()
    })
  })

  it("reads and writes gwei", () => {
    expect(Wei.formatGwei(1_500_000_001n)).toBe("1.500000001")
    expect(Wei.parseGwei("1.500000001")).toBe(1_500_000_001n)
    expect(Wei.parseGwei("0.0000000001")).toBeUndefined()
  })

  it("reads and writes amounts without places", () => {
    expect(Wei.toText(42n, 0)).toBe("42")
    expect(Wei.fromText("42", 0)).toBe(42n)
    expect(Wei.fromText("42.5", 0)).toBeUndefined()
  })
})
