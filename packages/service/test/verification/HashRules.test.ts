import { describe, expect, it } from "vitest"
import * as HashRules from "../../src/verification/HashRules.ts"

describe("HashRules", () => {
  it("finalityBlocksOf: returns the number of a listed chain, and 64 for any other", () => {
    expect([1, 137, 43_114, 5_000_000].map(HashRules.finalityBlocksOf)).toEqual([96, 256, 1, 64])
  })

  it("ofChain: returns the rules of listed chains and Hedera, none for others, and configured rules first", () => {
    expect(HashRules.ofChain(11_155_111)).toEqual(HashRules.ethereum)
    expect(HashRules.ofChain(296)?.[0]?.indexGaps).toBe(true)
    expect(HashRules.ofChain(5_000_000)).toBeUndefined()
    expect([true, false].map((isEthereum) => HashRules.ofChain(296, isEthereum))).toEqual([
      HashRules.ethereum,
      HashRules.none,
    ])
  })

  it("skipped: names the checks of a level that the rules skip, and up to which block", () => {
    const [none] = HashRules.none
    const later: HashRules.HashRules = [none, { ...none, fromBlock: 10n, headerHash: true, blooms: true }]

    expect(HashRules.skipped(HashRules.ethereum, "full")).toBeNull()
    expect(HashRules.skipped(HashRules.none, "links")).toBeNull()
    expect(HashRules.skipped(HashRules.none, "standard")).toBe("header hashes, blooms and withdrawals")
    expect(HashRules.skipped(later, "full")).toBe(
      "header hashes before block 10, blooms before block 10, withdrawals and roots",
    )
  })
})
