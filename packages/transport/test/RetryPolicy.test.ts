import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ClientError, RetryPolicy } from "../src/index.ts"

const broken = new ClientError.TransportError({ host: "a.test", phase: "headers", reason: "ECONNRESET" })
const limited = (retryAfter?: Duration.Duration) => new ClientError.RateLimited({ host: "a.test", retryAfter })
const policy = RetryPolicy.makeUnsafe({ maxAttempts: 4, base: 100, cap: 1_000, jitter: 0, deadline: "10 seconds" })

const attemptsAt = (run: (note: Effect.Effect<number>) => Effect.Effect<unknown, unknown>, total: Duration.Input) =>
  Effect.gen(function* () {
    const times: Array<number> = []
    const note = Effect.map(Clock.currentTimeMillis, (now) => times.push(now))
    const fiber = yield* Effect.forkChild(Effect.exit(run(note)))
    yield* TestClock.adjust(total)
    const exit = yield* Fiber.join(fiber)
    return { times, exit, endedAt: yield* Clock.currentTimeMillis }
  })

describe("RetryPolicy", () => {
  describe("make", () => {
    it("has defaults", () => {
      const made = RetryPolicy.makeUnsafe()

      assert.strictEqual(made.maxAttempts, 4)
      assert.strictEqual(Duration.toMillis(made.deadline), 30_000)
      assert.strictEqual(Duration.toMillis(made.attemptTimeout), Infinity)
    })
    const wrong: ReadonlyArray<[string, RetryPolicy.Options]> = [
      ["maxAttempts", { maxAttempts: 0 }],
      ["maxAttempts", { maxAttempts: 1.5 }],
      ["jitter", { jitter: 2 }],
      ["jitter", { jitter: Number.NaN }],
      ["deadline", { deadline: 0 }],
      ["deadline", { deadline: "soon" as never }],
      ["attemptTimeout", { attemptTimeout: "-1 seconds" }],
      ["deadline", { deadline: null as never }],
      ["base", { base: "x" as never }],
    ]
    for (const [option, options] of wrong) {
      it.effect(`refuses ${option} in ${JSON.stringify(options)}`, () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(RetryPolicy.make(options))

          assert.strictEqual(error._tag, "InvalidOption")
          assert.strictEqual(error.option, option)
          assert.include(error.message, `"${option}"`)
        }),
      )
    }
  })

  it("refuses a duration in nanoseconds and shows it", () => {
    assert.throws(() => RetryPolicy.makeUnsafe({ deadline: -1n }), '"deadline" takes a duration above zero')
    assert.throws(() => RetryPolicy.makeUnsafe({ deadline: -1n }), "-1 came")
  })

  describe("delayMillis", () => {
    const jittered = RetryPolicy.makeUnsafe({ base: 100, cap: 1_000, jitter: 0.5 })
    it("doubles up to the cap", () => {
      const delays = [1, 2, 3, 4, 5, 60].map((attempt) => RetryPolicy.delayMillis(policy, { attempt, random: 0.3 }))

      assert.deepStrictEqual(delays, [100, 200, 400, 800, 1_000, 1_000])
    })
    it("takes at most the jitter's share away", () => {
      assert.strictEqual(RetryPolicy.delayMillis(jittered, { attempt: 5, random: 0 }), 1_000)
      assert.strictEqual(RetryPolicy.delayMillis(jittered, { attempt: 5, random: 1 }), 500)
    })
    it("never waits less than the server asked, beyond the cap too", () => {
      for (const random of [0, 0.5, 1]) {
        const delay = RetryPolicy.delayMillis(jittered, { attempt: 1, random, retryAfter: Duration.seconds(7) })
        assert.isAtLeast(delay, 7_000)
        assert.isAtMost(delay, 7_050)
      }
    })
  })

  describe("run", () => {
    it.effect("tries again after 100, 200 and 400 ms, then fails with the last error", () =>
      Effect.gen(function* () {
        const { times, exit } = yield* attemptsAt(
          (note) => RetryPolicy.run({ policy, attempt: () => Effect.andThen(note, Effect.fail(broken)) }),
          "1 minute",
        )

        assert.deepStrictEqual(times, [0, 100, 300, 700])
        assert.deepStrictEqual(exit, Exit.fail(broken))
      }),
    )
    it.effect("stops when the predicate of the caller says no", () =>
      Effect.gen(function* () {
        const { times } = yield* attemptsAt(
          (note) =>
            RetryPolicy.run({
              policy,
              attempt: () => Effect.andThen(note, Effect.fail(broken)),
              isRetryable: (error) => error._tag !== "TransportError",
            }),
          "1 minute",
        )

        assert.deepStrictEqual(times, [0])
      }),
    )
    it.effect("waits as long as the server asked", () =>
      Effect.gen(function* () {
        const { times, exit } = yield* attemptsAt(
          (note) =>
            RetryPolicy.run({
              policy,
              attempt: ({ number }) =>
                Effect.andThen(note, number === 1 ? Effect.fail(limited(Duration.seconds(6))) : Effect.succeed("done")),
            }),
          "1 minute",
        )

        assert.deepStrictEqual(times, [0, 6_000])
        assert.deepStrictEqual(exit, Exit.succeed("done"))
      }),
    )
    it.effect("fails at once when the asked wait is beyond the deadline", () =>
      Effect.gen(function* () {
        const error = limited(Duration.seconds(10))
        const { times, exit } = yield* attemptsAt(
          (note) => RetryPolicy.run({ policy, attempt: () => Effect.andThen(note, Effect.fail(error)) }),
          0,
        )

        assert.deepStrictEqual(times, [0])
        assert.deepStrictEqual(exit, Exit.fail(error))
      }),
    )
    it.effect("begins no wait that ends after the deadline", () =>
      Effect.gen(function* () {
        const short = RetryPolicy.makeUnsafe({ maxAttempts: 100, base: 400, cap: 400, jitter: 0, deadline: 1_000 })
        const { times } = yield* attemptsAt(
          (note) => RetryPolicy.run({ policy: short, attempt: () => Effect.andThen(note, Effect.fail(broken)) }),
          "1 minute",
        )

        assert.deepStrictEqual(times, [0, 400, 800])
      }),
    )
    it.effect("tells an attempt the time that is left", () =>
      Effect.gen(function* () {
        const left: Array<number> = []
        const attempt = ({ remaining }: RetryPolicy.Turn) =>
          Effect.andThen(
            Effect.map(remaining, (duration) => left.push(Duration.toMillis(duration))),
            Effect.fail(broken),
          )
        yield* attemptsAt(() => RetryPolicy.run({ policy, attempt }), "1 minute")

        assert.deepStrictEqual(left, [10_000, 9_900, 9_700, 9_300])
      }),
    )
  })
})
