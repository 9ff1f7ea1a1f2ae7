import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ClientError, RetryPolicy } from "../../src/index.ts"
import * as Retry from "../../src/internal/Retry.ts"

const broken = new ClientError.TransportError({ host: "a.test", phase: "headers", reason: "ECONNRESET" })
const limited = (retryAfter?: Duration.Duration) => new ClientError.RateLimited({ host: "a.test", retryAfter })
const policy = RetryPolicy.makeUnsafe({ maxAttempts: 4, base: 100, cap: 1_000, jitter: 0, deadline: "10 seconds" })

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Fraction = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** Runs attempts under a policy; gives the time of each attempt and how the call ended. */
const runFor = <A>(
  total: Duration.Input,
  attempt: (state: Retry.State) => Effect.Effect<A, ClientError.ClientError>,
  used: RetryPolicy.RetryPolicy = policy,
) =>
  Effect.gen(function* () {
    const times: Array<number> = []
    const fiber = yield* Retry.run({
      initial: (nowMillis) => Retry.initial(used, nowMillis),
      attempt: (state) =>
        Effect.andThen(
          Effect.map(Clock.currentTimeMillis, (now) => times.push(now)),
          attempt(state),
        ),
      next: (state, { error, ...failure }) =>
        Retry.next(used, state, { ...failure, isRetryable: error.isRetryable, retryAfter: error.retryAfter }),
    }).pipe(Effect.exit, Effect.forkChild)
    yield* TestClock.adjust(total)
    return { times, exit: yield* Fiber.join(fiber) }
  })

describe("Retry", () => {
  describe("next", () => {
    const state: Retry.State = { attempt: 1, deadlineAtMillis: 10_000 }
    const failure = { isRetryable: true, nowMillis: 0, random: 0 }

    it("next: asks for another attempt after the backoff of a retryable failure", () => {
      expect(Retry.next(policy, state, failure)).toEqual({
        _tag: "Retry",
        waitMillis: 100,
        state: { attempt: 2, deadlineAtMillis: 10_000 },
      })
    })
    it("next: keeps the fields that a caller added to the state", () => {
      expect(Retry.next(policy, { ...state, endpoints: ["a"] }, failure)).toMatchObject({
        state: { attempt: 2, endpoints: ["a"] },
      })
    })
    it("next: ends the call after a failure that is not retryable", () => {
      expect(Retry.next(policy, state, { ...failure, isRetryable: false })).toEqual({ _tag: "Fail" })
    })
    it("next: ends the call after the last attempt of the policy, or of the caller's own limit", () => {
      expect(Retry.next(policy, { ...state, attempt: 4 }, failure)).toEqual({ _tag: "Fail" })
      expect(Retry.next(policy, { ...state, attempt: 4 }, { ...failure, maxAttempts: 5 })._tag).toBe("Retry")
    })
    it("next: waits for the time that the server requested", () => {
      expect(Retry.next(policy, state, { ...failure, retryAfter: Duration.seconds(6) })).toMatchObject({
        waitMillis: 6_000,
      })
    })
    it("next: does not wait when another endpoint can be asked", () => {
      expect(
        Retry.next(policy, state, { ...failure, retryAfter: Duration.seconds(6), canRetryNow: true }),
      ).toMatchObject({ waitMillis: 0 })
    })
    it("next: ends the call when the wait would end at the deadline", () => {
      expect(Retry.next(policy, state, { ...failure, nowMillis: 9_900 })).toEqual({ _tag: "Fail" })
      expect(Retry.next(policy, state, { ...failure, nowMillis: 9_899 })._tag).toBe("Retry")
    })

    it.prop(
      "law: next never waits beyond the deadline, never exceeds the attempts, and never waits less than requested",
      {
        attempt: between(1, 10),
        maxAttempts: between(1, 10),
        nowMillis: between(0, 20_000),
        retryAfterMillis: Schema.NullOr(between(0, 20_000)),
        random: Fraction,
        jitter: Fraction,
      },
      ({ attempt, jitter, maxAttempts, nowMillis, random, retryAfterMillis }) => {
        const own = RetryPolicy.makeUnsafe({ maxAttempts, jitter, base: 100, cap: 1_000 })
        const retryAfter = retryAfterMillis === null ? undefined : Duration.millis(retryAfterMillis)
        const from = { attempt, deadlineAtMillis: 10_000 }
        const step = Retry.next(own, from, { isRetryable: true, nowMillis, random, retryAfter })

        if (step._tag === "Fail") return
        expect(step.state).toEqual({ attempt: attempt + 1, deadlineAtMillis: 10_000 })
        expect(step.state.attempt).toBeLessThanOrEqual(maxAttempts)
        expect(nowMillis + step.waitMillis).toBeLessThan(10_000)
        expect(step.waitMillis).toBeGreaterThanOrEqual(retryAfterMillis ?? 0)
      },
    )
  })

  describe("run", () => {
    it.effect("run: waits 100, 200 and 400 ms between four attempts, then fails with the last error", () =>
      Effect.gen(function* () {
        const { times, exit } = yield* runFor("1 minute", () => Effect.fail(broken))

        expect(times).toEqual([0, 100, 300, 700])
        expect(exit).toEqual(Exit.fail(broken))
      }),
    )
    it.effect("run: waits as long as the server requested", () =>
      Effect.gen(function* () {
        const { times, exit } = yield* runFor("1 minute", ({ attempt }) =>
          attempt === 1 ? Effect.fail(limited(Duration.seconds(6))) : Effect.succeed("done"),
        )

        expect(times).toEqual([0, 6_000])
        expect(exit).toEqual(Exit.succeed("done"))
      }),
    )
    it.effect("run: fails at once when the requested wait exceeds the deadline", () =>
      Effect.gen(function* () {
        const error = limited(Duration.seconds(10))
        const { times, exit } = yield* runFor(0, () => Effect.fail(error))

        expect(times).toEqual([0])
        expect(exit).toEqual(Exit.fail(error))
      }),
    )
    it.effect("run: begins no wait that ends after the deadline", () =>
      Effect.gen(function* () {
        const short = RetryPolicy.makeUnsafe({ maxAttempts: 100, base: 400, cap: 400, jitter: 0, deadline: 1_000 })
        const { times } = yield* runFor("1 minute", () => Effect.fail(broken), short)

        expect(times).toEqual([0, 400, 800])
      }),
    )
    it.effect("run: an attempt reads the time left for the whole call", () =>
      Effect.gen(function* () {
        const left: Array<number> = []
        yield* runFor("1 minute", (state) =>
          Effect.flatMap(Retry.remaining(state), (duration) => {
            left.push(Duration.toMillis(duration))
            return Effect.fail(broken)
          }),
        )

        expect(left).toEqual([10_000, 9_900, 9_700, 9_300])
      }),
    )
    it.effect("run: repeats many attempts without growing the stack", () =>
      Effect.gen(function* () {
        const many = RetryPolicy.makeUnsafe({ maxAttempts: 50_000 })
        const result = yield* Retry.run({
          initial: (nowMillis) => Retry.initial(many, nowMillis),
          attempt: ({ attempt }) => (attempt < 50_000 ? Effect.fail(broken) : Effect.succeed(attempt)),
          next: (state, { error, ...failure }) =>
            Retry.next(many, state, { ...failure, isRetryable: error.isRetryable, canRetryNow: true }),
        })

        expect(result).toBe(50_000)
      }),
    )
    it.effect("run: calls onRetry with the error and the wait before each wait", () =>
      Effect.gen(function* () {
        const seen: Array<readonly [string, number, number]> = []
        const fiber = yield* Retry.run({
          initial: (nowMillis) => Retry.initial(policy, nowMillis),
          attempt: ({ attempt }) => (attempt < 3 ? Effect.fail(broken) : Effect.void),
          next: (state, { error, ...failure }) =>
            Retry.next(policy, state, { ...failure, isRetryable: error.isRetryable }),
          onRetry: (error, state, { waitMillis }) =>
            Effect.sync(() => void seen.push([error._tag, state.attempt, waitMillis])),
        }).pipe(Effect.forkChild)
        yield* TestClock.adjust("1 minute")
        yield* Fiber.join(fiber)

        expect(seen).toEqual([
          ["TransportError", 1, 100],
          ["TransportError", 2, 200],
        ])
      }),
    )
  })
})
