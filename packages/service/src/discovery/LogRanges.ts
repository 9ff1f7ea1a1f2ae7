/**
 * Which ranges of blocks are searched for logs next: as long as the node accepts, which is detected from what it refuses. Some nodes bound the
 * blocks of a call, others what it gives, so that a few blocks with many logs must not shorten the calls behind them for long. Pure.
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
  /** Turns that the length stays as it is, since the node has refused a longer one. Default 0. */
  readonly steady?: number
}

/** What a range gave: the blocks that hold logs, or that it was too large for the node. */
export type RangeResult = ReadonlyArray<number> | "too_large"

const firstLength = 20_000
const maxLength = 2_000_000
/** Lengths that are tried, ascending: nodes are configured with such numbers. */
const lengths = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
  .flatMap((unit) => [unit, 2 * unit, 5 * unit])
  .filter((length) => length <= maxLength)
/** Turns after a refusal until a longer range is tried. */
const steadyTurns = 32

/** Blocks of a range. */
export const lengthOf = ({ from, to }: BlockRange): number => to - from + 1

/**
 * The search of a range that may be empty.
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
 * The ranges of the next calls.
 */
export const next = (ranges: LogRanges, count: number): ReadonlyArray<BlockRange> => cut(ranges, count).calls

/** The length after a turn, of which some ranges were refused. */
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
 * The search after the results of the ranges of `next`. A single block that is too large counts as one that holds logs.
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
 * Blocks that are not searched yet.
 */
export const blocksLeft = ({ left }: LogRanges): number => left.reduce((sum, range) => sum + lengthOf(range), 0)
