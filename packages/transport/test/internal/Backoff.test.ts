import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Backoff from "../../src/internal/Backoff.ts"

describe("Backoff", () => {
  it("delayMillis: doubles with each failure up to the cap", () => {
    const backoff = { firstMillis: 500, maxMillis: 3_000 }

    expect([1, 2, 3, 4, 5].map((failures) => Backoff.delayMillis(backoff, failures))).toEqual([
      500, 1_000, 2_000, 3_000, 3_000,
    ])
  })

  it.prop(
    "delayMillis: is between the first delay and the cap, and never decreases",
    { failures: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })) },
    ({ failures }) => {
      const backoff = { firstMillis: 50, maxMillis: 10_000 }
      const delay = Backoff.delayMillis(backoff, failures)

      expect(delay).toBeGreaterThanOrEqual(backoff.firstMillis)
      expect(delay).toBeLessThanOrEqual(backoff.maxMillis)
      expect(Backoff.delayMillis(backoff, failures + 1)).toBeGreaterThanOrEqual(delay)
    },
  )
})
