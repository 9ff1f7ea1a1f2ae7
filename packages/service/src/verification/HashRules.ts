/**
 * Which of Ethereum's rules a chain's blocks follow, so that they can be computed again, and how deep a block must lie to be final.
 * A chain that hashes its headers in its own way is not checked by that rule, and the operator is told so.
 */
import * as Effect from "effect/Effect"
import type { Node, NodeError } from "../node/Node.ts"
import * as HeaderHash from "./HeaderHash.ts"

/**
 * How much is checked of a block before it is stored. `links`: number, parent, hashes, count and order of all parts. `standard`:
 * also the header's hash and the blooms of logs. `full`: also each transaction's hash and the roots of transactions and receipts.
 */
export type Level = "links" | "standard" | "full"

/**
 * What can be computed of a chain's blocks.
 */
export interface HashRules {
  /** The block's hash is the Keccak of its header's fields. Source: Ethereum yellow paper 4.4. */
  readonly headerHash: boolean
  /** Bloom filters of receipts and of the block are those of the logs. Source: Ethereum yellow paper 4.4.1. */
  readonly blooms: boolean
  /** Roots of the tries of transactions and receipts, for the types that are known. Source: EIP-2718. */
  readonly roots: boolean
}

/**
 * A block of which nothing can be computed.
 */
export const none: HashRules = { headerHash: false, blooms: false, roots: false }

/**
 * Ethereum's own rules.
 */
export const ethereum: HashRules = { headerHash: true, blooms: true, roots: true }

interface Row {
  readonly rules: HashRules
  readonly finalityBlocks: number
}

const hashesOnly: HashRules = { headerHash: true, blooms: true, roots: false }

/** By EIP-155 id; what was computed for real blocks of the chain, or follows from its client being a fork of Ethereum's. */
const rows: Readonly<Record<number, Row>> = {
  1: { rules: ethereum, finalityBlocks: 96 },
  11_155_111: { rules: ethereum, finalityBlocks: 96 },
  17_000: { rules: ethereum, finalityBlocks: 96 },
  // The blocks before the merge (AuRa) are known by their `step`.
  100: { rules: ethereum, finalityBlocks: 96 },
  10_200: { rules: ethereum, finalityBlocks: 96 },
  // A state-sync transaction stands in neither root.
  137: { rules: hashesOnly, finalityBlocks: 256 },
  80_002: { rules: hashesOnly, finalityBlocks: 256 },
  56: { rules: ethereum, finalityBlocks: 64 },
  97: { rules: ethereum, finalityBlocks: 64 },
  10: { rules: ethereum, finalityBlocks: 1_800 },
  11_155_420: { rules: ethereum, finalityBlocks: 1_800 },
  8_453: { rules: ethereum, finalityBlocks: 1_800 },
  84_532: { rules: ethereum, finalityBlocks: 1_800 },
  42_161: { rules: ethereum, finalityBlocks: 14_400 },
  421_614: { rules: ethereum, finalityBlocks: 14_400 },
  // Atomic transactions are part of the header.
  43_114: { rules: none, finalityBlocks: 1 },
  250: { rules: none, finalityBlocks: 1 },
  25: { rules: none, finalityBlocks: 1 },
  // Seals of the validators are left out of the hash.
  11_297_108_109: { rules: none, finalityBlocks: 1 },
  88_888: { rules: none, finalityBlocks: 64 },
  88_882: { rules: none, finalityBlocks: 64 },
  59_144: { rules: none, finalityBlocks: 1_800 },
  59_141: { rules: none, finalityBlocks: 1_800 },
  1_284: { rules: none, finalityBlocks: 64 },
  1_285: { rules: none, finalityBlocks: 64 },
  1_287: { rules: none, finalityBlocks: 64 },
}

/** Blocks on top of one after which it is final, where neither a tag nor a row says so. */
const usualFinalityBlocks = 64

/**
 * The rules of a chain; `undefined` for one that is not listed.
 */
export const ofChain = (chainId: number): HashRules | undefined => rows[chainId]?.rules

/**
 * Blocks on top of one after which it is final, where the node has no such tag.
 */
export const finalityBlocksOf = (chainId: number): number => rows[chainId]?.finalityBlocks ?? usualFinalityBlocks

/**
 * Finds the rules of a chain that is not listed by one of its blocks, the newest: a hash that comes out right is a proof that the
 * chain follows Ethereum's rules, since none comes out right by chance.
 *
 * **Errors**
 * - `NodeFailed`, `WrongChain`: no answer.
 */
export const detect = Effect.fnUntraced(function* (node: Node, number: number): Effect.fn.Return<HashRules, NodeError> {
  const block = yield* node.block(number)
  return block !== null && block.hash !== null && HeaderHash.of(block) === block.hash ? ethereum : none
})

/**
 * Says which checks a chain's rules leave out at a level; `null` when none.
 */
export const skipped = (rules: HashRules, level: Level): string | null => {
  if (level === "links") return null
  const parts = [
    ...(rules.headerHash ? [] : ["header hashes"]),
    ...(rules.blooms ? [] : ["blooms"]),
    ...(rules.roots || level !== "full" ? [] : ["roots"]),
  ]
  return parts.length === 0 ? null : parts.join(" and ")
}
