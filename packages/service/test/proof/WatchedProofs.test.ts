import { describe, expect, it } from "vitest"
import * as Holding from "../../src/ledger/Holding.ts"
import * as WatchedProofs from "../../src/proof/WatchedProofs.ts"
import type { WalletProof } from "../../src/store/Proofs.ts"

const proof = (block: number, provedBlock: number | null, found: bigint, more: Partial<WalletProof> = {}) =>
  WatchedProofs.comparedOf({
    wallet: "0x1",
    first: 0,
    block: {
      number: block,
      hash: "0x2",
    },
    provedBlock,
    unchecked: [],
    holdings: [
      {
        holding: Holding.nonce,
        block,
        expected: 2n,
        found,
        firstBlock: null,
      },
    ],
    ...more,
  })

describe("WatchedProofs", () => {
  it("count: counts wallets by state, and returns the lowest block up to which one is proved", () => {
    const compared = new Map([
      ["0xa", proof(90, 90, 2n)],
      ["0xb", proof(90, 40, 3n)],
      ["0xc", proof(90, 50, 2n, { unchecked: ["One token could not be read."] })],
      ["0xd", proof(90, 10, 2n)],
      ["0xf", proof(90, 60, 1n)],
    ])

    expect(WatchedProofs.count(["0xa", "0xb", "0xc", "0xe", "0xf"], compared)).toEqual({
      proved: 1,
      different: 2,
      unchecked: 1,
      pending: 1,
      oldestProvedBlock: 40,
    })
  })

  it("count: returns -1 for a wallet that was never proved, and null while none was compared", () => {
    const compared = new Map([["0xa", proof(90, null, 3n)]])

    expect(WatchedProofs.count(["0xa"], compared).oldestProvedBlock).toBe(-1)
    expect(WatchedProofs.count(["0xb"], compared).oldestProvedBlock).toBe(null)
  })
})
