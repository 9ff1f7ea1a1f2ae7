/**
 * Waits requested by servers, shared by all calls of a client: after a `Retry-After`, every call to that endpoint with that key waits. One
 * instance per client, in memory, without background work.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import type { Attempt } from "../Attempt.ts"
import { RateLimited } from "../ClientError.ts"
import type { Endpoint } from "../Endpoint.ts"
import { identity } from "./EndpointUrl.ts"
import { maxWait } from "./RetryAfter.ts"

/** The waits in force, by endpoint and key. */
export interface RequestedWaits {
  /** Adds a wait, starting now, of at most one day. It may extend a wait in force and never shortens it. */
  readonly ask: (endpoint: Endpoint, duration: Duration.Duration) => Effect.Effect<void>
  /** Remaining wait; zero when there is none. */
  readonly remaining: (endpoint: Endpoint) => Effect.Effect<Duration.Duration>
  /**
   * Waits until no wait is in force.
   *
   * **Errors**
   *
   * - `RateLimited`: the wait would end after `within`. It fails at once, with the remaining wait as `retryAfter`.
   */
  readonly wait: (
    endpoint: Endpoint,
    within: Duration.Duration,
    attempts?: ReadonlyArray<Attempt>,
  ) => Effect.Effect<void, RateLimited>
}

/**
 * Makes an empty set of waits.
 *
 * **Details**
 *
 * - `spread`: each waiting call adds a random part of it, so that they do not all resume at the same instant. Default none.
 */
export const make = (spread: Duration.Duration = Duration.zero): RequestedWaits => {
  const spreadMillis = Duration.toMillis(spread)
  const endNanos = new Map<string, bigint>()
  const keys = new WeakMap<Endpoint, string>()
  const keyOf = (endpoint: Endpoint): string => {
    const known = keys.get(endpoint)
    if (known !== undefined) return known
    const key = Redacted.value(identity(endpoint))
    keys.set(endpoint, key)
    return key
  }

  const ask: RequestedWaits["ask"] = (endpoint, duration) =>
    Effect.map(Clock.monotonicTimeNanos, (now) => {
      const key = keyOf(endpoint)
      const end = now + Duration.toNanosUnsafe(Duration.min(duration, maxWait))
      if (end > (endNanos.get(key) ?? now)) endNanos.set(key, end)
    })

  const remaining: RequestedWaits["remaining"] = (endpoint) =>
    endNanos.size === 0
      ? Effect.succeed(Duration.zero)
      : Effect.map(Clock.monotonicTimeNanos, (now) => {
          const key = keyOf(endpoint)
          const end = endNanos.get(key) ?? now
          if (end > now) return Duration.nanos(end - now)
          endNanos.delete(key)
          return Duration.zero
        })

  const waitForEnd = Effect.fnUntraced(function* (
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
        const detail = "an earlier response requested a wait beyond the deadline of this call"
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
      Effect.suspend(() => (endNanos.size === 0 ? Effect.void : waitForEnd(endpoint, within, attempts))),
  }
}
