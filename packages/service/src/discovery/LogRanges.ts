/**
 * Which ranges of blocks are searched for logs next: as long as the node accepts, which is detected from what it refuses. Pure.
 *
 * Source: decision 0047.
 */

/**
 * Blocks from `from` to `to`, both included.
 */
export interface BlockRange {
  readonly from: number
  readonly to: number
}

/**
 * The blocks that are left, and the length that the node accepts.
 */
export interface LogRanges {
  /** Ascending, without overlap. */
  readonly left: ReadonlyArray<BlockRange>
  /** Blocks of one call. */
  readonly length: number
  /** Shortest range that the node has refused; `null` for none. */
  readonly detectedLimit: number | null
}

/** What a range gave: the blocks that hold logs, or that it was too large for the node. */
export type RangeResult = ReadonlyArray<number> | "too_large"

const firstLength = 20_000
const maxLength = 2_000_000

/** Blocks of a range. */
export const lengthOf = ({ from, to }: BlockRange): number => to - from + 1

/**
 * The search of a range that may be empty.
 */
export const make = (range: BlockRange): LogRanges => ({
  left: range.from > range.to ? [] : [range],
  length: firstLength,
  detectedLimit: null,
})

/** Splits the first blocks of the ranges into at most `count` calls. */
const cut = ({ left, length }: LogRanges, count: number) => {
  const calls: Array<BlockRange> = []
  const rest = [...left]
  while (calls.length < count && rest.length > 0) {
    const range = rest.shift()!
    const to = Math.min(range.to, range.from + length - 1)
    calls.push({ from: range.from, to })
    if (to < range.to) rest.unshift({ from: to + 1, to: range.to })
  }
  return { calls, rest }
}

/**
 * The ranges of the next calls.
 */
export const next = (ranges: LogRanges, count: number): ReadonlyArray<BlockRange> => cut(ranges, count).calls

/**
 * The search after the results of the ranges of `next`. A single block that is too large counts as one that holds logs.
 */
export const step = (
  ranges: LogRanges,
  results: ReadonlyArray<RangeResult>,
): { readonly ranges: LogRanges; readonly blocks: ReadonlyArray<number> } => {
  const { calls, rest } = cut(ranges, results.length)
  const again: Array<BlockRange> = []
  const blocks: Array<number> = []
  let shortest = ranges.detectedLimit ?? Number.POSITIVE_INFINITY
  for (const [at, result] of results.entries()) {
    const range = calls[at]!
    if (result !== "too_large") blocks.push(...result)
    else if (range.from === range.to) blocks.push(range.from)
    else {
      again.push(range)
      shortest = Math.min(shortest, lengthOf(range))
    }
  }
  const detectedLimit = Number.isFinite(shortest) ? shortest : null
  const longest = Math.max(1, Math.min(maxLength, shortest - 1))
  const length = again.length > 0 ? Math.max(1, Math.floor(shortest / 2)) : Math.min(ranges.length * 2, longest)
  return { ranges: { left: [...again, ...rest], length, detectedLimit }, blocks }
}

/**
 * Blocks that are not searched yet.
 */
export const blocksLeft = ({ left }: LogRanges): number => left.reduce((sum, range) => sum + lengthOf(range), 0)
