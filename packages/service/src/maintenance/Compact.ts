/**
 * Gives the free space of a chain's store back to the disk, in steps beside an indexer.
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
  /** Receives the free bytes that are left after each step. */
  readonly onProgress?: (freeBytes: number) => Effect.Effect<void>
}

/** The space of a store before and after. */
export interface Compacted {
  readonly before: SpaceUse
  readonly after: SpaceUse
}

const stepBytes = 4 * 1024 * 1024

/** Steps with pauses as long as each took, so that writers of the chain wait for a step at most. */
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
 * Gives free space back.
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
