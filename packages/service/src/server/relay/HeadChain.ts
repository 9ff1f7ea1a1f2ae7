/**
 * The newest blocks of a chain as received by the subscriptions of its clients, and how a further block changes them. Pure.
 *
 * Source: decision 0016.
 */
import type { LinkedBlock } from "../../block/BlockRows.ts"
import type { NodeLog } from "./LogFilter.ts"

/** A block of a chain. */
export interface HeadBlock extends Pick<LinkedBlock, "hash" | "number" | "parentHash"> {
  /** True if its bloom filter is not empty, so that it has logs by Ethereum's rules. False if the filter is unknown. */
  readonly hasNonEmptyBloom: boolean
  /** JSON text of its header; empty once it was sent, and for a block that existed before. */
  readonly header: string
  /** Its logs; undefined if they were not read yet, or were dropped. */
  readonly logs: ReadonlyArray<NodeLog> | undefined
}

/** Linked blocks, lowest first; at least one. */
export type HeadChain = ReadonlyArray<HeadBlock>

/** What a branch of blocks changes. */
export interface HeadChange {
  /** Highest first. */
  readonly removed: ReadonlyArray<HeadBlock>
  /** Lowest first. */
  readonly added: ReadonlyArray<HeadBlock>
}

/** How a branch of linked blocks, lowest first, relates to a chain. */
export type Relation =
  /** The last block of the branch is in the chain: the node is behind, or has reverted blocks and has no others yet. */
  | { readonly _tag: "Known" }
  | { readonly _tag: "Joined"; readonly change: HeadChange }
  /** The block below the branch is needed. */
  | { readonly _tag: "Unlinked" }
  /** The branch diverges below the first block of the chain. */
  | { readonly _tag: "TooDeep" }

/** Maximum number of remembered blocks. */
const maxBlocks = 4_096

/** Maximum number of characters of remembered logs, for all blocks together. */
const maxLogCharacters = 16 * 1024 * 1024

/** Relates a branch of at least one block to a chain. */
export const relate = (chain: HeadChain, branch: ReadonlyArray<HeadBlock>): Relation => {
  const [{ number: lowest }, head] = [chain[0]!, branch.at(-1)!]
  if (chain[head.number - lowest]?.hash === head.hash) return { _tag: "Known" }
  const [first] = branch as [HeadBlock]
  const index = first.number - lowest
  const parentHash = index === 0 ? chain[0]!.parentHash : chain[index - 1]?.hash
  if (parentHash === first.parentHash) {
    return { _tag: "Joined", change: { removed: chain.slice(index).toReversed(), added: branch } }
  }
  return index <= 0 ? { _tag: "TooDeep" } : { _tag: "Unlinked" }
}

/** Relates a newer state of a chain to an older one. */
export const relateState = (chain: HeadChain, newer: HeadChain): Relation => {
  const lowest = chain[0]!.number
  const common = newer.findLastIndex(({ hash, number }) => chain[number - lowest]?.hash === hash)
  return relate(chain, newer.slice(Math.min(common + 1, newer.length - 1)))
}

const charactersOf = (logs: ReadonlyArray<NodeLog>): number => logs.reduce((sum, { body }) => sum + body.length, 0)

/** The chain after a change: drops the headers that were sent, and the oldest blocks and logs beyond the limits. */
export const apply = (chain: HeadChain, { added, removed }: HeadChange): HeadChain => {
  const blocks = [...chain.slice(0, chain.length - removed.length), ...added].slice(-maxBlocks)
  let characters = 0
  return blocks
    .toReversed()
    .map((block) => {
      characters += charactersOf(block.logs ?? [])
      return { ...block, header: "", logs: characters > maxLogCharacters ? undefined : block.logs }
    })
    .toReversed()
}
