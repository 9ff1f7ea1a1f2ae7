/** Checks, from the neighbouring blocks, whether a block found in a time index is the one that a time selects. Pure. */

interface Timed {
  readonly timestamp: number
}

/** Whether a block is the first at or after a time; `before` is the previous block, or `null` for the first of the index. */
export const isFirst = (block: Timed | null, before: Timed | null, timestamp: number): boolean =>
  block !== null &&
  block.timestamp >= timestamp &&
  (before === null || before.timestamp < timestamp || before.timestamp > block.timestamp)

/** Whether a block is the last at or before a time; `after` is the next block, or `null` for the head. */
export const isLast = (block: Timed | null, after: Timed | null, timestamp: number): boolean =>
  block !== null &&
  block.timestamp <= timestamp &&
  (after === null || after.timestamp > timestamp || after.timestamp < block.timestamp)
