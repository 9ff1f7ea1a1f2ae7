/**
 * Writes the index of one chain. Each write is one transaction that compares and sets the checkpoint and carries the fencing token of the
 * chain's lease, so an indexer that lost its lease changes nothing.
 */
import type * as Effect from "effect/Effect"
import type { Projection } from "../block/Projection.ts"
import type { BlockRef, BlockRows } from "../block/BlockRows.ts"
import type { FencingToken } from "./Leases.ts"
import type { CheckpointConflict, LeaseLost, StoreError } from "./StoreError.ts"

/** Why a write was rejected. */
export type WriteError = StoreError | LeaseLost

/** The result of a filling step. */
export interface Filled {
  /** Number of transactions whose rows were derived. */
  readonly transactions: number
  /** True if the projection is at the head. */
  readonly isDone: boolean
}

/** Writes the index of one chain. */
export interface ChainWriter {
  /**
   * Wallets for which the writer's blocks are made, as of its opening; `null` for all. A wallet added meanwhile is complete above the
   * blocks that this writer appends.
   */
  readonly watch: ReadonlySet<string> | null
  /** Whether wallets were added or removed since. */
  readonly isWatchChanged: Effect.Effect<boolean, StoreError>
  /**
   * Adds blocks above the head, in order, in one transaction with the checkpoint.
   *
   * **Errors**
   * - `LeaseLost`: `token` is not the current one. Nothing was changed.
   * - `CheckpointConflict`: the head is not `expected` (`null`: an empty index). Nothing was changed.
   * - A block that does not extend the previous one (number and `parentHash`) is a defect: callers check first.
   */
  readonly append: (
    expected: BlockRef | null,
    blocks: ReadonlyArray<BlockRows>,
    token: FencingToken,
  ) => Effect.Effect<void, WriteError | CheckpointConflict>
  /**
   * Adds blocks below the first one, lowest first, in one transaction with the checkpoint.
   *
   * **Errors**
   * - `LeaseLost`: `token` is not the current one. Nothing was changed.
   * - `CheckpointConflict`: the first block is not `expected`. Nothing was changed.
   * - Blocks that do not extend each other up to `expected` (number and `parentHash`) are a defect: callers check first.
   */
  readonly prepend: (
    expected: BlockRef,
    blocks: ReadonlyArray<BlockRows>,
    token: FencingToken,
  ) => Effect.Effect<void, WriteError | CheckpointConflict>
  /**
   * Removes every block above `to` (`null`: all), in one transaction with the checkpoint, and remembers their hashes. Lowers the
   * finalized mark to `to`.
   *
   * **Errors**
   * - `LeaseLost`: `token` is not the current one. Nothing was changed.
   * - `CheckpointConflict`: the head is not `expected`, or `to` is not a stored block. Nothing was changed.
   */
  readonly unwind: (
    expected: BlockRef,
    to: BlockRef | null,
    token: FencingToken,
  ) => Effect.Effect<void, WriteError | CheckpointConflict>
  /** Raises the finalized mark; a lower one than stored changes nothing. */
  readonly finalize: (number: number, token: FencingToken) => Effect.Effect<void, WriteError>
  /**
   * Derives the rows of a projection from the next stored blocks with up to `maxTransactions` transactions, and at least one block. A new
   * projection, or one with another revision, begins with the first block.
   */
  readonly fill: (
    projection: Projection,
    maxTransactions: number,
    token: FencingToken,
  ) => Effect.Effect<Filled, WriteError>
  /**
   * Replaces the rows of a block with those of a refetched block. Returns false, and changes nothing, if the stored block has another hash.
   */
  readonly replace: (rows: BlockRows, token: FencingToken) => Effect.Effect<boolean, WriteError>
}
