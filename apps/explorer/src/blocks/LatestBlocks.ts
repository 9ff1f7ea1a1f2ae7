/** The latest blocks of a chain, and those that a reorg replaced while the page is open. Pure. */

/** The fields of a block that the list needs. */
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
  /** Reorgs since it was reverted. */
  readonly reorgs: number
}

/** Newest first; of blocks with the same number, the canonical one first. */
export type LatestBlocks<B> = ReadonlyArray<Entry<B>>

/** Maximum number of reverted blocks kept: those of the latest reorgs. */
const maxReverted = 8

const numberOf = ({ block }: Pick<Entry<BlockLike>, "block">): bigint => block.number ?? -1n

const byPlace = (one: Entry<BlockLike>, other: Entry<BlockLike>): number => {
  const [a, b] = [numberOf(one), numberOf(other)]
  if (a !== b) return a > b ? -1 : 1
  return Number(one.isReverted) - Number(other.isReverted)
}

/** Whether a canonical block with this hash is on screen. */
export const has = (state: LatestBlocks<BlockLike>, hash: string): boolean =>
  state.some(({ block, isReverted }) => !isReverted && block.hash === hash)

/**
 * Adds the head of the chain and its ancestors, newest first, each the parent of the previous one: down to a block that is on screen, or
 * as many as fit.
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
  // Blocks at or above the lowest block of the branch that are not part of it were replaced, and so were those above the head.
  const isReplaced = (entry: Entry<B>): boolean => !entry.isReverted && numberOf(entry) >= (lowest.number ?? 0n)
  const replaced = old.filter(isReplaced).map(({ block }) => ({ block, isReverted: true, reorgs: 0 }))
  const blocks = [
    ...branch.map((block) => ({ block, isReverted: false, reorgs: 0 })),
    ...old.filter((entry) => !entry.isReverted && !isReplaced(entry)),
  ].slice(0, maxBlocks)
  const last = blocks.at(-1)
  const isReorg = replaced.length > 0
  const before = old
    .filter(({ isReverted }) => isReverted)
    .map((entry) => (isReorg ? { ...entry, reorgs: entry.reorgs + 1 } : entry))
  const reverted = [...replaced, ...before]
    .filter((entry) => last !== undefined && numberOf(entry) >= numberOf(last))
    .toSorted((a, b) => a.reorgs - b.reorgs)
    .slice(0, maxReverted)
  return [...blocks, ...reverted].toSorted(byPlace)
}
