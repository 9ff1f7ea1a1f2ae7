/**
 * Holds the lease of a chain while a command changes what an indexer would also change.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type { ChainRef } from "../store/ChainRef.ts"
import type { Database } from "../store/Database.ts"
import type { FencingToken } from "../store/Leases.ts"
import type { StoreError } from "../store/StoreError.ts"

/** An indexer holds the lease of the chain. */
export class IndexerRunning extends Data.TaggedError("IndexerRunning")<{ readonly chain: string }> {
  override get message() {
    return `Indexer running: ${this.chain}. Stop it, run the command again, then start it.`
  }
}

/** Duration for which the lease is taken or renewed, in milliseconds. */
export const leaseMillis = 30_000
/** Slightly longer than the lease of a killed indexer. */
export const defaultWaitMillis = 8_000
const pollMillis = 500

/** Takes the lease, waiting for an unrenewed one to expire. */
export const acquire = Effect.fnUntraced(function* (
  { leases }: Database,
  chain: ChainRef,
  owner: string,
  waitMillis: number,
): Effect.fn.Return<FencingToken, StoreError | IndexerRunning> {
  const until = (yield* MonotonicClock.millis) + waitMillis
  for (;;) {
    const token = yield* leases.acquire(chain, owner, leaseMillis)
    if (token !== null) return token
    if ((yield* MonotonicClock.millis) > until) return yield* new IndexerRunning({ chain: chain.name })
    yield* Effect.sleep(pollMillis)
  }
})
