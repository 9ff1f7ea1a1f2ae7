/**
 * What the service keeps of one chain, and the only way to it: the indexer appends and unwinds blocks, everybody else reads
 * snapshots. An engine is one file beside this one and must pass the store's contract tests.
 *
 * Numbers of blocks are safe integers here; hashes and addresses are lower-case hex text.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** A block by number and hash. */
export interface BlockRef {
  readonly number: number
  readonly hash: string
}

/** A transaction as it is stored: its JSON text is made once, when its block is appended, and served as it is. */
export interface TransactionRow {
  /** Position in the block. */
  readonly index: number
  readonly hash: string
  /** JSON text of a `WalletTransaction` without labels and internal transactions; empty values as the interface writes them. */
  readonly body: string
  /** JSON text of an array of `InternalTransaction`; `null` where traces were off. */
  readonly internal: string | null
  /** Wallets that the transaction belongs to, each once: sender, recipient, created contract. */
  readonly addresses: ReadonlyArray<string>
}

/** A block with all that is stored of it. */
export interface BlockRows extends BlockRef {
  readonly parentHash: string
  /** Seconds since 1970. */
  readonly timestamp: number
  /** Revision of the decoder that made the bodies. */
  readonly decoderRevision: number
  readonly transactions: ReadonlyArray<TransactionRow>
}

/** How far the index reaches. Moves in the same database transaction as the rows. */
export interface Checkpoint {
  /** First indexed block. */
  readonly first: number
  /** Last indexed block. */
  readonly head: BlockRef
  /** Time of the last indexed block, in seconds since 1970. */
  readonly headTimestamp: number
  /** Last block that cannot be reorganised away; `null` while none is known. */
  readonly finalized: number | null
  /** The wallets that are indexed, lower case and sorted; left out when all are. */
  readonly watch?: ReadonlyArray<string>
}

/** What the indexer tells the other processes about itself. */
export interface IndexerStatus {
  /**
   * `waiting` for the node or the database, `backfill` below the head of the node, `synced` with it, `misconfigured` until an
   * operator changes something (a node of another chain, other watched wallets), or `stopped` in order.
   */
  readonly state: "waiting" | "backfill" | "synced" | "misconfigured" | "stopped"
  /** Where internal transactions come from; `off` when the node has no tracer, `null` while no node has answered. */
  readonly traces: "trace_block" | "debug_traceBlock" | "off" | null
  /** Head of the node; `null` while no node has answered. */
  readonly nodeHead: number | null
  /** A sentence for the operator; never a key or a URL. */
  readonly message: string
  /** When this was written, in milliseconds since 1970. */
  readonly updatedAtMillis: number
  /** Blocks stored per second of late; left out while none were. */
  readonly blocksPerSecond?: number
  /** Time until the node's head is reached at this speed, in milliseconds; left out while it is not known. */
  readonly etaMillis?: number
  /** Which checks the chain's rules leave out, for the operator; left out when none. */
  readonly unchecked?: string
}

/** A stored transaction as a page gives it. */
export interface PageRow {
  readonly block: number
  readonly index: number
  readonly body: string
  /** `null` where traces were off, or were not asked for. */
  readonly internal: string | null
  readonly decoderRevision: number
}

/** A place in a wallet's history: after (in the direction of the walk) this transaction. */
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
  /** Rows at most. */
  readonly limit: number
  /** False: internal transactions are not read, and null in each row. Default true. */
  readonly internal?: boolean
}

/** The database failed: locked, full, damaged, or newer than this program. */
export class StoreError extends Data.TaggedError("StoreError")<{
  readonly message: string
  /** True when the same call may succeed later. */
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}

/** The checkpoint was not where the caller believed: another indexer was here. Nothing was changed. */
export class CheckpointConflict extends Data.TaggedError("CheckpointConflict")<{
  readonly expected: BlockRef | null
  readonly found: BlockRef | null
}> {
  override get message() {
    const say = (ref: BlockRef | null) => (ref === null ? "an empty index" : `block ${ref.number} (${ref.hash})`)
    return `The index stands at ${say(this.found)}, not at ${say(this.expected)}: another indexer wrote. Nothing was changed.`
  }
}

/** Reads that all see one and the same state of the chain. */
export interface Snapshot {
  readonly checkpoint: Effect.Effect<Checkpoint | null, StoreError>
  /** The stored block of a number; `null` outside the index. */
  readonly block: (number: number) => Effect.Effect<(BlockRef & { readonly timestamp: number }) | null, StoreError>
  /** Number of the first block at or after an instant in seconds; `null` when all are before it. */
  readonly firstAtOrAfter: (timestamp: number) => Effect.Effect<number | null, StoreError>
  /** Number of the last block at or before an instant in seconds; `null` when all are after it. */
  readonly lastAtOrBefore: (timestamp: number) => Effect.Effect<number | null, StoreError>
  /** Rows of a wallet, in the order asked for, by (block, index). */
  readonly page: (query: PageQuery) => Effect.Effect<ReadonlyArray<PageRow>, StoreError>
  /**
   * The lowest block that was ever removed since the given block was: from here on up everything may have changed.
   * `null` when the block was never removed by an unwind that is remembered.
   */
  readonly lowestReorgedBlock: (ref: BlockRef) => Effect.Effect<number | null, StoreError>
}

/** The store of one chain. */
export interface StoreShape {
  /** Runs reads in one read transaction. */
  readonly snapshot: <A, E, R>(
    read: (snapshot: Snapshot) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E | StoreError, R>
  /**
   * Adds blocks above the head, in order, in one transaction with the checkpoint.
   *
   * **Errors**
   * - `CheckpointConflict`: the head is not `expected` (`null`: an empty index). Nothing was changed.
   * - A block that does not extend the one before it (number and `parentHash`) is a defect: callers check first.
   */
  readonly append: (
    expected: BlockRef | null,
    blocks: ReadonlyArray<BlockRows>,
  ) => Effect.Effect<void, StoreError | CheckpointConflict>
  /**
   * Removes every block above `to` (`null`: all), in one transaction with the checkpoint, and remembers their hashes. A block that
   * goes is no longer final.
   *
   * **Errors**
   * - `CheckpointConflict`: the head is not `expected`, or `to` is not a stored block. Nothing was changed.
   */
  readonly unwind: (expected: BlockRef, to: BlockRef | null) => Effect.Effect<void, StoreError | CheckpointConflict>
  /** Stored blocks from `from` to `to`, inclusive, lowest first; for finding a common ancestor. */
  readonly headers: (from: number, to: number) => Effect.Effect<ReadonlyArray<BlockRef>, StoreError>
  /** Moves the finalized mark up; a lower one than stored changes nothing. */
  readonly finalize: (number: number) => Effect.Effect<void, StoreError>
  /** Takes or renews the right to index, which only avoids double work; false while another owner's holds. */
  readonly lease: (owner: string, millis: number) => Effect.Effect<boolean, StoreError>
  readonly writeStatus: (status: IndexerStatus) => Effect.Effect<void, StoreError>
  readonly readStatus: Effect.Effect<IndexerStatus | null, StoreError>
  /** Rows whose decoder revision is not `revision`, oldest first, for decoding them again. */
  readonly staleRows: (
    revision: number,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<PageRow & { readonly blockHash: string }>, StoreError>
  /** Writes bodies that were decoded again; a row whose block is no longer `blockHash` is left alone. */
  readonly updateDecoded: (
    revision: number,
    rows: ReadonlyArray<{
      readonly block: number
      readonly index: number
      readonly blockHash: string
      readonly body: string
    }>,
  ) => Effect.Effect<void, StoreError>
}

/** The store of one chain, as a service. */
export class Store extends Context.Service<Store, StoreShape>()("@daybook/service/Store") {}
