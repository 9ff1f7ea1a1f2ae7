import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import * as RateLimit from "../../src/server/RateLimit.ts"

describe("RateLimit", () => {
  it.effect("allows the burst at once, and then the rate", () =>
    Effect.gen(function* () {
      const limit = RateLimit.make({ perSecond: 25, burst: 50 })
      const take = limit.take("a", 1)
      const outcomes = yield* Effect.forEach(Array.from({ length: 51 }), () => take)

      expect(outcomes.map(({ isAllowed }) => isAllowed)).toEqual([...Array.from({ length: 50 }, () => true), false])
      yield* TestClock.adjust("40 millis")
      expect((yield* take).isAllowed).toBe(true)
      expect((yield* take).isAllowed).toBe(false)
      yield* TestClock.adjust("1 second")
      expect((yield* limit.take("a", 25)).isAllowed).toBe(true)
      expect((yield* take).isAllowed).toBe(false)
    }),
  )

  it.effect("takes all calls of a batch or none", () =>
    Effect.gen(function* () {
      const limit = RateLimit.make({ perSecond: 1, burst: 10 })
      expect(yield* limit.take("a", 8)).toMatchObject({ isAllowed: true, headers: { "ratelimit-remaining": "2" } })
      expect(yield* limit.take("a", 5)).toEqual({
        isAllowed: false,
        retryAfterSeconds: 3,
        headers: {
          "ratelimit-limit": "10",
          "ratelimit-remaining": "2",
          "ratelimit-reset": "8",
          "retry-after": "3",
        },
      })
      yield* TestClock.adjust("3 seconds")
      expect((yield* limit.take("a", 5)).isAllowed).toBe(true)
    }),
  )

  it.effect("keeps keys apart and never fills above the burst", () =>
    Effect.gen(function* () {
      const limit = RateLimit.make({ perSecond: 1, burst: 2 })
      yield* limit.take("a", 2)
      expect((yield* limit.take("b", 2)).isAllowed).toBe(true)
      yield* TestClock.adjust("1 hour")
      expect((yield* limit.take("a", 3)).isAllowed).toBe(false)
      expect((yield* limit.take("a", 2)).isAllowed).toBe(true)
    }),
  )

  it.effect("forgets full buckets when there are many", () =>
    Effect.gen(function* () {
      const limit = RateLimit.make({ perSecond: 1, burst: 2 })
      for (let key = 0; key < 10_000; key++) yield* limit.take(String(key), 1)
      yield* TestClock.adjust("1 minute")
      yield* limit.take("one more", 1)
      expect(limit.size()).toBe(1)
    }),
  )
})
