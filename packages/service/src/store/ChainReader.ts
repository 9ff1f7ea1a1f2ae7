/**
 * Reads the index of one chain. A snapshot sees one committed state of it, whatever the indexer writes meanwhile.
 */
import type * as Effect from "effect/Effect"
import type { BlockRef, Checkpoint } from "./BlockRows.ts"
import type { StoreError } from "./StoreError.ts"

/** A stored transaction as a page returns it. */
export interface PageRow {
  readonly block: number
  readonly index: number
  readonly body: string
  /** `null` where traces were off, or were not requested. */
  readonly internal: string | null
  readonly decoderRevision: number
}

/** Position in a wallet's history: after this transaction, in the direction of the walk. */
export interface Position {
  readonly block: number
  readonly index: number
}

/** A part of a wallet's history. */
export interface PageQuery {
  readonly address: string
  /** First block, inclusive. */
  readonly from: number
  /** Last block, inclusive. */
  readonly to: number
  readonly order: "ASC" | "DESC"
  readonly after: Position | null
  /** Maximum number of rows. */
  readonly limit: number
  /** False: internal transactions are not read, and `null` in each row. Default true. */
  readonly internal?: boolean
}

/** Reads of one committed state of a chain. */
export interface Snapshot {
  /** `null` while the index is empty. */
  readonly checkpoint: Effect.Effect<Checkpoint | null, StoreError>
  /** The stored block of a number; `null` outside the index. */
  readonly block: (number: number) => Effect.Effect<(BlockRef & { readonly timestamp: number }) | null, StoreError>
  /** Number of the first block at or after an instant in seconds; `null` when all are before it. */
  readonly firstAtOrAfter: (timestamp: number) => Effect.Effect<number | null, StoreError>
  /** Number of the last block at or before an instant in seconds; `null` when all are after it. */
  readonly lastAtOrBefore: (timestamp: number) => Effect.Effect<number | null, StoreError>
  /** Rows of a wallet in the requested order, by (block, index). */
  readonly page: (query: PageQuery) => Effect.Effect<ReadonlyArray<PageRow>, StoreError>
  /**
   * Lowest block that was removed since the given block was: every row from it on may have changed.
   * `null` when no remembered unwind removed the block.
   */
  readonly lowestReorgedBlock: (ref: BlockRef) => Effect.Effect<number | null, StoreError>
}

/** Reads the index of one chain. */
export interface ChainReader {
  /** Runs reads in one read transaction. */
  readonly snapshot: <A, E, R>(
    read: (snapshot: Snapshot) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E | StoreError, R>
  /** Stored blocks from `from` to `to`, inclusive, lowest first; for finding a common ancestor. */
  readonly headers: (from: number, to: number) => Effect.Effect<ReadonlyArray<BlockRef>, StoreError>
  /** Rows whose decoder revision is not `revision`, oldest first, for decoding them again. */
  readonly staleRows: (
    revision: number,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<PageRow & { readonly blockHash: string }>, StoreError>
}
