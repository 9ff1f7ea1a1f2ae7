import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Endpoint } from "../../src/index.ts"
import * as RequestedWaits from "../../src/internal/RequestedWaits.ts"

const endpoint = (key: string) =>
  Endpoint.makeUnsafe({ url: "https://a.test", headers: { "x-api-key": Redacted.make(key) } })

const remaining = (waits: RequestedWaits.RequestedWaits, to: Endpoint.Endpoint) =>
  Effect.map(waits.remaining(to), Duration.toMillis)

describe("RequestedWaits", () => {
  it.effect("ask: applies to every endpoint with the same URL and key, and to no other key", () =>
    Effect.gen(function* () {
      const waits = RequestedWaits.make()
      yield* waits.ask(endpoint("one"), Duration.seconds(5))

      expect(yield* remaining(waits, endpoint("one"))).toBe(5_000)
      expect(yield* remaining(waits, endpoint("two"))).toBe(0)
    }),
  )
  it.effect("ask: extends a wait in force and never shortens it", () =>
    Effect.gen(function* () {
      const waits = RequestedWaits.make()
      yield* waits.ask(endpoint("one"), Duration.seconds(5))
      yield* waits.ask(endpoint("one"), Duration.seconds(1))
      expect(yield* remaining(waits, endpoint("one"))).toBe(5_000)
      yield* waits.ask(endpoint("one"), Duration.seconds(8))
      yield* TestClock.adjust("3 seconds")
      expect(yield* remaining(waits, endpoint("one"))).toBe(5_000)
      yield* TestClock.adjust("5 seconds")
      expect(yield* remaining(waits, endpoint("one"))).toBe(0)
    }),
  )
  it.effect("ask: caps a wait at one day", () =>
    Effect.gen(function* () {
      const waits = RequestedWaits.make()
      yield* waits.ask(endpoint("one"), Duration.infinity)

      expect(yield* remaining(waits, endpoint("one"))).toBe(86_400_000)
    }),
  )
  it.effect("wait: resumes a waiting call at the end of the wait, even if it was extended in the meantime", () =>
    Effect.gen(function* () {
      const waits = RequestedWaits.make()
      yield* waits.ask(endpoint("one"), Duration.seconds(2))
      const fiber = yield* Effect.forkChild(
        Effect.andThen(waits.wait(endpoint("one"), Duration.seconds(30)), Clock.currentTimeMillis),
      )
      yield* TestClock.adjust("1 second")
      yield* waits.ask(endpoint("one"), Duration.seconds(4))
      yield* TestClock.adjust("10 seconds")

      expect(yield* Fiber.join(fiber)).toBe(5_000)
    }),
  )
  it.effect("wait: fails immediately if the wait ends after the call's time limit", () =>
    Effect.gen(function* () {
      const waits = RequestedWaits.make()
      yield* waits.ask(endpoint("one"), Duration.seconds(60))
      const error = yield* Effect.flip(waits.wait(endpoint("one"), Duration.seconds(10)))

      expect(error._tag).toBe("RateLimited")
      expect(error.scope).toBe("endpoint")
      expect(error.status).toBeUndefined()
      expect(error.retryAfter && Duration.toMillis(error.retryAfter)).toBe(60_000)
      expect(error.message).toContain("Retry after 1m")
    }),
  )
  it.effect.each([
    [10_000, "fails"],
    [10_001, "waits"],
  ] as const)("wait: with a wait of ten seconds, a call of %i ms %s", ([within, expected]) =>
    Effect.gen(function* () {
      const waits = RequestedWaits.make()
      yield* waits.ask(endpoint("one"), Duration.seconds(10))
      const fiber = yield* Effect.forkChild(Effect.exit(waits.wait(endpoint("one"), Duration.millis(within))))
      yield* TestClock.adjust("10 seconds")

      expect((yield* Fiber.join(fiber))._tag).toBe(expected === "waits" ? "Success" : "Failure")
    }),
  )
  it.effect("wait: includes the time that a call has waited, if a longer wait is requested in the meantime", () =>
    Effect.gen(function* () {
      const waits = RequestedWaits.make()
      const ends: Array<readonly [string, number]> = []
      const call = (seconds: number) =>
        waits.wait(endpoint("one"), Duration.seconds(seconds)).pipe(
          Effect.exit,
          Effect.flatMap(({ _tag }) => Effect.map(Clock.currentTimeMillis, (now) => ends.push([_tag, now]))),
          Effect.forkChild,
        )
      yield* waits.ask(endpoint("one"), Duration.seconds(2))
      yield* call(10)
      yield* call(12)
      yield* TestClock.adjust("1 second")
      yield* waits.ask(endpoint("one"), Duration.seconds(9))
      yield* TestClock.adjust("20 seconds")

      expect(ends).toEqual([
        ["Failure", 2_000],
        ["Success", 10_000],
      ])
    }),
  )
  it.effect("wait: ends at the call's time limit, however much later others resume", () =>
    Effect.gen(function* () {
      const waits = RequestedWaits.make(Duration.days(1))
      yield* waits.ask(endpoint("one"), Duration.seconds(2))
      const call = Effect.andThen(waits.wait(endpoint("one"), Duration.millis(2_001)), Clock.currentTimeMillis)
      const fiber = yield* Effect.forkChild(call)
      yield* TestClock.adjust("3 seconds")

      expect(yield* Fiber.join(fiber)).toBe(2_001)
    }),
  )
  it.effect("wait: spreads the calls that waited", () =>
    Effect.gen(function* () {
      const waits = RequestedWaits.make(Duration.seconds(1))
      yield* waits.ask(endpoint("one"), Duration.seconds(2))
      const call = Effect.andThen(waits.wait(endpoint("one"), Duration.seconds(30)), Clock.currentTimeMillis)
      const fiber = yield* Effect.forkChild(Effect.all([call, call, call, call], { concurrency: "unbounded" }))
      yield* TestClock.adjust("2 seconds")
      yield* TestClock.adjust("1 second")
      const ends = yield* Fiber.join(fiber)

      expect(ends.every((end) => end >= 2_000 && end <= 3_000)).toBe(true)
    }),
  )
  it.effect.prop(
    "law: the remaining wait is that of the longest request still in force",
    {
      asked: Schema.Array(
        Schema.Tuple([
          Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })),
          Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 })),
        ]),
      ),
    },
    ({ asked }) =>
      Effect.gen(function* () {
        const waits = RequestedWaits.make()
        let now = 0
        let end = 0
        for (const [millis, pauseMillis] of asked) {
          yield* waits.ask(endpoint("one"), Duration.millis(millis))
          end = Math.max(end, now + millis)
          yield* TestClock.adjust(Duration.millis(pauseMillis))
          now += pauseMillis

          expect(yield* remaining(waits, endpoint("one"))).toBe(Math.max(0, end - now))
        }
      }),
  )
})
