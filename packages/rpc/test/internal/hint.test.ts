import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { waitAsked } from "../../src/internal/hint.ts"

const millis = (error: { readonly message: string }): number | undefined => {
  const wait = waitAsked(error)
  return wait === undefined ? undefined : Duration.toMillis(wait)
}

describe("hint", () => {
  describe("waitAsked", () => {
    it.each([
      [{ message: "", data: { rate: { allowed_rps: 1, backoff_seconds: 30, current_rps: 1.4 } } }, 30_000],
      [{ message: "", data: { try_again_in: "31.2ms" } }, 32],
      [{ message: "", data: { retry_after: 2 } }, 2_000],
      [{ message: "", data: { retryAfterMs: "250" } }, 250],
      [{ message: "", retry_after: "1m" }, 60_000],
      [{ message: "rate limit exceeded, retry in 10s" }, 10_000],
      [{ message: "Too many requests. Try again in 500 ms." }, 500],
      [{ message: "please wait 2 minutes" }, 120_000],
    ])("reads %j as %i ms", (error, expected) => {
      assert.strictEqual(millis(error), expected)
    })

    it.each([
      { message: "limit exceeded" },
      { message: "block 12 s" },
      { message: "", data: { retry_after: "soon" } },
      { message: "", data: { retry_after: -1 } },
      { message: "", data: [30] },
    ])("reads no wait in %j", (error) => {
      assert.strictEqual(millis(error), undefined)
    })

    it("believes a day at most", () => {
      assert.strictEqual(millis({ message: "retry in 999999 hours" }), 86_400_000)
    })
  })
})
