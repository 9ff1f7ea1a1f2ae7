/**
 * The last seen head of the node, when it was seen, and how fast it moves. Immutable; instants are in milliseconds of a monotonic clock.
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

/** Interval between polls beyond which the growth is measured anew, because the head may have changed its pace. */
const maxGapMillis = 30_000

/**
 * Records a poll at an instant; `before` is `null` for the first.
 */
export const seen = (before: NodeHead | null, number: number, atMillis: number): NodeHead => {
  const isNew = before === null || atMillis - before.seenAtMillis > maxGapMillis
  const growth = isNew ? Throughput.make(atMillis) : before.growth
  const added = before === null || isNew ? 0 : Math.max(0, number - before.number)
  return { number, seenAtMillis: atMillis, growth: added === 0 ? growth : Throughput.add(growth, atMillis, added) }
}

/**
 * Recent growth of the head, in blocks per second.
 */
export const perSecond = (head: NodeHead | null, atMillis: number): number =>
  head === null ? 0 : Throughput.perSecond(head.growth, atMillis)

/**
 * Time since the last poll, in milliseconds.
 */
export const ageMillis = ({ seenAtMillis }: NodeHead, atMillis: number): number => atMillis - seenAtMillis
