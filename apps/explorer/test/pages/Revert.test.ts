import { describe, expect, it } from "vitest"
import { formatError, formatSelector } from "../../src/pages/transaction/Revert.ts"

const errorOf = (signature: string, ...values: ReadonlyArray<string>) => ({
  signature,
  label: signature.split("(")[0]!,
  type: "function",
  params: values.map((value, at) => ({ name: at === 0 ? "limit" : "", value, type: "uint256" })),
})

describe("formatError", () => {
  it("the reason of a revert is shown unchanged, up to 500 characters", () => {
    for (const reason of ["not enough", "رصيد غير كاف", ""]) {
      expect(formatError(errorOf("Error(string)", reason))).toBe(reason)
    }
    expect(formatError(errorOf("Error(string)", "x".repeat(600)))).toBe(`${"x".repeat(500)}…`)
  })

  it("a panic is named by its code", () => {
    expect(formatError(errorOf("Panic(uint256)", "17"))).toBe("Panic 0x11: arithmetic overflow or underflow")
    expect(formatError(errorOf("Panic(uint256)", "255"))).toBe("Panic 0xff: unknown code")
  })

  it("another error is shown with the names and values of its parameters", () => {
    expect(formatError(errorOf("TooMany(uint256,uint256)", "5", "7"))).toBe("TooMany(limit: 5, 7)")
  })
})

describe("formatSelector", () => {
  it("names the selector of a custom error, and nothing for other bytes", () => {
    expect(formatSelector(`0x12345678${"00".repeat(32)}`)).toBe("Custom error 0x12345678")
    for (const output of ["0x", null, undefined, `0x08c379a0${"ff".repeat(64)}`, `0x4e487b71${"00".repeat(32)}`]) {
      expect(formatSelector(output)).toBeUndefined()
    }
  })
})
