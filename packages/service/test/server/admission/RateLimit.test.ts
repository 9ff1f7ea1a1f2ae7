import { describe, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import * as RateLimit from "../../../src/server/admission/RateLimit.ts"

const make = (limit: RateLimit.Limit) =>
  Effect.map(Layer.build(RateLimit.layer(limit)), (context) => Context.get(context, RateLimit.RateLimit))

/** A bucket of tokens with fractions, as a model of the limit. */
const model = ({ burst, perSecond }: RateLimit.Limit) => {
  let tokens = burst
  return {
    wait: (millis: number) => (tokens = Math.min(burst, tokens + (millis * perSecond) / 1000)),
    take: (calls: number): boolean => {
      const isAllowed = tokens >= calls - 1e-6
      if (isAllowed) tokens -= calls
      return isAllowed
    },
  }
}

const Step = Schema.Struct({
  waitMillis: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_000 })),
  calls: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6 })),
})

describe("RateLimit", () => {
  it.effect("take: permits the burst at once, then the rate", () =>
    Effect.gen(function* () {
      const limit = yield* make({ perSecond: 25, burst: 50 })
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

  it.effect("take: applies the limit of a key in place of the usual one", () =>
    Effect.gen(function* () {
      const { take } = yield* make({ perSecond: 25, burst: 50 })
      const own = { perSecond: 1, burst: 2 }
      const taken = [yield* take("a", 2, own), yield* take("a", 1, own)]
      yield* TestClock.adjust("1 second")
      taken.push(yield* take("a", 1, own), yield* take("a", 1, own))

      expect(taken.map(({ isAllowed }) => isAllowed)).toEqual([true, false, true, false])
    }),
  )

  it.effect("take: takes a token for each call of a batch, or none", () =>
    Effect.gen(function* () {
      const limit = yield* make({ perSecond: 1, burst: 10 })
      expect(yield* limit.take("a", 8)).toMatchObject({ isAllowed: true, headers: { "ratelimit-remaining": "2" } })
      expect(yield* limit.take("a", 5)).toEqual({
        isAllowed: false,
        limit: { perSecond: 1, burst: 10 },
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

  it.effect(
    "take: states the seconds until the calls are permitted, and until the bucket is full, by the rate and the elapsed time",
    () =>
      Effect.gen(function* () {
        const limit = yield* make({ perSecond: 2, burst: 10 })
        yield* limit.take("a", 10)
        yield* TestClock.adjust(400)
        const statedFor = (calls: number) =>
          Effect.map(limit.take("a", calls), ({ headers }) => [headers["retry-after"], headers["ratelimit-reset"]])

        // 2 s and 5 s after the last call, of which 0.4 s have passed.
        expect(yield* statedFor(4)).toEqual(["2", "5"])
        expect(yield* statedFor(1)).toEqual(["1", "5"])
        yield* TestClock.adjust("1 hour")
        expect(yield* statedFor(10)).toEqual([undefined, "5"])
      }),
  )

  it.effect("take: counts each key separately and never fills a bucket above the burst", () =>
    Effect.gen(function* () {
      const limit = yield* make({ perSecond: 1, burst: 2 })
      yield* limit.take("a", 2)
      expect((yield* limit.take("b", 2)).isAllowed).toBe(true)
      yield* TestClock.adjust("1 hour")
      expect((yield* limit.take("a", 3)).isAllowed).toBe(false)
      expect((yield* limit.take("a", 2)).isAllowed).toBe(true)
    }),
  )

  it.effect("take: refills at the same rate after the system clock is set back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(7_200_000)
      const limit = yield* make({ perSecond: 1, burst: 2 })
      yield* limit.take("a", 2)

      yield* TestClock.setTime(3_600_000)

      expect(yield* limit.take("a", 1)).toMatchObject({ isAllowed: false, retryAfterSeconds: 1 })
      yield* TestClock.adjust("1 second")
      expect((yield* limit.take("a", 1)).isAllowed).toBe(true)
      expect((yield* limit.take("a", 1)).isAllowed).toBe(false)
    }),
  )

  it.effect("monotonic: returns the time of the monotonic clock in each form, and sleeps by it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(7_200_000)
      yield* TestClock.adjust(1_500)
      const clock = yield* Clock.Clock
      const nanos = clock.monotonicTimeNanosUnsafe()
      const monotonic = RateLimit.monotonic(clock)
      yield* TestClock.setTime(3_600_000)

      expect([monotonic.monotonicTimeNanosUnsafe(), yield* monotonic.monotonicTimeNanos]).toEqual([nanos, nanos])
      expect([monotonic.currentTimeNanosUnsafe(), yield* monotonic.currentTimeNanos]).toEqual([nanos, nanos])
      const millis = Number(nanos) / 1e6
      expect([monotonic.currentTimeMillisUnsafe(), yield* monotonic.currentTimeMillis]).toEqual([millis, millis])
      const sleeping = yield* Effect.forkChild(monotonic.sleep(Duration.seconds(1)))
      yield* TestClock.adjust(999)
      expect(sleeping.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      yield* Fiber.join(sleeping)
    }),
  )

  it.effect.prop(
    "take: decides as a bucket of fractional tokens does, and permits a rejected call after retry-after",
    { steps: Schema.Array(Step), perSecond: Schema.Literals([1, 3, 25]) },
    ({ perSecond, steps }) =>
      Effect.gen(function* () {
        const options = { perSecond, burst: 5 }
        const limit = yield* make(options)
        const expected = model(options)
        for (const { calls, waitMillis } of steps) {
          yield* TestClock.adjust(waitMillis)
          expected.wait(waitMillis)
          const decision = yield* limit.take("a", calls)
          expect(decision.isAllowed).toBe(expected.take(calls))
          if (decision.isAllowed || calls > options.burst) continue
          yield* TestClock.adjust(decision.retryAfterSeconds * 1000)
          expected.wait(decision.retryAfterSeconds * 1000)
          expect([(yield* limit.take("a", calls)).isAllowed, expected.take(calls)]).toEqual([true, true])
        }
      }),
  )
})
