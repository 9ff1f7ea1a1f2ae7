/** Sizes, units of time and limits of a bucket. */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as TokenBucket from "../../src/internal/TokenBucket.ts"

describe("TokenBucket", () => {
  it("initial: is full, with one second's units or at least one if no burst is set", () => {
    expect([5, 1, 0.5].map((perSecond) => TokenBucket.initial({ perSecond }).level)).toEqual([5, 1, 1])
    expect(TokenBucket.initial({ perSecond: 5, burst: 2 }).level).toBe(2)
  })

  it("fill: adds the units of the elapsed time, up to the burst", () => {
    const empty = TokenBucket.take(TokenBucket.fill(TokenBucket.initial({ perSecond: 10 }), 1_000), 10)

    expect([1_000, 1_500, 2_000, 9_000].map((now) => TokenBucket.fill(empty, now).level)).toEqual([0, 5, 10, 10])
  })

  const checked: ReadonlyArray<readonly [options: unknown, refusal: string | undefined]> = [
    [{ perSecond: 5 }, undefined],
    [{ perSecond: () => 0.5, burst: 3 }, undefined],
    [{ perSecond: 5, limit: true }, undefined],
    [{ perSecond: 0 }, 'Invalid option "rateLimit.perSecond"'],
    [{ perSecond: () => 0 }, 'Invalid option "rateLimit.perSecond"'],
    [
      { perSecond: (): undefined => undefined },
      'Invalid option "rateLimit.perSecond": expected a number above 0, received nothing',
    ],
    [{ burst: 3 }, 'Invalid option "rateLimit.perSecond": expected a number above 0, received nothing'],
    [{ perSecond: 5, burst: 0 }, 'Invalid option "rateLimit.burst"'],
    [{ perSecond: 5, limit: 7 }, 'Invalid option "rateLimit.limit"'],
    [null, 'Invalid option "rateLimit"'],
    [5, 'Invalid option "rateLimit"'],
  ]
  it.each(checked)("check: accepts %j or rejects it by the name of the option", (options, refusal) => {
    const result = TokenBucket.check(options as never, { limit: "boolean" })

    expect(Result.isFailure(result) ? result.failure.message : undefined).toEqual(
      refusal === undefined ? undefined : expect.stringContaining(refusal),
    )
  })

  it.effect("take: returns the wait if it is at least the permitted time, and then takes nothing", () =>
    Effect.gen(function* () {
      const bucket = TokenBucket.make({ perSecond: 1, burst: 1 })
      const waitOf = (withinMillis: number) =>
        Effect.map(bucket.take("eth_call", withinMillis), (wait) => wait && Duration.toMillis(wait))
      yield* waitOf(1)
      yield* TestClock.adjust("500 millis")

      expect([yield* waitOf(400), yield* waitOf(500)]).toEqual([500, 500])
      yield* TestClock.adjust("500 millis")
      expect(yield* waitOf(1)).toBeUndefined()
    }),
  )
})
