/**
 * Which of Ethereum's rules a chain's blocks follow, so that they can be computed again, and how deep a block must lie to be final.
 * A chain that hashes its headers in its own way is not checked by that rule, and the operator is told so.
 */
import * as Chain from "@daybook/schema/Chain"
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
export type HashRules = Chain.HashRules

/**
 * A block of which nothing can be computed.
 */
export const none: HashRules = { headerHash: false, blooms: false, roots: false }

/**
 * Ethereum's own rules.
 */
export const ethereum: HashRules = { headerHash: true, blooms: true, roots: true }

/** Blocks on top of one after which it is final, where neither a tag nor a row says so. */
const usualFinalityBlocks = 64

const rowOf = (chainId: number): Chain.Chain | undefined => Chain.all.find(({ id }) => id === BigInt(chainId))

/**
 * The rules of a chain's newest blocks; `undefined` for one that is not listed.
 */
export const ofChain = (chainId: number): HashRules | undefined => rowOf(chainId)?.hashRules.at(-1)

/**
 * Blocks on top of one after which it is final, where the node has no such tag.
 */
export const finalityBlocksOf = (chainId: number): number => rowOf(chainId)?.finalityBlocks ?? usualFinalityBlocks

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
