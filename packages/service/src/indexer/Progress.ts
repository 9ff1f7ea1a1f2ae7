/**
 * Progress of an indexer towards the head of its node: what was stored since it fell behind, how quickly, and when it will be there.
 * Pauses are part of none of these. Immutable; instants are in milliseconds of a monotonic clock.
 */
import type { Speed, Totals } from "./IndexerEvent.ts"
import * as Throughput from "./Throughput.ts"

/**
 * Progress since the index fell behind the head.
 */
export interface Progress extends Totals {
  readonly startedAtMillis: number
  /** The head was reached: the next blocks begin new totals. */
  readonly isEnded: boolean
  readonly throughput: Throughput.Throughput
}

/**
 * Begins progress at an instant.
 */
export const start = (atMillis: number): Progress => ({
  startedAtMillis: atMillis,
  elapsedMillis: 0,
  blocks: 0,
  transactions: 0,
  isEnded: false,
  throughput: Throughput.make(atMillis),
})

/**
 * Goes on after a pause that ended at an instant.
 */
export const resume = (progress: Progress, atMillis: number): Progress =>
  progress.isEnded
    ? start(atMillis)
    : {
        ...progress,
        startedAtMillis: atMillis - progress.elapsedMillis,
        throughput: Throughput.make(atMillis),
      }

/**
 * Goes on at the head, where blocks are stored as they come: new totals from an instant on, and the throughput of before.
 */
export const follow = (progress: Progress, atMillis: number): Progress =>
  progress.isEnded ? { ...start(atMillis), throughput: progress.throughput } : progress

/**
 * Adds blocks that were stored at an instant.
 */
export const add = (
  progress: Progress,
  atMillis: number,
  { blocks, transactions }: Pick<Totals, "blocks" | "transactions">,
): Progress => ({
  ...progress,
  elapsedMillis: atMillis - progress.startedAtMillis,
  blocks: progress.blocks + blocks,
  transactions: progress.transactions + transactions,
  throughput: Throughput.add(progress.throughput, atMillis, blocks),
})

/**
 * The head was reached.
 */
export const end = (progress: Progress): Progress => ({ ...progress, isEnded: true })

/**
 * The totals alone.
 */
export const totals = ({ blocks, elapsedMillis, transactions }: Progress): Totals => ({
  blocks,
  transactions,
  elapsedMillis,
})

/**
 * Throughput at an instant, and the time that so many blocks take while the head moves on by `headPerSecond`.
 */
export const speed = (progress: Progress, atMillis: number, blocksLeft: number, headPerSecond: number): Speed => {
  const blocksPerSecond = Throughput.perSecond(progress.throughput, atMillis)
  return { blocksPerSecond, etaMillis: Throughput.etaMillis(blocksPerSecond - headPerSecond, blocksLeft) }
}
