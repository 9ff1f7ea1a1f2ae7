/**
 * Progress of an indexer towards the head of its node: what was stored since it fell behind, how fast, and when it will catch up. Pauses
 * are excluded. Immutable; instants are in milliseconds of a monotonic clock.
 */
import type { Speed, Totals } from "./IndexerEvent.ts"
import * as Throughput from "./Throughput.ts"

/**
 * Progress since the index fell behind the head.
 */
export interface Progress extends Totals {
  readonly startedAtMillis: number
  /** Whether the head was reached: the next blocks start new totals. */
  readonly isEnded: boolean
  readonly throughput: Throughput.Throughput
}

/**
 * Starts progress at an instant.
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
 * Continues after a pause that ended at an instant.
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
 * Continues at the head, where blocks are stored as they arrive: new totals from an instant on, with the previous throughput.
 */
export const follow = (progress: Progress, atMillis: number): Progress =>
  progress.isEnded ? { ...start(atMillis), throughput: progress.throughput } : progress

/**
 * Adds blocks stored at an instant.
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
 * Records that the head was reached.
 */
export const end = (progress: Progress): Progress => ({ ...progress, isEnded: true })

/**
 * The totals without the rest.
 */
export const totals = ({ blocks, elapsedMillis, transactions }: Progress): Totals => ({
  blocks,
  transactions,
  elapsedMillis,
})

/**
 * Throughput at an instant, and the time needed for a number of blocks while the head advances by `headPerSecond`.
 */
export const speed = (progress: Progress, atMillis: number, blocksLeft: number, headPerSecond: number): Speed => {
  const blocksPerSecond = Throughput.perSecond(progress.throughput, atMillis)
  return { blocksPerSecond, etaMillis: Throughput.etaMillis(blocksPerSecond - headPerSecond, blocksLeft) }
}
