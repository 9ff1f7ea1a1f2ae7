import { encodeErrorResult } from "viem"
import { describe, expect, it } from "vitest"
import { reasonOf } from "../../src/pages/transaction/Revert.ts"

const abi = [
  { type: "error", name: "Error", inputs: [{ type: "string", name: "reason" }] },
  { type: "error", name: "Panic", inputs: [{ type: "uint256", name: "code" }] },
] as const

describe("reasonOf", () => {
  it("reads the reason of a revert, also in other scripts", () => {
    for (const reason of ["not enough", "رصيد غير كاف", "x".repeat(200), ""]) {
      expect(reasonOf(encodeErrorResult({ abi, errorName: "Error", args: [reason] }))).toBe(reason)
    }
  })

  it("names a panic by its code", () => {
    expect(reasonOf(encodeErrorResult({ abi, errorName: "Panic", args: [0x11n] }))).toBe(
      "Panic 0x11: arithmetic overflow or underflow",
    )
  })

  it("names the selector of a custom error, and nothing for bytes that are none", () => {
    expect(reasonOf(`0x12345678${"00".repeat(32)}`)).toBe("Custom error 0x12345678")
    for (const output of ["0x", null, undefined, `0x08c379a0${"ff".repeat(64)}`]) {
      expect(reasonOf(output)).toBeUndefined()
    }
  })
})
