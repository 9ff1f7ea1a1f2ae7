/**
 * The head of the node as it was last seen, when that was, and how quickly it moves. Immutable; instants are in milliseconds of a
 * monotonic clock.
 */
import * as Throughput from "./Throughput.ts"

/**
 * A head that was polled.
 */
export interface NodeHead {
  readonly number: number
  /** Instant of the last poll. */
  readonly seenAtMillis: number
  readonly growth: Throughput.Throughput
}

/** Time between two polls after which the growth is measured anew: the head may have moved at another pace meanwhile. */
const maxGapMillis = 30_000

/**
 * Records a poll at an instant; `before` is `null` at the first one.
 */
export const seen = (before: NodeHead | null, number: number, atMillis: number): NodeHead => {
  const isNew = before === null || atMillis - before.seenAtMillis > maxGapMillis
  const growth = isNew ? Throughput.make(atMillis) : before.growth
  const added = before === null || isNew ? 0 : Math.max(0, number - before.number)
  return { number, seenAtMillis: atMillis, growth: added === 0 ? growth : Throughput.add(growth, atMillis, added) }
}

/**
 * Blocks per second by which the head has grown recently.
 */
export const perSecond = (head: NodeHead | null, atMillis: number): number =>
  head === null ? 0 : Throughput.perSecond(head.growth, atMillis)

/**
 * Time since the last poll, in milliseconds.
 */
export const ageMillis = ({ seenAtMillis }: NodeHead, atMillis: number): number => atMillis - seenAtMillis
