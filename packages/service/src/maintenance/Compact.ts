/**
 * Returns the free space of a chain's store to the disk, in steps and concurrently with an indexer.
 */
import * as Effect from "effect/Effect"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type { ChainRef } from "../store/ChainRef.ts"
import type { Database } from "../store/Database.ts"
import type { SpaceUse } from "../store/Space.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as StoredChain from "./StoredChain.ts"

/** How to compact. */
export interface Options {
  readonly chain: ChainRef
  /** Receives the remaining free bytes after each step. */
  readonly onProgress?: (freeBytes: number) => Effect.Effect<void>
}

/** Size of a store before and after. */
export interface Compacted {
  readonly before: SpaceUse
  readonly after: SpaceUse
}

const stepBytes = 4 * 1024 * 1024

/** Pauses after each step for as long as it took, so that writers of the chain wait for at most one step. */
const releaseAll = Effect.fnUntraced(function* (
  { chain }: Database,
  { chain: ref, onProgress = () => Effect.void }: Options,
): Effect.fn.Return<void, StoreError> {
  const { space } = chain(ref)
  for (let { freeBytes } = yield* space.use; freeBytes > 0;) {
    const startedAt = yield* MonotonicClock.millis
    yield* space.release(stepBytes)
    const left = (yield* space.use).freeBytes
    if (left >= freeBytes) return
    freeBytes = left
    yield* onProgress(freeBytes)
    yield* Effect.sleep((yield* MonotonicClock.millis) - startedAt)
  }
})

/**
 * Returns free space to the disk.
 *
 * **Errors**
 * - `StoreError`: there is no store, it cannot be written, or the disk is full. Nothing is lost.
 */
export const run = Effect.fn("Compact.run")(function* (
  database: Database,
  options: Options,
): Effect.fn.Return<Compacted, StoreError> {
  const store = database.chain(options.chain)
  yield* StoredChain.check(store)
  const { space } = store
  const before = yield* space.use
  yield* releaseAll(database, options)
  return { before, after: yield* space.use }
})
