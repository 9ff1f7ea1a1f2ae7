/**
 * Errors of the store: one for a failed database, and two for writes superseded by another indexer.
 */
import * as Data from "effect/Data"
import type { BlockRef } from "../block/BlockRows.ts"

/** The database failed: locked, full, damaged, or newer than this program. */
export class StoreError extends Data.TaggedError("StoreError")<{
  readonly message: string
  /** True if the same call may succeed later. */
  readonly isRetryable: boolean
  /** The block whose stored rows are damaged; absent for other failures. */
  readonly damagedBlock?: number
  /** The file has an older schema, and a process is migrating it, or none is yet; absent for other failures. */
  readonly migration?: "running" | "pending" | undefined
  /** The nodes of the database were not in the same state: another snapshot may be readable. */
  readonly isUnproved?: true
  /** The cursor of a caller is ahead of the state: the database did not fail. */
  readonly isBehind?: true
  readonly cause: unknown
}> {}

/** The configured database cannot be opened. `received` describes the URL without showing it, because it may contain a password. */
export const invalidUrl = (expected: string, received: string): StoreError =>
  new StoreError({
    message: `Invalid configuration "database": expected ${expected}, received ${received}.`,
    isRetryable: false,
    cause: undefined,
  })

/** The state that was read is older than one that the caller has seen: it belongs to a copy, or to a standby that replaced its primary. */
export const behind = (chain: string): StoreError =>
  new StoreError({
    message: `Index behind: ${chain}. It has not reached the blocks of the cursor. Try again.`,
    isRetryable: true,
    isBehind: true,
    cause: undefined,
  })

/** The checkpoint is not the expected one, because another indexer wrote to the chain. Nothing was changed. */
export class CheckpointConflict extends Data.TaggedError("CheckpointConflict")<{
  readonly expected: BlockRef | null
  readonly found: BlockRef | null
}> {
  override get message() {
    const text = (ref: BlockRef | null) => (ref === null ? "an empty index" : `block ${ref.number} (${ref.hash})`)
    return `Checkpoint conflict: expected ${text(this.expected)}, found ${text(this.found)}. Another indexer wrote to the chain; nothing was changed.`
  }
}

/** The fencing token is not the current one, because another indexer holds the lease. Nothing was changed. */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{
  /** The chain's name. */
  readonly chain: string
}> {
  override get message() {
    return `Lease lost: ${this.chain}. Another indexer took over the chain; nothing was changed.`
  }
}
