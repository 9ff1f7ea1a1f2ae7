/** Compares withdrawals with the root in the header, over recorded blocks of several chains. */
import { Effect, Result, Schema } from "effect"
import { describe, expect, it } from "@effect/vitest"
import * as Block from "@daybook/schema/Block"
import * as Chain from "@daybook/schema/Chain"
import * as Recordings from "@daybook/harness/Recordings"
import * as BlockFetcher from "../../src/fetch/BlockFetcher.ts"
import type { Node } from "../../src/node/Node.ts"
import * as BlockVerifier from "../../src/verification/BlockVerifier.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import * as TrieRoot from "../../src/verification/TrieRoot.ts"
import * as Withdrawals from "../../src/verification/Withdrawals.ts"
import { decoder } from "../indexer/chain.ts"

/** A recorded block; its transactions are omitted if only their hashes were recorded. */
const recorded = (file: string): Block.HydratedBlock => {
  const found = Recordings.all.find((one) => one.file === file)!
  // Sound: a recorded block is an object.
  const raw = found.json as Readonly<Record<string, unknown>>
  const transactions = Array.isArray(raw["transactions"]) ? raw["transactions"] : []
  const isHydrated = typeof transactions[0] === "object"
  return Schema.decodeUnknownSync(Block.HydratedBlock)({
    size: "0x0",
    ...raw,
    transactions: isHydrated ? transactions : [],
  })
}

/** A Gnosis block with five transactions and eight withdrawals. */
const gnosis = recorded("blocks/338.json")
const list = gnosis.withdrawals!

const changedAmount = list.map((one, at) => (at === 2 ? { ...one, amount: one.amount + 1n } : one))

/** Verifies a block without its receipts. */
const verifyBlock = (block: Block.HydratedBlock, options: BlockVerifier.Options) =>
  BlockVerifier.verify(block, [], { ...options, allowMissing: true })

const verify = (withdrawals: Block.HydratedBlock["withdrawals"], rules = HashRules.ethereum) =>
  verifyBlock({ ...gnosis, withdrawals: withdrawals ?? null }, { rules })

const issueOf = (outcome: ReturnType<typeof verify>) =>
  Result.isFailure(outcome) ? [outcome.failure.what, outcome.failure.isOfRules] : "none"

/** A node that has a block without transactions. */
const nodeOf = (block: Block.HydratedBlock, each?: ReadonlyArray<Node>): Node =>
  // Sound: nothing else of a node is asked.
  ({ block: () => Effect.succeed(block), isSettled: () => false, each }) as unknown as Node

describe("Withdrawals", () => {
  it("rootOf: returns the root of recorded blocks with 8 and 16 withdrawals", () => {
    const files = ["337", "338", "376", "019", "044", "135", "226", "230", "302"]
    const blocks = files.map((name) => recorded(`blocks/${name}.json`))

    expect(blocks.map(({ withdrawals }) => Withdrawals.rootOf(withdrawals!))).toEqual(
      blocks.map(({ withdrawalsRoot }) => withdrawalsRoot),
    )
    expect(blocks.map(({ withdrawals }) => withdrawals!.length)).toEqual([8, 8, 8, 16, 16, 16, 16, 16, 16])
  })

  it("verify: accepts withdrawals as recorded, and rejects a changed amount, a missing one, another order and none", () => {
    const refused = [changedAmount, list.slice(1), list.toReversed(), []]

    expect(issueOf(verify(list))).toBe("none")
    for (const withdrawals of refused) {
      expect(issueOf(verify(withdrawals))).toEqual([
        `withdrawals root: expected ${gnosis.withdrawalsRoot}, received ${Withdrawals.rootOf(withdrawals)}`,
        true,
      ])
    }
  })

  it("verify: rejects withdrawals in a block whose header has no withdrawals root", () => {
    const { withdrawalsRoot: _, ...before } = gnosis
    const outcome = verifyBlock(before, {
      rules: [{ ...HashRules.ethereum[0], headerHash: false }],
    })

    expect(issueOf(outcome)).toEqual(["withdrawals: expected none, received 8", true])
  })

  it("verify: accepts any root beside an empty list of an OP Stack chain, and rejects a list there", () => {
    const rules = Chain.fromName("optimism")!.hashRules
    const root = "0xc6d7dab5fee8bef51be63af837d26e482fd88f993fb64d7238b7f1a4e2ecccc4"

    expect(recorded("blocks/269.json").withdrawalsRoot).toBe(root)
    expect(issueOf(verify([], rules))).toBe("none")
    expect(issueOf(verify(list, rules))).toEqual(["withdrawals: expected none, received 8", true])
  })

  it("verify: compares nothing at the level of links, and on chains with unknown rules", () => {
    const block = { ...gnosis, withdrawals: [] }

    expect(issueOf(verifyBlock(block, { rules: HashRules.ethereum, checks: "links" }))).toBe("none")
    expect(issueOf(verifyBlock(block, { rules: HashRules.none }))).toBe("none")
  })

  it("evidence: a list proves the rule, an empty one beside a root disproves it, and a block without any proves nothing", () => {
    const evidenceOf = (block: Block.HydratedBlock) => BlockVerifier.evidence(block, null)!.withdrawals
    const empty = recorded("blocks/075.json")

    expect(evidenceOf(gnosis)).toBe(true)
    expect(evidenceOf(recorded("blocks/269.json"))).toBe(false)
    expect([evidenceOf(empty), evidenceOf({ ...empty, withdrawals: null })]).toEqual([null, null])
  })

  describe("a list that a node omits", () => {
    /** A block without transactions. */
    const whole = Schema.decodeUnknownSync(Block.HydratedBlock)({
      ...(Schema.encodeSync(Block.HydratedBlock)(gnosis) as object),
      transactions: [],
      transactionsRoot: TrieRoot.empty,
      gasUsed: "0x0",
    })
    const without = { ...whole, withdrawals: null }
    const number = Number(whole.number)
    const rules: HashRules.HashRules = [{ ...HashRules.none[0], withdrawals: true }]
    const options = { decoder, rules }

    it.effect("block: marks the block, which has no facts until a node returns the list", () =>
      Effect.gen(function* () {
        const rows = yield* BlockFetcher.block(nodeOf(without), number, options)
        const ofWhole = yield* BlockFetcher.block(nodeOf(whole), number, options)

        expect(rows.gaps).toEqual([
          { kind: "check", reason: `missing withdrawals: no list for the root ${gnosis.withdrawalsRoot}` },
        ])
        expect(rows.facts).toBeUndefined()
        expect([ofWhole.gaps, JSON.parse(ofWhole.facts!).withdrawals.length]).toEqual([undefined, 8])
      }),
    )

    it.effect("block, range: take the list from another node that has it", () =>
      Effect.gen(function* () {
        const node = nodeOf(without, [nodeOf(without), nodeOf(whole)])
        const fetcher = { size: 1, blocks: () => Effect.succeed([without]), parts: () => Effect.succeed([]) }
        const alone = yield* BlockFetcher.block(node, number, options)
        const range = yield* BlockFetcher.range(node, fetcher, [number], options)

        for (const rows of [alone, range.rows[0]!]) {
          expect([rows.gaps, JSON.parse(rows.facts!).withdrawals.length]).toEqual([undefined, 8])
        }
      }),
    )
  })
})
