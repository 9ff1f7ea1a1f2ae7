/**
 * Chooses the next ranges of blocks for a log search: as long as the node accepts, detected from its rejections. Some nodes limit the
 * blocks of a call, others the size of its result, so a few blocks with many logs must not shorten later calls for long. Pure.
 *
 * Source: decision 0047.
 */

/**
 * Blocks from `from` to `to`, both inclusive.
 */
export interface BlockRange {
  readonly from: number
  readonly to: number
}

/**
 * The remaining blocks, and the length that the node accepts.
 */
export interface LogRanges {
  /** Ascending, without overlap. */
  readonly left: ReadonlyArray<BlockRange>
  /** Number of blocks per call. */
  readonly length: number
  /** Number of turns for which the length is kept because the node rejected a longer one. Default 0. */
  readonly steady?: number
}

/** Result of a range: the blocks that contain logs, or that it was too large for the node. */
export type RangeResult = ReadonlyArray<number> | "too_large"

const firstLength = 20_000
const maxLength = 2_000_000
/** Lengths to try, ascending: limits that nodes are commonly configured with. */
const lengths = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
  .flatMap((unit) => [unit, 2 * unit, 5 * unit])
  .filter((length) => length <= maxLength)
/** Turns after a rejection before a longer range is tried. */
const steadyTurns = 32

/** Number of blocks in a range. */
export const lengthOf = ({ from, to }: BlockRange): number => to - from + 1

/**
 * Makes the search of a range, which may be empty.
 */
export const make = (range: BlockRange): LogRanges => ({
  left: range.from > range.to ? [] : [range],
  length: firstLength,
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
 * Returns the ranges of the next calls.
 */
export const next = (ranges: LogRanges, count: number): ReadonlyArray<BlockRange> => cut(ranges, count).calls

/** Length after a turn in which some ranges were rejected. */
const lengthAfter = (
  { length, steady = 0 }: LogRanges,
  refused: ReadonlyArray<BlockRange>,
): Pick<LogRanges, "length" | "steady"> => {
  if (refused.length > 0) {
    const shortest = Math.min(...refused.map(lengthOf))
    return { length: lengths.findLast((one) => one < shortest) ?? 1, steady: steadyTurns }
  }
  if (steady > 0) return { length, steady: steady - 1 }
  return { length: lengths.find((one) => one > length) ?? length, steady }
}

/**
 * Applies the results of the ranges of `next`. A single block that is too large counts as containing logs.
 */
export const step = (
  ranges: LogRanges,
  results: ReadonlyArray<RangeResult>,
): { readonly ranges: LogRanges; readonly blocks: ReadonlyArray<number> } => {
  const { calls, rest } = cut(ranges, results.length)
  const again: Array<BlockRange> = []
  const blocks: Array<number> = []
  for (const [at, result] of results.entries()) {
    const range = calls[at]!
    if (result !== "too_large") blocks.push(...result)
    else if (range.from === range.to) blocks.push(range.from)
    else again.push(range)
  }
  return { ranges: { left: [...again, ...rest], ...lengthAfter(ranges, again) }, blocks }
}

/**
 * Number of blocks not searched yet.
 */
export const blocksLeft = ({ left }: LogRanges): number => left.reduce((sum, range) => sum + lengthOf(range), 0)
