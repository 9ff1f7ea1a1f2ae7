/** The client's own rate limit, on the test clock. */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as TokenBucket from "../../src/internal/TokenBucket.ts"

const now = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

/** Takes units and records when they were granted. */
const taking = (bucket: TokenBucket.TokenBucket, granted: Array<number>, method = "eth_chainId") =>
  Effect.gen(function* () {
    const start = yield* now
    return yield* Effect.forkChild(
      Effect.andThen(
        bucket.take(method, Number.POSITIVE_INFINITY),
        Effect.map(now, (at) => granted.push(at - start)),
      ),
    )
  })

describe("TokenBucket", () => {
  it.effect("take: grants the burst at once and then one call for each interval", () =>
    Effect.gen(function* () {
      const bucket = TokenBucket.make({ perSecond: 10, burst: 2 })
      const granted: Array<number> = []

      for (let call = 0; call < 5; call++) yield* taking(bucket, granted)
      yield* TestClock.adjust("1 second")

      expect(granted).toEqual([0, 0, 100, 200, 300])
    }),
  )

  it.effect("take: charges the units of a method, and at most the burst", () =>
    Effect.gen(function* () {
      const bucket = TokenBucket.make({ perSecond: 10, burst: 20, units: { eth_getLogs: 500 }, defaultUnits: 5 })
      const granted: Array<number> = []

      yield* taking(bucket, granted, "eth_getLogs")
      yield* taking(bucket, granted, "eth_chainId")
      yield* TestClock.adjust("1 second")

      expect(granted).toEqual([0, 500])
    }),
  )

  it.effect("take: follows a changed rate, and holds no more than the current burst", () =>
    Effect.gen(function* () {
      let perSecond = 10
      const bucket = TokenBucket.make({ perSecond: () => perSecond })
      const granted: Array<number> = []
      perSecond = 2

      for (let call = 0; call < 4; call++) yield* taking(bucket, granted)
      yield* TestClock.adjust("1 second")
      expect(granted).toEqual([0, 0, 500, 1_000])

      perSecond = 10
      yield* taking(bucket, granted)
      yield* TestClock.adjust("1 second")
      expect(granted.at(-1)).toBe(100)
    }),
  )

  it.effect("take: reports the wait and takes nothing when it is too long", () =>
    Effect.gen(function* () {
      const bucket = TokenBucket.make({ perSecond: 1, burst: 1 })
      yield* bucket.take("eth_chainId", 0.001)

      const refused = yield* bucket.take("eth_chainId", 500)

      expect(refused === undefined ? undefined : Duration.toMillis(refused)).toBe(1_000)
      expect(bucket.waitMillis("eth_chainId", yield* now)).toBe(1_000)
    }),
  )

  it.effect("take: returns the units of an interrupted wait", () =>
    Effect.gen(function* () {
      const bucket = TokenBucket.make({ perSecond: 1, burst: 1 })
      const granted: Array<number> = []
      yield* taking(bucket, granted)
      const interrupted = yield* taking(bucket, granted)
      yield* TestClock.adjust(0)

      yield* Fiber.interrupt(interrupted)

      expect(bucket.waitMillis("eth_chainId", yield* now)).toBe(1_000)
      yield* taking(bucket, granted)
      yield* TestClock.adjust("1 second")
      expect(granted.length).toBe(2)
    }),
  )

  const Rate = Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 1_000 }))
  const Steps = Schema.Array(
    Schema.Struct({
      elapsed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 })),
      units: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 50 })),
    }),
  )

  it.prop(
    "law: callers that wait as requested never exceed the burst plus the rate",
    { perSecond: Rate, burst: Rate, steps: Steps },
    ({ burst, perSecond, steps }) => {
      let state = TokenBucket.initial({ perSecond, burst })
      let time = 0
      let taken = 0
      for (const { elapsed, units } of steps) {
        const cost = Math.min(units, burst)
        time += elapsed
        state = TokenBucket.fill(state, time)
        time += Math.max(0, TokenBucket.waitMillis(state, cost))
        state = TokenBucket.take(TokenBucket.fill(state, time), cost)
        taken += cost

        expect(taken).toBeLessThanOrEqual(burst + (perSecond * time) / 1000 + 1e-6 * (1 + taken))
      }
    },
  )

  it.prop(
    "law: returned units leave a full or equal bucket, and a clock that is set back adds none",
    { perSecond: Rate, burst: Rate, units: Rate, elapsed: Rate },
    ({ burst, elapsed, perSecond, units }) => {
      const full = TokenBucket.fill(TokenBucket.initial({ perSecond, burst }), 1_000)
      const returned = TokenBucket.giveBack(TokenBucket.take(full, units), units)

      expect(returned.level).toBeLessThanOrEqual(burst)
      expect(returned.level).toBeCloseTo(burst)
      expect(TokenBucket.fill(TokenBucket.take(full, units), 1_000 - elapsed).level).toBe(burst - units)
    },
  )
})
