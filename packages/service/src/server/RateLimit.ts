/**
 * How often a key may call: a bucket of tokens for each, filled at a steady rate. It lives in the memory of one process, as
 * many replicas as there are allow as many times more.
 *
 * Source: decision 0007.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Headers } from "./ErrorResponse.ts"

/** Whether calls may be made now. */
export interface Decision {
  readonly isAllowed: boolean
  /** `ratelimit-*`, and `retry-after` when the calls may not be made. */
  readonly headers: Headers
  /** Whole seconds until the calls may be made; 0 when they may. */
  readonly retryAfterSeconds: number
}

/** Limits calls. */
export interface RateLimit {
  /** Takes as many tokens as there are calls, or none when there are too few. More than `burst` are never allowed. */
  readonly take: (key: string, calls: number) => Effect.Effect<Decision>
  /** Buckets in memory. */
  readonly size: () => number
}

interface Bucket {
  tokens: number
  atMillis: number
}

/** Buckets after which full ones, which say nothing, are dropped. */
const bucketsAtMost = 10_000

/** Makes a limit of `perSecond` calls on average and `burst` at once. */
export const make = (options: { readonly perSecond: number; readonly burst: number }): RateLimit => {
  const { perSecond, burst } = options
  const buckets = new Map<string, Bucket>()
  const filled = (bucket: Bucket, now: number): number =>
    Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.atMillis) * perSecond) / 1000)

  const sweep = (now: number) => {
    for (const [key, bucket] of buckets) if (filled(bucket, now) >= burst) buckets.delete(key)
  }

  const takeUnsafe = (key: string, calls: number, now: number): Decision => {
    const bucket = buckets.get(key)
    const tokens = bucket === undefined ? burst : filled(bucket, now)
    const isAllowed = tokens >= calls
    const left = isAllowed ? tokens - calls : tokens
    if (bucket === undefined && buckets.size >= bucketsAtMost) sweep(now)
    buckets.set(key, { tokens: left, atMillis: now })
    const retryAfterSeconds = isAllowed ? 0 : Math.max(1, Math.ceil((calls - tokens) / perSecond))
    return {
      isAllowed,
      retryAfterSeconds,
      headers: {
        "ratelimit-limit": String(burst),
        "ratelimit-remaining": String(Math.floor(left)),
        "ratelimit-reset": String(Math.ceil((burst - left) / perSecond)),
        ...(isAllowed ? {} : { "retry-after": String(retryAfterSeconds) }),
      },
    }
  }

  return {
    take: (key, calls) => Effect.map(Clock.currentTimeMillis, (now) => takeUnsafe(key, calls, now)),
    size: () => buckets.size,
  }
}
