import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Endpoint, Backoff } from "../src/index.ts"

const endpoint = (key: string) =>
  Endpoint.makeUnsafe({ url: "https://a.test", headers: { "x-api-key": Redacted.make(key) } })

const left = (pause: Backoff.Backoff, to: Endpoint.Endpoint) => Effect.map(pause.remaining(to), Duration.toMillis)

describe("Pause", () => {
  it.effect("holds for every endpoint object with the same URL and key, and no other key", () =>
    Effect.gen(function* () {
      const pause = Backoff.make()
      yield* pause.ask(endpoint("one"), Duration.seconds(5))

      assert.strictEqual(yield* left(pause, endpoint("one")), 5_000)
      assert.strictEqual(yield* left(pause, endpoint("two")), 0)
    }),
  )
  it.effect("is lengthened, never shortened, and ends", () =>
    Effect.gen(function* () {
      const pause = Backoff.make()
      yield* pause.ask(endpoint("one"), Duration.seconds(5))
      yield* pause.ask(endpoint("one"), Duration.seconds(1))
      assert.strictEqual(yield* left(pause, endpoint("one")), 5_000)
      yield* pause.ask(endpoint("one"), Duration.seconds(8))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* left(pause, endpoint("one")), 5_000)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* left(pause, endpoint("one")), 0)
    }),
  )
  it.effect("lasts a day at most, whatever is asked", () =>
    Effect.gen(function* () {
      const pause = Backoff.make()
      yield* pause.ask(endpoint("one"), Duration.infinity)

      assert.strictEqual(yield* left(pause, endpoint("one")), 86_400_000)
    }),
  )
  it.effect("lets a waiting call go on when it is over, also when it was lengthened meanwhile", () =>
    Effect.gen(function* () {
      const pause = Backoff.make()
      yield* pause.ask(endpoint("one"), Duration.seconds(2))
      const fiber = yield* Effect.forkChild(
        Effect.andThen(pause.wait(endpoint("one"), Duration.seconds(30)), Clock.currentTimeMillis),
      )
      yield* TestClock.adjust("1 second")
      yield* pause.ask(endpoint("one"), Duration.seconds(4))
      yield* TestClock.adjust("10 seconds")

      assert.strictEqual(yield* Fiber.join(fiber), 5_000)
    }),
  )
  it.effect("refuses at once to wait beyond the time a call has", () =>
    Effect.gen(function* () {
      const pause = Backoff.make()
      yield* pause.ask(endpoint("one"), Duration.seconds(60))
      const error = yield* Effect.flip(pause.wait(endpoint("one"), Duration.seconds(10)))

      assert.strictEqual(error._tag, "RateLimited")
      assert.strictEqual(error.scope, "endpoint")
      assert.strictEqual(error.status, undefined)
      assert.strictEqual(error.retryAfter && Duration.toMillis(error.retryAfter), 60_000)
      assert.include(error.message, "It asked to wait 1m")
    }),
  )
  it.effect("spreads the calls that waited", () =>
    Effect.gen(function* () {
      const pause = Backoff.make({ spread: Duration.seconds(1) })
      yield* pause.ask(endpoint("one"), Duration.seconds(2))
      const call = Effect.andThen(pause.wait(endpoint("one"), Duration.seconds(30)), Clock.currentTimeMillis)
      const fiber = yield* Effect.forkChild(Effect.all([call, call, call, call], { concurrency: "unbounded" }))
      yield* TestClock.adjust("2 seconds")
      yield* TestClock.adjust("1 second")
      const ends = yield* Fiber.join(fiber)

      assert.isTrue(ends.every((end) => end >= 2_000 && end <= 3_000))
    }),
  )
})
