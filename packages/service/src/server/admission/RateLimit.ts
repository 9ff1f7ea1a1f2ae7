/**
 * Limits how often an API key may call: a token bucket for each key, on Effect's `RateLimiterStore`. The store in memory limits
 * one process; a shared store limits all replicas together, and may fail.
 *
 * Source: decisions 0008 and 0032.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"

/** Number of calls that a key may make. */
export interface Limit {
  /** Average rate, in calls per second. */
  readonly perSecond: number
  /** Maximum number of calls at once. */
  readonly burst: number
}

/** Whether calls are allowed now. */
export interface Decision {
  readonly isAllowed: boolean
  /** The limit that was applied. */
  readonly limit: Limit
  /** `ratelimit-*` headers of the response, and `retry-after` if the calls are rejected. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Whole seconds until the calls are allowed; 0 if they are allowed now. */
  readonly retryAfterSeconds: number
}

/** The bucket store cannot be read. It is then unknown how often a caller may call, and the call is rejected. */
export class RateLimitUnavailable extends Data.TaggedError("RateLimitUnavailable")<{}> {
  override get message(): string {
    return "Rate limit cannot be read. Retry later."
  }
}

/** Limits calls by key. */
export class RateLimit extends Context.Service<
  RateLimit,
  {
    /**
     * Takes one token per call from a bucket with the usual limit or a given one; takes none if there are too few. More calls than the
     * burst are never allowed.
     *
     * **Errors**
     * - `RateLimitUnavailable`: the bucket store fails.
     */
    readonly take: (key: string, calls: number, limit?: Limit) => Effect.Effect<Decision, RateLimitUnavailable>
    readonly limit: Limit
  }
>()("@daybook/service/server/RateLimit") {}

/**
 * A clock that ignores changes of the system time: otherwise, after the clock is set back, a bucket would not refill until the clock has
 * caught up.
 */
export const monotonic = (clock: Clock.Clock): Clock.Clock => {
  const nanos = () => clock.monotonicTimeNanosUnsafe()
  const millis = MonotonicClock.readerOf(clock)
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration),
  }
}

const decide = (limit: Limit, calls: number, remaining: number, elapsedMillis: number): Decision => {
  const { burst, perSecond } = limit
  const isAllowed = remaining >= 0
  const tokens = isAllowed ? remaining : remaining + calls
  /** Seconds until a bucket without further calls has gained a number of tokens. */
  const secondsFor = (missing: number): number => Math.ceil(missing / perSecond - elapsedMillis / 1000)
  const retryAfterSeconds = isAllowed ? 0 : Math.max(1, secondsFor(-remaining))
  return {
    isAllowed,
    limit,
    retryAfterSeconds,
    headers: {
      "ratelimit-limit": String(burst),
      "ratelimit-remaining": String(tokens),
      "ratelimit-reset": String(Math.max(0, secondsFor(burst - tokens))),
      "retry-after": isAllowed ? undefined : String(retryAfterSeconds),
    },
  }
}

/** A limit on the buckets of the store in the context. */
const make = Effect.fnUntraced(function* (usual: Limit) {
  const store = yield* RateLimiter.RateLimiterStore
  const clock = monotonic(yield* Clock.Clock)
  const options = ({ burst, perSecond }: Limit) =>
    ({ limit: burst, refillRate: Duration.millis(1000 / perSecond), allowOverflow: false }) as const
  const usualOptions = options(usual)
  return RateLimit.of({
    limit: usual,
    take: (key, calls, limit = usual) =>
      store.tokenBucket({ key, tokens: calls, ...(limit === usual ? usualOptions : options(limit)) }).pipe(
        Effect.provideService(Clock.Clock, clock),
        Effect.catch((error) => Effect.andThen(Effect.logDebug(error), Effect.fail(new RateLimitUnavailable()))),
        Effect.map(([remaining, elapsedMillis]) => decide(limit, calls, remaining, elapsedMillis)),
      ),
  })
})

/** A limit with the buckets of a store. Default: buckets in the memory of this process. */
export const layer = (
  limit: Limit,
  store: Layer.Layer<RateLimiter.RateLimiterStore> = RateLimiter.layerStoreMemory,
): Layer.Layer<RateLimit> => Layer.effect(RateLimit, make(limit)).pipe(Layer.provide(store))
