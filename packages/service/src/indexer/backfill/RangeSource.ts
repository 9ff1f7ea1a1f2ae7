/**
 * Where the blocks of a backfill come from: ranges that are fetched at the same time and appended in order.
 */
import * as Effect from "effect/Effect"
import * as BatchFetcher from "../../node/BatchFetcher.ts"
import type { Node } from "../../node/Node.ts"
import * as BlockFetcher from "../BlockFetcher.ts"

/**
 * A range, and how to fetch it.
 */
export interface Planned {
  /** Number of its last block. */
  readonly to: number
  readonly fetch: Effect.Effect<BlockFetcher.FetchedRange>
}

/**
 * Plans ranges one after the other.
 */
export interface RangeSource {
  /** Ranges that are fetched at the same time at most. */
  readonly concurrency: number
  /** The next range, which begins with a block and ends at or before another one. */
  readonly plan: (from: number, to: number) => Effect.Effect<Planned>
}

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

const numbersOf = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

const planWith = (
  { assembling, node }: Turn,
  fetcher: BatchFetcher.BatchFetcher,
  from: number,
  last: number,
): Planned => {
  const to = Math.min(last, from + fetcher.size - 1)
  return { to, fetch: BlockFetcher.range(node, fetcher, numbersOf(from, to), assembling) }
}

/**
 * Fetches each block alone: at the head of the chain.
 */
export const single = (turn: Turn): RangeSource => ({
  concurrency: turn.concurrency,
  plan: (from, to) => Effect.succeed(planWith(turn, BatchFetcher.none, from, to)),
})

/**
 * Fetches in the thread that it is called in, over the connection of the indexer.
 */
export const local = (turn: Turn): RangeSource => ({
  concurrency: depthOf(turn),
  plan: (from, to) => Effect.map(turn.node.batchFetcher(from), (fetcher) => planWith(turn, fetcher, from, to)),
})
