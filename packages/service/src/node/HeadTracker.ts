/**
 * Decides when the preferred node may have fallen behind: its head is lower than one seen before, or has not moved for several polls.
 * Pure.
 */
import type { Header } from "./NodeEndpoint.ts"

/**
 * What polls of the head have shown.
 */
export interface HeadTracker {
  /** The head that was used last; `null` before the first poll. */
  readonly newest: Header | null
  /** Polls since the head last moved up. */
  readonly unchangedPolls: number
}

/** Number of polls without a new block after which the other nodes are polled too. */
export const maxUnchangedPolls = 5

/** Depth below the head at which blocks are fetched from all nodes. Closer to the head one node is used, for consistency. */
const settledBlocks = 64

/**
 * Initial state, with nothing known.
 */
export const initial: HeadTracker = { newest: null, unchangedPolls: 0 }

/**
 * True if the other nodes should be polled too, given the preferred node's head.
 */
export const isBehind = ({ newest, unchangedPolls }: HeadTracker, head: Header): boolean =>
  newest !== null &&
  (head.number < newest.number || (head.number === newest.number && unchangedPolls + 1 >= maxUnchangedPolls))

/**
 * Records the head in use: the preferred node's, or after `isBehind` the highest of all nodes.
 */
export const polled = (tracker: HeadTracker, head: Header, wasBehind: boolean): HeadTracker => {
  const hasMoved = tracker.newest === null || head.number > tracker.newest.number
  return { newest: head, unchangedPolls: hasMoved || wasBehind ? 0 : tracker.unchangedPolls + 1 }
}

/**
 * True for a block so far below the head that any node may serve it.
 */
export const isSettled = ({ newest }: HeadTracker, number: number): boolean =>
  newest !== null && newest.number - number > settledBlocks
