/**
 * What is left of a walk: parts of the chain, each with what is known of it, and what becomes of them after a reorganisation. Pure.
 *
 * A walk has one part. When blocks from r on are replaced, a descending walk that had come below r gets two: the replacement of
 * the blocks from r on, and after it the rest from where it was.
 */
import * as Walk from "./walk.ts"

export interface Part {
  /** In place of the query's lower bound. */
  readonly from: bigint | undefined
  /** In place of the query's upper bound. */
  readonly to: bigint | undefined
  /** The page to ask for; undefined for the first. */
  readonly cursor: string | undefined
  readonly memory: Walk.Memory
}

export interface Plan {
  readonly order: "ASC" | "DESC"
  /** Parts still to be walked, the current one first. */
  readonly parts: ReadonlyArray<Part>
  /** The first block that was given: the lowest of an ascending walk, the highest of a descending one. */
  readonly outermost: bigint | undefined
  /** The walk began at a cursor of another one, so rows before it may have been given. */
  readonly isInherited: boolean
}

/** The upper bound of the query, as far as it matters. */
export interface Bounds {
  readonly toBlock: bigint | undefined
  readonly hasToDate: boolean
}

export const whole: Part = { from: undefined, to: undefined, cursor: undefined, memory: Walk.nothing }

export interface Restart {
  readonly parts: ReadonlyArray<Part>
  /** Rows of this block and of later ones are void. */
  readonly voidFrom: bigint
}

/** From the beginning: always right, and all that can be done when it is not known what was given. */
const allAgain: Restart = { parts: [whole], voidFrom: 0n }

const lower = (one: bigint | undefined, other: bigint): bigint => (one === undefined || other < one ? other : one)

const without = (memory: Walk.Memory, from: bigint): Walk.Memory => ({
  furthest: memory.furthest !== undefined && memory.furthest.block >= from ? undefined : memory.furthest,
  floor: memory.floor !== undefined && memory.floor >= from ? undefined : memory.floor,
  tail: memory.tail.filter(({ block }) => block < from),
  given: 0,
})

const ascending = ({ isInherited, outermost, parts }: Plan, from: bigint): Restart => {
  const part = parts[0] ?? whole
  const { floor, furthest } = part.memory
  if (outermost === undefined || from <= outermost) return isInherited ? allAgain : { parts: [whole], voidFrom: from }
  const edge = furthest !== undefined && floor !== undefined ? floor + 1n : part.from
  if (edge === undefined && isInherited) return allAgain
  const start = edge === undefined ? undefined : lower(edge, from)
  return {
    parts: [{ from: start, to: undefined, cursor: undefined, memory: without(part.memory, from) }],
    voidFrom: from,
  }
}

/** The rest of a part below the blocks that are replaced. */
const below = (part: Part, from: bigint): Part => {
  const { floor } = part.memory
  const to = lower(floor === undefined ? part.to : lower(part.to, floor - 1n), from - 1n)
  return { from: part.from, to, cursor: undefined, memory: without(part.memory, from) }
}

const descending = ({ isInherited, outermost, parts }: Plan, from: bigint, bounds: Bounds): Restart => {
  if (outermost === undefined && isInherited) return allAgain
  for (const [at, part] of parts.entries()) {
    const { furthest } = part.memory
    if (furthest !== undefined && furthest.block < from) {
      const rest = [below(part, from), ...parts.slice(at + 1)]
      if (bounds.toBlock !== undefined && from > bounds.toBlock) return { parts: rest, voidFrom: from }
      // A date may lie before the first replaced block, and such a range is refused.
      if (bounds.hasToDate && (outermost === undefined || from > outermost)) return allAgain
      return { parts: [{ ...whole, from }, ...rest], voidFrom: from }
    }
    if (part.from === undefined || part.from <= from) {
      return { parts: [{ ...whole, from: part.from }, ...parts.slice(at + 1)], voidFrom: from }
    }
  }
  return allAgain
}

/** What is left to walk after blocks from `from` on were replaced. */
export const restart = (plan: Plan, from: bigint, bounds: Bounds): Restart =>
  plan.order === "ASC" ? ascending(plan, from) : descending(plan, from, bounds)
