import { describe, expect, it } from "@effect/vitest"
import type { WalletProof } from "../../../src/store/Proofs.ts"
import * as ProofRow from "../../../src/store/rows/ProofRow.ts"

const native = { standard: "native", asset: "native", tokenId: null } as const

const proof: WalletProof = {
  wallet: `0x${"a1".repeat(20)}`,
  first: 10,
  block: { number: 20, hash: `0x${"b2".repeat(32)}` },
  provedBlock: 19,
  holdings: [
    { holding: native, block: 20, expected: 2n ** 256n - 1n, found: 1n, firstBlock: 12 },
    { holding: native, block: 20, expected: -1n, found: null, firstBlock: null },
  ],
  unchecked: ["The node has no state of block 10."],
}

describe("ProofRow", () => {
  it("read: returns what was written", () => {
    expect(ProofRow.read(ProofRow.make(proof))).toEqual(proof)
  })

  it("read: returns null for a row in which any column was changed", () => {
    const row = ProofRow.make(proof)
    const [wallet, first, block, hash, body, checksum] = row
    const changed: ReadonlyArray<ProofRow.Columns> = [
      [wallet.with(0, 0), first, block, hash, body, checksum],
      [wallet, first + 1, block, hash, body, checksum],
      [wallet, first, block - 1, hash, body, checksum],
      [wallet, first, block, hash.with(31, 0), body, checksum],
      [wallet, first, block, hash, body.replace('"found":"1"', '"found":"2"'), checksum],
      [wallet, first, block, hash, body, checksum + 1],
    ]

    expect(changed.map(ProofRow.read)).toEqual(changed.map(() => null))
  })
})
