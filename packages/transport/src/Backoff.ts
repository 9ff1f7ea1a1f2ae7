/**
 * Remembers that a server asked for a pause, so that every call to that endpoint with that key waits, not only the one that was told.
 * One for each client, in memory; it runs nothing in the background.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import type { Attempt } from "./Attempt.ts"
import { RateLimited } from "./ClientError.ts"
import { type Endpoint, identity } from "./Endpoint.ts"
import { longest } from "./RetryAfter.ts"

/**
 * The pauses in force, by endpoint and key.
 */
export interface Backoff {
  /** Notes that the server asked for a pause from now on, of a day at most. It may lengthen one in force, never shorten it. */
  readonly ask: (endpoint: Endpoint, duration: Duration.Duration) => Effect.Effect<void>
  /** What is left of the pause; zero when there is none. */
  readonly remaining: (endpoint: Endpoint) => Effect.Effect<Duration.Duration>
  /**
   * Waits until the pause is over.
   *
   * **Errors**
   * - `RateLimited`: the pause would end after `within`; nothing is awaited, and `retryAfter` is what is left of it.
   */
  readonly wait: (
    endpoint: Endpoint,
    within: Duration.Duration,
    attempts?: ReadonlyArray<Attempt>,
  ) => Effect.Effect<void, RateLimited>
}

/**
 * Makes an empty set of pauses.
 *
 * **Details**
 * - `spread`: each waiting call adds a random part of it, so that not all come back at the same instant. Default none.
 */
export const make = (options: { readonly spread?: Duration.Duration } = {}): Backoff => {
  const spreadMillis = options.spread === undefined ? 0 : Duration.toMillis(options.spread)
  const endNanos = new Map<string, bigint>()
  const keys = new WeakMap<Endpoint, string>()
  const keyOf = (endpoint: Endpoint): string => {
    const known = keys.get(endpoint)
    if (known !== undefined) return known
    const key = Redacted.value(identity(endpoint))
    keys.set(endpoint, key)
    return key
  }

  const ask: Backoff["ask"] = (endpoint, duration) =>
    Effect.map(Clock.monotonicTimeNanos, (now) => {
      const key = keyOf(endpoint)
      const end = now + Duration.toNanosUnsafe(Duration.min(duration, longest))
      if (end > (endNanos.get(key) ?? now)) endNanos.set(key, end)
    })

  const remaining: Backoff["remaining"] = (endpoint) =>
    endNanos.size === 0
      ? Effect.succeed(Duration.zero)
      : Effect.map(Clock.monotonicTimeNanos, (now) => {
          const key = keyOf(endpoint)
          const end = endNanos.get(key) ?? now
          if (end > now) return Duration.nanos(end - now)
          endNanos.delete(key)
          return Duration.zero
        })

  const waitOut = Effect.fnUntraced(function* (
    endpoint: Endpoint,
    within: Duration.Duration,
    attempts: ReadonlyArray<Attempt>,
  ): Effect.fn.Return<void, RateLimited> {
    let left = yield* remaining(endpoint)
    const allowed = Duration.toMillis(within)
    let waited = 0
    while (Duration.toMillis(left) > 0) {
      const millis = Duration.toMillis(left)
      if (waited + millis >= allowed) {
        const detail = "an earlier answer asked all calls to wait, beyond this call's deadline"
        return yield* new RateLimited({ host: endpoint.host, attempts, retryAfter: left, detail })
      }
      const sleepMillis = Math.min(millis + spreadMillis * (yield* Random.next), allowed - waited)
      yield* Effect.sleep(Duration.millis(sleepMillis))
      waited += sleepMillis
      left = yield* remaining(endpoint)
    }
  })

  return {
    ask,
    remaining: (endpoint) => Effect.suspend(() => remaining(endpoint)),
    wait: (endpoint, within, attempts = []) =>
      Effect.suspend(() => (endNanos.size === 0 ? Effect.void : waitOut(endpoint, within, attempts))),
  }
}
