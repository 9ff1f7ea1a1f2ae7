import { describe, expect, it } from "vitest"
import * as OperationFacts from "../../src/pages/transaction/OperationFacts.ts"

describe("OperationFacts", () => {
  it("nonceOf: returns the sequence of a nonce, and its key unless that is 0", () => {
    expect(OperationFacts.nonceOf(0n)).toBe("0")
    expect(OperationFacts.nonceOf(1_234n)).toBe("1,234")
    expect(OperationFacts.nonceOf((0xabcn << 64n) + 7n)).toBe("7 of key 0xabc")
    expect(OperationFacts.nonceOf(2n ** 64n - 1n)).toBe("18,446,744,073,709,551,615")
  })

  it("versionOf: names only known entry points", () => {
    expect(OperationFacts.versionOf("0x0000000071727de22e5e9d8baf0edac6f37da032")).toBe("0.7")
    expect(OperationFacts.versionOf(`0x${"1".repeat(40)}`)).toBe(undefined)
    expect(OperationFacts.versionOf("constructor")).toBe(undefined)
  })
})
