import { describe, expect, it } from "vitest"
import {
  formatAmount,
  formatEther,
  formatInteger,
  formatShare,
  formatUnits,
  shorten,
} from "../../src/display/Numbers.ts"

describe("Numbers", () => {
  it("formatAmount: shows a short number in full, with thousands separators", () => {
    expect(formatAmount(1_234_567_500_000_000_000_000_000n, 18)).toEqual({ text: "1,234,567.5", exact: "1234567.5" })
    expect(formatAmount(0n, 18)).toEqual({ text: "0", exact: "0" })
    expect(formatAmount(-5n, 0)).toEqual({ text: "-5", exact: "-5" })
  })

  it("formatAmount: truncates without rounding, and marks it", () => {
    expect(formatAmount(1_999_999_999_999_999_999n, 18)).toEqual({
      text: "1.999999…",
      exact: "1.999999999999999999",
    })
  })

  it("formatAmount: a small amount is never shown as 0", () => {
    expect(formatAmount(1n, 18)).toEqual({ text: "<0.000001", exact: "0.000000000000000001" })
    expect(formatAmount(-123_456_789n, 18).text).toBe("-<0.000001")
    expect(formatAmount(1n, 18, true).text).toBe("0.000000000000000001")
    expect(formatAmount(1n, 6).text).toBe("0.000001")
  })

  it("formatEther: writes an amount in the unit that shows its first digits", () => {
    expect(formatEther(10n, "ETH")).toEqual({ text: "10", unit: "wei", exact: "0.00000000000000001" })
    expect(formatEther(-7n, "ETH")).toMatchObject({ text: "-7", unit: "wei" })
    expect(formatEther(123_456_789n, "ETH")).toMatchObject({ text: "0.123456…", unit: "gwei" })
    expect(formatEther(10n ** 12n, "ETH")).toMatchObject({ text: "0.000001", unit: "ETH" })
    expect(formatEther(0n, "ETH")).toMatchObject({ text: "0", unit: "ETH" })
    expect(formatEther(10n, "ETH", true)).toMatchObject({ text: "0.00000000000000001", unit: "ETH" })
  })

  it("formatEther: shows a non-zero digit of every amount but 0", () => {
    for (let digits = 0n; digits < 30n; digits++) {
      for (const amount of [10n ** digits, -(10n ** digits), 10n ** digits + 1n]) {
        expect(formatEther(amount, "ETH").text).toMatch(/[1-9]/)
      }
    }
  })

  it("formatUnits: is exact for any number of decimals", () => {
    expect(formatUnits(2n ** 256n - 1n, 77)).toBe(
      "1.15792089237316195423570985008687907853269984665640564039457584007913129639935",
    )
    expect(formatUnits(1_000n, 3)).toBe("1")
  })

  it("formatShare: shows none or all only if exact", () => {
    expect(formatShare(1n, 30_000_000n)).toBe("<0.01%")
    expect(formatShare(0n, 5n)).toBe("0%")
    expect(formatShare(1n, 3n)).toBe("33.33%")
    expect(formatShare(5n, 5n)).toBe("100%")
    expect(formatShare(0n, 0n)).toBe("0%")
  })

  it("formatInteger and shorten: group thousands, and keep both ends of a hash", () => {
    expect(formatInteger(-1_234_567n)).toBe("-1,234,567")
    expect(formatInteger(999)).toBe("999")
    expect(shorten(`0x${"ab".repeat(20)}`)).toBe("0xababa…babab")
    expect(shorten("0x1234")).toBe("0x1234")
  })
})
