/**
 * Where the blocks of a backfill come from: ranges that are fetched at the same time and stored in order.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as BatchFetcher from "../../node/BatchFetcher.ts"
import type { Node } from "../../node/Node.ts"
import * as BlockFetcher from "../../fetch/BlockFetcher.ts"
import type { BlockRange } from "./RangeFetcher.ts"

/**
 * A range, and how to fetch it.
 */
export interface Planned extends BlockRange {
  readonly fetch: Effect.Effect<BlockFetcher.FetchedRange>
}

/**
 * Plans ranges one after the other.
 */
export interface RangeSource {
  /** Ranges that are fetched at the same time at most. */
  readonly concurrency: number
  /** A part of a range that is fetched at once: its lowest or its highest blocks. */
  readonly plan: (range: BlockRange, end: End) => Effect.Effect<Planned>
}

/**
 * The end of a range with which fetching begins.
 */
export type End = "lowest" | "highest"

/**
 * How the blocks of one turn are fetched.
 */
export interface Turn {
  readonly node: Node
  readonly assembling: BlockFetcher.Options
  /** Ranges that are fetched at the same time at most, from a node without latency. */
  readonly concurrency: number
}

/** Latency for which one more range is fetched at the same time. */
const millisPerRange = 25
/** Ranges that are in flight because of latency, as a multiple of those without it: each is held in memory. */
const maxFactor = 3

/**
 * Ranges to fetch at the same time: more of a distant node, so that it is not waited for.
 */
export const depthOf = ({ concurrency, node }: Turn): number =>
  Math.min(maxFactor * concurrency, concurrency + Math.floor(node.latencyMillis() / millisPerRange))

/**
 * So many blocks at an end of a range, or all of it.
 */
export const partOf = ({ from, to }: BlockRange, size: number, end: End): BlockRange =>
  end === "lowest" ? { from, to: Math.min(to, from + size - 1) } : { from: Math.max(from, to - size + 1), to }

const numbersOf = ({ from, to }: BlockRange): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

const planWith = (
  { assembling, node }: Turn,
  fetcher: BatchFetcher.BatchFetcher,
  range: BlockRange,
  end: End,
): Planned => {
  const part = partOf(range, fetcher.size, end)
  return { ...part, fetch: BlockFetcher.range(node, fetcher, numbersOf(part), assembling) }
}

/**
 * Fetches each block alone: at the head of the chain.
 */
export const single = (turn: Turn): RangeSource => ({
  concurrency: turn.concurrency,
  plan: (range, end) => Effect.succeed(planWith(turn, BatchFetcher.none, range, end)),
})

/**
 * Fetches in the thread that it is called in, over the connection of the indexer.
 */
export const local = (turn: Turn): RangeSource => {
  const assembling = { ...turn.assembling, assembly: Semaphore.makeUnsafe(1) }
  return {
    concurrency: depthOf(turn),
    plan: (range, end) =>
      Effect.map(turn.node.batchFetcher(end === "lowest" ? range.from : range.to), (fetcher) =>
        planWith({ ...turn, assembling }, fetcher, range, end),
      ),
  }
}
