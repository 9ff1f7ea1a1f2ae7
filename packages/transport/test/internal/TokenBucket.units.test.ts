/** Sizes, units of time and bounds of a bucket. */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as TokenBucket from "../../src/internal/TokenBucket.ts"

describe("TokenBucket", () => {
  it("initial: is full, with one second's units or at least one where no burst is set", () => {
    expect([5, 1, 0.5].map((perSecond) => TokenBucket.initial({ perSecond }).level)).toEqual([5, 1, 1])
    expect(TokenBucket.initial({ perSecond: 5, burst: 2 }).level).toBe(2)
  })

  it("fill: adds the units of the time that has passed, up to the burst", () => {
    const empty = TokenBucket.take(TokenBucket.fill(TokenBucket.initial({ perSecond: 10 }), 1_000), 10)

    expect([1_000, 1_500, 2_000, 9_000].map((now) => TokenBucket.fill(empty, now).level)).toEqual([0, 5, 10, 10])
  })

  it.effect("take: gives the wait where it is not shorter than the time allowed, and takes nothing then", () =>
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
