/**
 * Fetches a range of consecutive blocks and assembles their rows, in as many requests as the nodes' batch sizes require.
 */
import * as Effect from "effect/Effect"
import type { Node } from "../../node/Node.ts"
import type { BlockRows } from "../../block/BlockRows.ts"
import * as BlockFetcher from "../../fetch/BlockFetcher.ts"

/**
 * Numbers of consecutive blocks, both inclusive.
 */
export interface BlockRange {
  readonly from: number
  readonly to: number
}

/**
 * Rows of a range, with the number of blocks that the nodes currently accept at once.
 */
export interface Fetched extends BlockFetcher.FetchedRange {
  readonly size: number
}

/**
 * Rows of the blocks of a range, up to the first one that cannot be fetched.
 */
export const run = Effect.fnUntraced(function* (
  node: Node,
  { from, to }: BlockRange,
  options: BlockFetcher.Options,
): Effect.fn.Return<Fetched> {
  const rows: Array<BlockRows> = []
  let size = 1
  for (let at = from; at <= to; at = from + rows.length) {
    const fetcher = yield* node.batchFetcher(at)
    const numbers = Array.from({ length: Math.min(fetcher.size, to - at + 1) }, (_, index) => at + index)
    const fetched = yield* BlockFetcher.range(node, fetcher, numbers, options)
    rows.push(...fetched.rows)
    ;({ size } = fetcher)
    if (fetched.failure !== null) return { rows, failure: fetched.failure, size }
  }
  return { rows, failure: null, size }
})
