/**
 * Events of an indexer: the steps that the program around it may show. Each is one snapshot of the indexer's state.
 */
import type { BlockRef } from "../block/BlockRows.ts"

/**
 * Blocks stored since the index fell behind the head of the node, or since the last block that brought it there.
 */
export interface Totals {
  readonly blocks: number
  readonly transactions: number
  /** Time up to the last of these blocks, without the pauses between them, in milliseconds. */
  readonly elapsedMillis: number
}

/**
 * Recent throughput.
 */
export interface Speed {
  readonly blocksPerSecond: number
  /** Time until the head of the node is reached, in milliseconds; `null` while unknown, or while the head moves faster. */
  readonly etaMillis: number | null
}

/**
 * A step of an indexer that the program around it may show.
 */
export type IndexerEvent =
  /** Blocks were stored. `first` is the first indexed block, `head` the last one, `nodeHead` the head of the node as last seen. */
  | ({ readonly _tag: "Indexed"; readonly first: number; readonly head: number; readonly nodeHead: number } & Totals &
      Speed)
  /** Blocks were stored below the first one, which is now `first`; those down to `to` are left. */
  | ({ readonly _tag: "Prepended"; readonly first: number; readonly to: number } & Totals & Speed)
  /** The index reached the head of the node. */
  | ({ readonly _tag: "Synced"; readonly head: number } & Totals)
  /** The blocks above `to`, up to `from`, were removed; `to` is `null` when all were. */
  | { readonly _tag: "Reorged"; readonly from: BlockRef; readonly to: BlockRef | null }
  /** The indexer cannot go on at present. */
  | { readonly _tag: "Waiting"; readonly message: string }
  /** The indexer cannot go on until an operator changes something. */
  | { readonly _tag: "Misconfigured"; readonly message: string }
