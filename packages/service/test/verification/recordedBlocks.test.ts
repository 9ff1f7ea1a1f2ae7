/** Compares header hashes, encodings and roots with recorded blocks of many chains. */
import { Result, Schema } from "effect"
import * as OxHash from "ox/Hash"
import { describe, expect, it } from "vitest"
import * as Block from "@daybook/schema/Block"
import * as Chain from "@daybook/schema/Chain"
import type { Receipt } from "@daybook/schema/Receipt"
import * as RecordedReceipts from "@daybook/harness/RecordedReceipts"
import * as Recordings from "@daybook/harness/Recordings"
import * as BlockVerifier from "../../src/verification/BlockVerifier.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import * as Placement from "../../src/verification/Placement.ts"
import * as recordedReceipts from "../ledger/recordedReceipts.ts"
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

/** The withdrawals root of this block is that of another draft of the fork. */
const draft = "blocks/290.json"

describe("recorded blocks", () => {
  it("HeaderHash.fromBlock: returns the recorded hash on every chain that follows Ethereum's rules", () => {
    const trusted = recorded().filter(({ file, isTrusted }) => isTrusted && file !== draft)
    const wrong = trusted.filter(({ block }) => HeaderHash.fromBlock(block) !== block.hash).map(({ file }) => file)

    expect(wrong).toEqual([])
    expect(trusted.length).toBeGreaterThan(40)
    expect(new Set(trusted.map(({ chain }) => chain))).toContain("gnosis")
  })

  it("TrieRoot.fromValues: returns the recorded transactions root unless a transaction has an unknown type", () => {
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
      expect([file, TrieRoot.fromValues(encoded)]).toEqual([file, block.transactionsRoot])
      for (const { type } of block.transactions) known.add(type ?? 0)
      roots++
    }

    expect(roots).toBeGreaterThan(20)
    expect([...known].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 0x6a, 0x7e])
  })
})

const levels: ReadonlyArray<HashRules.Level> = ["links", "standard", "full"]

/** Receipts of a block at each level, by the rules of its chain: what rejects it in the end. */
const refusalsOf = (
  block: Block.HydratedBlock,
  receipts: ReadonlyArray<Receipt>,
  rules: HashRules.HashRules = HashRules.none,
): ReadonlyArray<string> =>
  levels.flatMap((checks) => {
    const options = { checks, rules, acceptedDoubts: new Set(Placement.doubts), allowMissing: true }
    const verified = BlockVerifier.verify(block, receipts, options)
    return Result.isSuccess(verified) ? [] : [`${checks}: ${verified.failure.what}`]
  })

describe("recorded blocks at each level", () => {
  it("verify: rejects a recorded block only by its hash", () => {
    const hydrated = recorded().filter(({ isHydrated }) => isHydrated)
    const refused = hydrated.flatMap(({ block, chain, file }) =>
      refusalsOf(block, [], Chain.fromName(chain)?.hashRules).map((issue) => `${file} ${issue}`),
    )

    expect(hydrated.length).toBeGreaterThan(20)
    expect(refused).toEqual([])
  })

  it("verify: rejects a recorded receipt only by its hash", () => {
    const all = RecordedReceipts.all()
    const refused = all.flatMap((recording) => {
      const { block, receipt, transaction } = recordedReceipts.decode(recording)
      return refusalsOf({ ...block, transactions: [transaction] }, [receipt]).map(
        (issue) => `${recording.source} ${issue}`,
      )
    })

    expect(all.length).toBeGreaterThan(100)
    expect(refused).toEqual([])
  })
})
