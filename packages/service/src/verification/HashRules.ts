/**
 * Which parts of a chain's blocks can be computed again by Ethereum's rules, and how many blocks on top make a block final. What
 * cannot be computed is not checked, and reported to the operator.
 */
import * as Chain from "@daybook/schema/Chain"
import * as Effect from "effect/Effect"
import type { Node } from "../node/Node.ts"
import type { NodeError } from "../node/NodeError.ts"
import * as HeaderHash from "./HeaderHash.ts"

/**
 * Level of verification of a block before it is stored. `links`: number, parent, hashes, count and order of all parts. `standard`:
 * also the hash of the header and the logs blooms. `full`: also the hash of each transaction and the roots of transactions and
 * receipts.
 */
export type Level = "links" | "standard" | "full"

/**
 * Hash rules of a chain by range of blocks, oldest first.
 */
export type HashRules = Chain.Chain["hashRules"]

/**
 * Rules of a chain of which nothing can be computed.
 */
export const none: HashRules = [{ fromBlock: 0n, headerHash: false, blooms: false, roots: false }]

/**
 * Ethereum's own rules.
 */
export const ethereum: HashRules = [{ fromBlock: 0n, headerHash: true, blooms: true, roots: true }]

/**
 * The rules at a block.
 */
export const at = (hashRules: HashRules, block: bigint): Chain.HashRules => Chain.hashRulesAt({ hashRules }, block)

const defaultFinalityBlocks = 64

const rowOf = (chainId: number): Chain.Chain | undefined => Chain.all.find(({ id }) => id === BigInt(chainId))

/**
 * Rules of a chain by its EIP-155 id; `undefined` for one that is not listed.
 */
export const ofChain = (chainId: number): HashRules | undefined => rowOf(chainId)?.hashRules

/**
 * Blocks on top of a block after which it is final, where the node has no `finalized` tag.
 */
export const finalityBlocksOf = (chainId: number): number => rowOf(chainId)?.finalityBlocks ?? defaultFinalityBlocks

/**
 * Detects the rules of a chain that is not listed from one of its blocks: a header hash that can be reproduced proves that the chain
 * follows Ethereum's rules.
 *
 * **Errors**
 * - `NodeFailed`, `WrongChain`: the node did not answer.
 */
export const detect = Effect.fnUntraced(function* (node: Node, number: number): Effect.fn.Return<HashRules, NodeError> {
  const block = yield* node.block(number)
  return block !== null && block.hash !== null && HeaderHash.of(block) === block.hash ? ethereum : none
})

/**
 * Names the checks of a level that the rules of the newest blocks leave out; `null` when none.
 */
export const skipped = (hashRules: HashRules, level: Level): string | null => {
  if (level === "links") return null
  const { blooms, headerHash, roots } = hashRules.at(-1) ?? hashRules[0]
  const parts = [
    ...(headerHash ? [] : ["header hashes"]),
    ...(blooms ? [] : ["blooms"]),
    ...(roots || level !== "full" ? [] : ["roots"]),
  ]
  return parts.length === 0 ? null : parts.join(" and ")
}
