/**
 * Searches for the blocks at which a value of an account, such as its balance, changes. A range whose ends are read is divided until each
 * part is explained by known changes or is a single block. Pure.
 *
 * Source: decision 0047.
 */

/**
 * The blocks above `after` up to `to`, with the value at both ends.
 */
export interface Part {
  readonly after: number
  readonly to: number
  /** Value at the end of block `after`. */
  readonly before: bigint
  /** Value at the end of block `to`. */
  readonly value: bigint
}

/**
 * Sum of the known changes in the blocks above `after` up to `to`.
 */
export type KnownChange = (after: number, to: number) => bigint

/**
 * No change is known.
 */
export const noChange: KnownChange = () => 0n

/**
 * Status of a part. `settled`: the known changes explain it. `divided`: the value in its middle is read next. `located`: it is a single
 * block that the known changes do not explain.
 */
export type Status = "settled" | "divided" | "located"

/**
 * Number of blocks of a part.
 */
export const widthOf = ({ after, to }: Part): number => to - after

/**
 * Status of a part. An explained part is still divided while it has more than `grain` blocks, for values whose changes may cancel out.
 */
export const statusOf = (part: Part, known: KnownChange, grain = Number.POSITIVE_INFINITY): Status => {
  const width = widthOf(part)
  if (part.value - part.before === known(part.after, part.to))
    return width <= grain || width <= 1 ? "settled" : "divided"
  return width <= 1 ? "located" : "divided"
}

/**
 * The block at which a part is divided.
 */
export const middleOf = ({ after, to }: Part): number => after + Math.floor((to - after) / 2)

/**
 * The two halves of a part, given the value in its middle.
 */
export const divide = (part: Part, value: bigint): readonly [Part, Part] => {
  const middle = middleOf(part)
  return [
    { ...part, to: middle, value },
    { ...part, after: middle, before: value },
  ]
}

/**
 * Known changes by block, as a function; a block may occur several times.
 */
export const fromChanges = (changes: Iterable<readonly [block: number, change: bigint]>): KnownChange => {
  const sorted = [...changes].toSorted(([one], [other]) => one - other)
  const blocks = sorted.map(([block]) => block)
  const sums = [0n]
  for (const [, change] of sorted) sums.push(sums.at(-1)! + change)
  /** Number of changes up to a block. */
  const countUpTo = (block: number): number => {
    let [low, high] = [0, blocks.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (blocks[middle]! <= block) low = middle + 1
      else high = middle
    }
    return low
  }
  return (after, to) => sums[countUpTo(to)]! - sums[countUpTo(after)]!
}
