/** Holds header hashes, encodings and roots against recorded blocks of many chains. */
import { Schema } from "effect"
import * as OxHash from "ox/Hash"
import { describe, expect, it } from "vitest"
import * as Block from "@daybook/schema/Block"
import * as Recordings from "@daybook/harness/Recordings"
import * as Rlp from "../../src/verification/Rlp.ts"
import * as HeaderHash from "../../src/verification/HeaderHash.ts"
import * as TrieRoot from "../../src/verification/TrieRoot.ts"

interface Recorded {
  readonly file: string
  readonly chain: string
  readonly isTrusted: boolean
  readonly block: Block.HydratedBlock
  readonly isHydrated: boolean
}

const read = ({ chain, file, isHashVerified, json }: Recordings.Recording): ReadonlyArray<Recorded> => {
  const raw = json as Readonly<Record<string, unknown>>
  const transactions = Array.isArray(raw["transactions"]) ? raw["transactions"] : []
  const isHydrated = transactions.length > 0 && typeof transactions[0] === "object"
  const whole = { size: "0x0", ...raw, transactions: isHydrated ? transactions : [] }
  const decoded = Schema.decodeUnknownOption(Block.HydratedBlock)(whole)
  return decoded._tag === "None" ? [] : [{ file, chain, isTrusted: isHashVerified, block: decoded.value, isHydrated }]
}

const recorded = (): ReadonlyArray<Recorded> =>
  Recordings.all.flatMap((recording) => (recording.kind === "blocks" ? read(recording) : []))

/** The withdrawals' root of this one is that of another draft of the fork. */
const draft = "blocks/290.json"

describe("recorded blocks", () => {
  it("HeaderHash.of: gives the recorded hash on every chain that follows Ethereum's rules", () => {
    const trusted = recorded().filter(({ file, isTrusted }) => isTrusted && file !== draft)
    const wrong = trusted.filter(({ block }) => HeaderHash.of(block) !== block.hash).map(({ file }) => file)

    expect(wrong).toEqual([])
    expect(trusted.length).toBeGreaterThan(40)
    expect(new Set(trusted.map(({ chain }) => chain))).toContain("gnosis")
  })

  it("TrieRoot.of: gives the recorded transactions root unless a transaction is of an unknown type", () => {
    const known = new Set<number>()
    let roots = 0
    for (const { block, file, isHydrated } of recorded()) {
      if (!isHydrated) continue
      const encoded = block.transactions.map(Rlp.transaction)
      if (!encoded.every((bytes) => bytes !== null)) continue
      expect([file, ...encoded.map((bytes) => OxHash.keccak256(bytes))]).toEqual([
        file,
        ...block.transactions.map(({ hash }) => hash),
      ])
      expect([file, TrieRoot.of(encoded)]).toEqual([file, block.transactionsRoot])
      for (const { type } of block.transactions) known.add(type ?? 0)
      roots++
    }

    expect(roots).toBeGreaterThan(20)
    expect([...known].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 0x6a, 0x7e])
  })
})
