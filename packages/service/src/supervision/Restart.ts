/**
 * Restarts what must always run, such as a worker thread or a process, at increasing intervals.
 */
import * as Effect from "effect/Effect"
import * as MonotonicClock from "./MonotonicClock.ts"
import * as Backoff from "@daybook/transport/internal/Backoff"

const backoff: Backoff.Backoff = { firstMillis: 500, maxMillis: 30_000 }

/** Run time after which an end has a new cause, so the interval is reset. */
const healthyMillis = 60_000

/**
 * Reruns `once` whenever it ends, and logs the reason that it returns.
 *
 * @param what - Subject of the log line: `The indexer`.
 */
export const forever = Effect.fnUntraced(function* <R>(
  what: string,
  once: Effect.Effect<string, never, R>,
): Effect.fn.Return<never, never, R> {
  for (let failures = 1; ; failures++) {
    const startedAt = yield* MonotonicClock.millis
    const reason = yield* once
    if ((yield* MonotonicClock.millis) - startedAt > healthyMillis) failures = 1
    const millis = Backoff.delayMillis(backoff, failures)
    yield* Effect.logError(`${what} ended: ${reason.replace(/[.\s]+$/, "")}. Restarting it in ${millis / 1000} s.`)
    yield* Effect.sleep(millis)
  }
})
