/**
 * Events of an indexer, for display by the embedding program. Each is a snapshot of the indexer's state.
 */
import type { BlockRef } from "../block/BlockRows.ts"

/**
 * Blocks stored since the index fell behind the head of the node, or since the last block that reached it.
 */
export interface Totals {
  readonly blocks: number
  readonly transactions: number
  /** Time up to the last of these blocks, excluding pauses, in milliseconds. */
  readonly elapsedMillis: number
}

/**
 * Recent throughput.
 */
export interface Speed {
  readonly blocksPerSecond: number
  /** Time until the head of the node is reached, in milliseconds; `null` if unknown, or while the head moves faster. */
  readonly etaMillis: number | null
}

/**
 * An event of an indexer, for display by the embedding program.
 */
export type IndexerEvent =
  /** Blocks were stored. `first` and `head` are the first and last indexed blocks, `nodeHead` is the last seen head of the node. */
  | ({ readonly _tag: "Indexed"; readonly first: number; readonly head: number; readonly nodeHead: number } & Totals &
      Speed)
  /** Blocks were stored below the first one, which is now `first`; blocks down to `to` remain. */
  | ({ readonly _tag: "Prepended"; readonly first: number; readonly to: number } & Totals & Speed)
  /** The index reached the head of the node. */
  | ({ readonly _tag: "Synced"; readonly head: number } & Totals)
  /** Blocks above `to`, up to `from`, were removed; `to` is `null` if all were. */
  | { readonly _tag: "Reorged"; readonly from: BlockRef; readonly to: BlockRef | null }
  /** The indexer cannot continue at present. */
  | { readonly _tag: "Waiting"; readonly message: string }
  /** The indexer cannot continue until an operator changes something. */
  | { readonly _tag: "Misconfigured"; readonly message: string }
