/**
 * Source of the blocks of a backfill: ranges that are fetched concurrently and stored in order.
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
 * Plans ranges in sequence.
 */
export interface RangeSource {
  /** Maximum number of ranges fetched concurrently. */
  readonly concurrency: number
  /** Plans a part of a range to fetch at once: its lowest or its highest blocks. */
  readonly plan: (range: BlockRange, end: End) => Effect.Effect<Planned>
}

/**
 * The end of a range where fetching starts.
 */
export type End = "lowest" | "highest"

/**
 * How to fetch the blocks of one turn.
 */
export interface Turn {
  readonly node: Node
  readonly assembling: BlockFetcher.Options
  /** Maximum number of ranges fetched concurrently from a node without latency. */
  readonly concurrency: number
}

/** Latency that adds one concurrent range. */
const millisPerRange = 25
/** Maximum number of ranges in flight because of latency, as a multiple of those without it: each is held in memory. */
const maxFactor = 3

/**
 * Number of ranges to fetch concurrently: more for a distant node, so that it is not waited for.
 */
const depthOf = ({ concurrency, node }: Turn): number =>
  Math.min(maxFactor * concurrency, concurrency + Math.floor(node.latencyMillis() / millisPerRange))

/**
 * A number of blocks at one end of a range, or all of it.
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
 * Fetches each block on its own, at the head of the chain.
 */
export const single = (turn: Turn): RangeSource => ({
  concurrency: turn.concurrency,
  plan: (range, end) => Effect.succeed(planWith(turn, BatchFetcher.none, range, end)),
})

/**
 * Fetches in the calling thread, over the indexer's connection.
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
