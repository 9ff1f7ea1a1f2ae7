/**
 * The changes of blocks since a position that a reader received: which blocks it must drop, and which it lacks. Pure.
 */
import type { BlockRef } from "../../block/BlockRows.ts"
import type { ChainChange, ChainChanges, ChainPosition } from "../ChainReader.ts"

/**
 * The lowest block that is not the one that a reader knows; `null` when it knows none that was removed. `stored` is the block under the
 * number of its head, `reorged` the lowest block that was removed since, as far as it is remembered.
 */
export const lowestRemoved = (
  head: BlockRef,
  stored: BlockRef | null,
  reorged: number | null,
  finalized: number | null,
): number | null => (stored?.hash === head.hash ? null : (reorged ?? Math.min(head.number, (finalized ?? -1) + 1)))

/** What a reader keeps, and the first block that it lacks. */
export interface FeedStart {
  /** The reader keeps no block. */
  readonly isEmptied: boolean
  readonly from: number
}

/** Where the blocks begin that a reader lacks. */
export const startAfter = (after: ChainPosition | null, lowest: number | null): FeedStart => {
  const { first = null, head = null } = after ?? {}
  const isEmptied = first === null || (lowest !== null && lowest <= first)
  // Sound: a reader that keeps a block has a head.
  return { isEmptied, from: isEmptied ? 0 : (lowest ?? head!.number + 1) }
}

/** The changes. `blocks` begin at `from`; `kept` is the newest block that the reader keeps. */
export const changes = (
  serial: number,
  after: ChainPosition | null,
  lowest: number | null,
  { isEmptied }: FeedStart,
  blocks: ReadonlyArray<BlockRef>,
  kept: BlockRef | null,
): ChainChanges => {
  const unwound: ReadonlyArray<ChainChange> = lowest === null ? [] : [{ _tag: "Unwound", lowest }]
  const appended: ReadonlyArray<ChainChange> = blocks.length === 0 ? [] : [{ _tag: "Appended", blocks }]
  const first = isEmptied ? (blocks[0]?.number ?? null) : (after?.first ?? null)
  return {
    changes: [...unwound, ...appended],
    position: { serial, first, head: blocks.at(-1) ?? (isEmptied ? null : kept) },
  }
}
