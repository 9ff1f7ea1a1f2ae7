import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ClientError, type RetryPolicy } from "../../src/index.ts"
import * as Retry from "../../src/internal/Retry.ts"

const makePolicy = (options?: RetryPolicy.Options) => Result.getOrThrow(Retry.policyFromOptions(options))

const broken = new ClientError.TransportError({ host: "a.test", phase: "headers", reason: "ECONNRESET" })
const limited = (retryAfter?: Duration.Duration) => new ClientError.RateLimited({ host: "a.test", retryAfter })
const policy = makePolicy({ maxAttempts: 4, base: 100, cap: 1_000, jitter: 0, deadline: "10 seconds" })

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Fraction = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** Runs attempts under a policy; returns the time of each attempt and the outcome of the call. */
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
  describe("policyFromOptions", () => {
    it("policyFromOptions: has defaults", () => {
      const made = makePolicy()

      expect(made.maxAttempts).toBe(4)
      expect(Duration.toMillis(made.base)).toBe(200)
      expect(Duration.toMillis(made.cap)).toBe(5_000)
      expect(made.jitter).toBe(0.5)
      expect(Duration.toMillis(made.deadline)).toBe(30_000)
      expect(Duration.toMillis(made.attemptTimeout)).toBe(Infinity)
    })
    const invalid: ReadonlyArray<[string, RetryPolicy.Options]> = [
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
    for (const [option, options] of invalid) {
      it(`policyFromOptions: rejects ${option} in ${JSON.stringify(options)}`, () => {
        const error = Result.getOrThrow(Result.flip(Retry.policyFromOptions(options, "retry")))

        expect(error._tag).toBe("InvalidOption")
        expect(error.option).toBe(`retry.${option}`)
        expect(error.message).toContain(`"retry.${option}"`)
      })
    }
    it("policyFromOptions: shows an invalid duration in nanoseconds", () => {
      expect(() => makePolicy({ deadline: -1n as never })).toThrow(
        /^Invalid option "deadline": expected a duration above zero .*, received -1n\.$/,
      )
    })
    it("withDeadline: replaces the deadline and nothing else", () => {
      const policy = makePolicy({ maxAttempts: 2 })
      const changed = Result.getOrThrow(Retry.withDeadline(policy, "1 minute"))

      expect(changed).toStrictEqual({ ...policy, deadline: Duration.minutes(1) })
    })
    it("withDeadline: names the option timeout if the time is invalid", () => {
      expect(Result.getOrThrow(Result.flip(Retry.withDeadline(makePolicy(), 0))).option).toBe("timeout")
    })
  })

  describe("delayMillis", () => {
    const jittered = makePolicy({ base: 100, cap: 1_000, jitter: 0.5 })

    it("delayMillis: doubles up to the cap", () => {
      const delays = [1, 2, 3, 4, 5, 60].map((attempt) => Retry.delayMillis(policy, { attempt, random: 0.3 }))

      expect(delays).toStrictEqual([100, 200, 400, 800, 1_000, 1_000])
    })
    it("delayMillis: the jitter removes at most its share", () => {
      expect(Retry.delayMillis(jittered, { attempt: 5, random: 0 })).toBe(1_000)
      expect(Retry.delayMillis(jittered, { attempt: 5, random: 1 })).toBe(500)
    })
    it("delayMillis: is never less than the server requested, even above the cap", () => {
      for (const random of [0, 0.5, 1]) {
        const delay = Retry.delayMillis(jittered, { attempt: 1, random, retryAfter: Duration.seconds(7) })
        expect(delay).toBeGreaterThanOrEqual(7_000)
        expect(delay).toBeLessThanOrEqual(7_050)
      }
    })

    it.prop(
      "law: delayMillis is between the capped backoff less its jitter and the capped backoff",
      {
        attempt: between(1, 100),
        random: Fraction,
        jitter: Fraction,
        base: between(0, 60_000),
        cap: between(0, 60_000),
      },
      ({ attempt, base, cap, jitter, random }) => {
        const own = makePolicy({ base, cap, jitter })
        const delay = Retry.delayMillis(own, { attempt, random })

        const full = Math.min(cap, base * 2 ** (attempt - 1))
        expect(delay).toBeLessThanOrEqual(full)
        expect(delay).toBeGreaterThanOrEqual(full * (1 - jitter) - 1e-6)
      },
    )
    it.prop(
      "law: delayMillis does not decrease from one attempt to the next",
      { attempt: between(1, 100), random: Fraction, jitter: Fraction },
      ({ attempt, jitter, random }) => {
        const own = makePolicy({ jitter })

        expect(Retry.delayMillis(own, { attempt: attempt + 1, random })).toBeGreaterThanOrEqual(
          Retry.delayMillis(own, { attempt, random }),
        )
      },
    )
  })

  describe("next", () => {
    const state: Retry.State = { attempt: 1, deadlineAtMillis: 10_000 }
    const failure = { isRetryable: true, nowMillis: 0, random: 0 }

    it("next: requests another attempt after the backoff of a retryable failure", () => {
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
    it("next: does not wait if another endpoint is available", () => {
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
        const own = makePolicy({ maxAttempts, jitter, base: 100, cap: 1_000 })
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
    it.effect("run: starts no wait that would end after the deadline", () =>
      Effect.gen(function* () {
        const short = makePolicy({ maxAttempts: 100, base: 400, cap: 400, jitter: 0, deadline: 1_000 })
        const { times } = yield* runFor("1 minute", () => Effect.fail(broken), short)

        expect(times).toEqual([0, 400, 800])
      }),
    )
    it.effect("run: starts no attempt after a wait that the process ended late, and fails with the last error", () =>
      Effect.gen(function* () {
        const attempts: Array<number> = []
        const exit = yield* Effect.exit(
          Retry.run({
            initial: (nowMillis) => Retry.initial(policy, nowMillis),
            attempt: ({ attempt }) =>
              Effect.andThen(
                Effect.sync(() => attempts.push(attempt)),
                Effect.fail(broken),
              ),
            next: (state, failure) => Retry.next(policy, state, { ...failure, isRetryable: true, canRetryNow: true }),
            onRetry: () => TestClock.adjust(10_000),
          }),
        )

        expect(attempts).toEqual([1])
        expect(exit).toEqual(Exit.fail(broken))
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
        const many = makePolicy({ maxAttempts: 50_000 })
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

  describe("untilDeadline", () => {
    /** Runs a call that fails `failures` times before it succeeds; returns the time of each call and the exit. */
    const runUntil = Effect.fnUntraced(function* (
      used: RetryPolicy.RetryPolicy,
      failures: number,
      error: ClientError.ClientError = broken,
    ) {
      const times: Array<number> = []
      const call = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        times.push(now) > failures ? Effect.succeed("done") : Effect.fail(error),
      )
      const fiber = yield* Effect.forkChild(Effect.exit(Retry.untilDeadline(used, call)))
      yield* TestClock.adjust("1 minute")
      return { times, exit: yield* Fiber.join(fiber) }
    })

    it.effect("untilDeadline: repeats a call more often than the attempts of the policy, with its backoff", () =>
      Effect.gen(function* () {
        const { exit, times } = yield* runUntil(policy, 6)

        expect(times).toEqual([0, 100, 300, 700, 1_500, 2_500, 3_500])
        expect(exit).toEqual(Exit.succeed("done"))
      }),
    )
    it.effect("untilDeadline: fails with the last error once the next wait would end after the deadline", () =>
      Effect.gen(function* () {
        const { exit, times } = yield* runUntil(policy, 100)

        expect(times.at(-1)).toBe(9_500)
        expect(exit).toEqual(Exit.fail(broken))
      }),
    )
    it.effect(
      "untilDeadline: retries a server that is unavailable for longer than the deadline, but not one with a rate limit",
      () =>
        Effect.gen(function* () {
          const retryAfter = Duration.hours(1)
          const unavailable = new ClientError.InvalidResponse({
            host: "a.test",
            reason: "status",
            path: "status",
            expected: "200",
            received: "503",
            isRetryable: true,
            retryAfter,
          })
          const asked = yield* runUntil(policy, 2, unavailable)
          const refused = yield* runUntil(policy, 2, limited(retryAfter))

          expect(asked).toEqual({ times: [0, 1_000, 2_000], exit: Exit.succeed("done") })
          expect([refused.times.length, refused.exit]).toEqual([1, Exit.fail(limited(retryAfter))])
        }),
    )
    it.effect(
      "untilDeadline: repeats nothing with a policy of one attempt, or after an error that is not retryable",
      () =>
        Effect.gen(function* () {
          const once = yield* runUntil({ ...policy, maxAttempts: 1 }, 1)
          const refused = yield* runUntil(policy, 1, new ClientError.Unauthorized({ host: "a.test" }))

          expect([once.times.length, refused.times.length]).toEqual([1, 1])
        }),
    )
  })
})
