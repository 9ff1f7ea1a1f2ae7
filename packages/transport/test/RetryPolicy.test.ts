import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Schema } from "effect"
import { RetryPolicy } from "../src/index.ts"

const policy = RetryPolicy.makeUnsafe({ maxAttempts: 4, base: 100, cap: 1_000, jitter: 0, deadline: "10 seconds" })

describe("RetryPolicy", () => {
  describe("make", () => {
    it("has defaults", () => {
      const made = RetryPolicy.makeUnsafe()

      expect(made.maxAttempts).toBe(4)
      expect(Duration.toMillis(made.deadline)).toBe(30_000)
      expect(Duration.toMillis(made.attemptTimeout)).toBe(Infinity)
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

          expect(error._tag).toBe("InvalidOption")
          expect(error.option).toBe(option)
          expect(error.message).toContain(`"${option}"`)
        }),
      )
    }
  })

  it("refuses a duration in nanoseconds and shows it", () => {
    expect(() => RetryPolicy.makeUnsafe({ deadline: -1n })).toThrow('"deadline" takes a duration above zero')
    expect(() => RetryPolicy.makeUnsafe({ deadline: -1n })).toThrow("-1 came")
  })

  describe("delayMillis", () => {
    const jittered = RetryPolicy.makeUnsafe({ base: 100, cap: 1_000, jitter: 0.5 })
    it("doubles up to the cap", () => {
      const delays = [1, 2, 3, 4, 5, 60].map((attempt) => RetryPolicy.delayMillis(policy, { attempt, random: 0.3 }))

      expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000])
    })
    it("takes at most the jitter's share away", () => {
      expect(RetryPolicy.delayMillis(jittered, { attempt: 5, random: 0 })).toBe(1_000)
      expect(RetryPolicy.delayMillis(jittered, { attempt: 5, random: 1 })).toBe(500)
    })
    it("never waits less than the server asked, beyond the cap too", () => {
      for (const random of [0, 0.5, 1]) {
        const delay = RetryPolicy.delayMillis(jittered, { attempt: 1, random, retryAfter: Duration.seconds(7) })
        expect(delay).toBeGreaterThanOrEqual(7_000)
        expect(delay).toBeLessThanOrEqual(7_050)
      }
    })

    const Fraction = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
    const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60_000 }))
    it.prop(
      "law: delayMillis lies between the capped backoff less its jitter and the capped backoff",
      {
        attempt: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })),
        random: Fraction,
        jitter: Fraction,
        base: Millis,
        cap: Millis,
      },
      ({ attempt, base, cap, jitter, random }) => {
        const own = RetryPolicy.makeUnsafe({ base, cap, jitter })
        const delay = RetryPolicy.delayMillis(own, { attempt, random })

        const full = Math.min(cap, base * 2 ** (attempt - 1))
        expect(delay).toBeLessThanOrEqual(full)
        expect(delay).toBeGreaterThanOrEqual(full * (1 - jitter) - 1e-6)
      },
    )
    it.prop(
      "law: delayMillis does not decrease from one attempt to the next",
      { attempt: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })), random: Fraction, jitter: Fraction },
      ({ attempt, jitter, random }) => {
        const own = RetryPolicy.makeUnsafe({ jitter })

        expect(RetryPolicy.delayMillis(own, { attempt: attempt + 1, random })).toBeGreaterThanOrEqual(
          RetryPolicy.delayMillis(own, { attempt, random }),
        )
      },
    )
  })
})
