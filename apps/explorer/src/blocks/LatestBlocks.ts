/** The latest blocks of a chain, and those that a reorg replaced while the page was open. Pure. */

/** What a list of blocks needs of a block. */
export interface BlockLike {
  readonly number: bigint | null
  readonly hash: string | null
  readonly parentHash: string
}

/** A block on screen. */
export interface Entry<B> {
  readonly block: B
  /** The block is no longer part of the chain. */
  readonly isReverted: boolean
}

/** Newest first; of one number, the block of the chain first. */
export type LatestBlocks<B> = ReadonlyArray<Entry<B>>

/** Reverted blocks that are kept. */
const maxReverted = 8

const numberOf = ({ block }: { readonly block: BlockLike }): bigint => block.number ?? -1n

const byPlace = (one: Entry<BlockLike>, other: Entry<BlockLike>): number => {
  const [a, b] = [numberOf(one), numberOf(other)]
  if (a !== b) return a > b ? -1 : 1
  return Number(one.isReverted) - Number(other.isReverted)
}

/** Whether a block of this hash is on screen, as part of the chain. */
export const has = (state: LatestBlocks<BlockLike>, hash: string): boolean =>
  state.some(({ block, isReverted }) => !isReverted && block.hash === hash)

/**
 * Adds the head of the chain and its ancestors, newest first and each the parent of the one before it: down to a block that is on
 * screen, or as many as fit.
 */
export const add = <B extends BlockLike>(
  state: LatestBlocks<B>,
  branch: ReadonlyArray<B>,
  maxBlocks: number,
): LatestBlocks<B> => {
  const lowest = branch.at(-1)
  if (lowest === undefined) return state
  const added = new Set(branch.map(({ hash }) => hash))
  const old = state.filter(({ block }) => !added.has(block.hash))
  // Blocks from the lowest one up that are not part of the branch were replaced, and so were those above the head.
  const kept = old.map((entry) =>
    entry.isReverted || numberOf(entry) < (lowest.number ?? 0n) ? entry : { ...entry, isReverted: true },
  )
  const blocks = [
    ...branch.map((block) => ({ block, isReverted: false })),
    ...kept.filter(({ isReverted }) => !isReverted),
  ].slice(0, maxBlocks)
  const last = blocks.at(-1)
  const reverted = kept
    .filter((entry) => entry.isReverted && last !== undefined && numberOf(entry) >= numberOf(last))
    .slice(0, maxReverted)
  return [...blocks, ...reverted].toSorted(byPlace)
}
