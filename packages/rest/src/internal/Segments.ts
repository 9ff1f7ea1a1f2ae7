/**
 * Segments of the chain that a paginated query has yet to read, each with its memory, and how they change after a reorg. Pure.
 *
 * A query starts with one segment. When blocks from r on are replaced, a descending query that has read below r gets two segments: the
 * replacement of the blocks from r on, then the rest from where it was.
 */
import * as RowTracker from "./RowTracker.ts"

export interface Segment {
  /** Replaces the lower bound of the query. */
  readonly from: bigint | undefined
  /** Replaces the upper bound of the query. */
  readonly to: bigint | undefined
  /** Cursor of the next page; undefined for the first. */
  readonly cursor: string | undefined
  readonly memory: RowTracker.Memory
}

export interface Progress {
  readonly order: RowTracker.Order
  /** Segments yet to be read, the current one first. */
  readonly segments: ReadonlyArray<Segment>
  /** First block with an emitted row: the lowest for an ascending query, the highest for a descending one. */
  readonly outermost: bigint | undefined
  /** The query started at a cursor of another query, so rows before it may have been emitted. */
  readonly isInherited: boolean
}

/** Upper bound of the query, as far as it matters after a reorg. */
export interface Bounds {
  readonly toBlock: bigint | undefined
  readonly hasToDate: boolean
}

export const whole: Segment = { from: undefined, to: undefined, cursor: undefined, memory: RowTracker.emptyMemory }

export interface Restart {
  readonly segments: ReadonlyArray<Segment>
  /** Rows of this block and later ones are reverted. */
  readonly revertedFrom: bigint
}

/** From the start: always correct, and the only option if it is unknown which rows were emitted. */
const fromStart: Restart = { segments: [whole], revertedFrom: 0n }

const memoryBelow = (memory: RowTracker.Memory, from: bigint): RowTracker.Memory => ({
  furthest: memory.furthest !== undefined && memory.furthest.block >= from ? undefined : memory.furthest,
  floor: memory.floor !== undefined && memory.floor >= from ? undefined : memory.floor,
  tail: memory.tail.filter(({ block }) => block < from),
  lost: memory.lost === undefined ? undefined : RowTracker.lower(memory.lost, from - 1n),
  given: 0,
})

const ascending = ({ isInherited, outermost, segments }: Progress, from: bigint): Restart => {
  const segment = segments[0] ?? whole
  const { floor, furthest } = segment.memory
  if (outermost === undefined || from <= outermost) {
    return isInherited ? fromStart : { segments: [whole], revertedFrom: from }
  }
  const edge = furthest !== undefined && floor !== undefined ? floor + 1n : segment.from
  if (edge === undefined && isInherited) return fromStart
  const start = edge === undefined ? undefined : RowTracker.lower(edge, from)
  const memory = memoryBelow(segment.memory, from)
  return { segments: [{ from: start, to: undefined, cursor: undefined, memory }], revertedFrom: from }
}

/** The part of a segment below the replaced blocks. */
const below = (segment: Segment, from: bigint): Segment => {
  const { floor } = segment.memory
  const to = RowTracker.lower(floor === undefined ? segment.to : RowTracker.lower(segment.to, floor - 1n), from - 1n)
  return { from: segment.from, to, cursor: undefined, memory: memoryBelow(segment.memory, from) }
}

const descending = ({ isInherited, outermost, segments }: Progress, from: bigint, bounds: Bounds): Restart => {
  if (outermost === undefined && isInherited) return fromStart
  for (const [at, segment] of segments.entries()) {
    const { furthest } = segment.memory
    if (furthest !== undefined && furthest.block < from) {
      const rest = [below(segment, from), ...segments.slice(at + 1)]
      if (bounds.toBlock !== undefined && from > bounds.toBlock) return { segments: rest, revertedFrom: from }
      // A date may lie before the first replaced block, and servers reject such a range.
      if (bounds.hasToDate && (outermost === undefined || from > outermost)) return fromStart
      return { segments: [{ ...whole, from }, ...rest], revertedFrom: from }
    }
    if (segment.from === undefined || segment.from <= from) {
      return { segments: [{ ...whole, from: segment.from }, ...segments.slice(at + 1)], revertedFrom: from }
    }
  }
  return fromStart
}

/** What remains to be read after the blocks from `from` on were replaced. */
export const restart = (progress: Progress, from: bigint, bounds: Bounds): Restart =>
  progress.order === "ASC" ? ascending(progress, from) : descending(progress, from, bounds)
