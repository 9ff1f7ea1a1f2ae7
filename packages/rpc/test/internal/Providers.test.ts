import { describe, expect, it } from "@effect/vitest"
import { Duration } from "effect"
import { retryAfterOf } from "../../src/internal/Providers.ts"

const millis = (error: { readonly message: string }): number | undefined => {
  const wait = retryAfterOf(error)
  return wait === undefined ? undefined : Duration.toMillis(wait)
}

describe("hint", () => {
  describe("retryAfterOf", () => {
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
      expect(millis(error)).toBe(expected)
    })

    it.each([
      { message: "limit exceeded" },
      { message: "block 12 s" },
      { message: "", data: { retry_after: "soon" } },
      { message: "", data: { retry_after: -1 } },
      { message: "", data: [30] },
    ])("reads no wait in %j", (error) => {
      expect(millis(error)).toBe(undefined)
    })

    it("believes a day at most", () => {
      expect(millis({ message: "retry in 999999 hours" })).toBe(86_400_000)
    })
  })
})
