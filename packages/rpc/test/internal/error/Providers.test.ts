/** The provider table: kinds of errors, batch limits, requested waits. */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Schema } from "effect"
import { batchEffectOf, kindOf, retryAfterOf, rows } from "../../../src/internal/error/Providers.ts"

const millis = (error: { readonly message: string }): number | undefined => {
  const wait = retryAfterOf(error)
  return wait === undefined ? undefined : Duration.toMillis(wait)
}

describe("Providers", () => {
  it.each([
    [{ message: "", data: { rate: { allowed_rps: 1, backoff_seconds: 30, current_rps: 1.4 } } }, 30_000],
    [{ message: "", data: { try_again_in: "31.2ms" } }, 32],
    [{ message: "", data: { try_again_in: 2 } }, 2_000],
    [{ message: "", data: { retry_after: 2 } }, 2_000],
    [{ message: "", data: { retryAfterMs: "250" } }, 250],
    [{ message: "", retry_after: "1m" }, 60_000],
    [{ message: "rate limit exceeded, retry in 10s" }, 10_000],
    [{ message: "Too many requests. Try again in 500 ms." }, 500],
    [{ message: "please wait 2 minutes" }, 120_000],
  ])("retryAfterOf: reads %j as %i ms", (error, expected) => {
    expect(millis(error)).toBe(expected)
  })

  const withoutWait: ReadonlyArray<{ readonly message: string; readonly data?: unknown }> = [
    { message: "limit exceeded" },
    { message: "block 12 s" },
    { message: "", data: { retry_after: "soon" } },
    { message: "", data: { retry_after: -1 } },
    { message: "", data: [30] },
    { message: "", data: { constructor: 5 } },
  ]

  it.each(withoutWait)("retryAfterOf: finds no wait in %j", (error) => {
    expect(millis(error)).toBeUndefined()
  })

  it("retryAfterOf: limits a wait to one day", () => {
    expect(millis({ message: "retry in 999999 hours" })).toBe(86_400_000)
  })

  it("kindOf: every row is reachable by one of its codes or is a message pattern", () => {
    for (const { codes, kind, message } of rows) {
      expect(codes !== undefined || message !== undefined).toBe(true)
      if (message === undefined) expect(codes?.map((code) => kindOf({ code, message: "" }))).toContain(kind)
    }
  })

  it("kindOf: reads a message of 100,000 characters", () => {
    expect(kindOf({ code: -32000, message: "exceeds block range ".repeat(5_000) })).toBe("tooLarge")
  })

  it("batchEffectOf: concerns only errors about the size or form of a request", () => {
    const effects = [
      { code: -32000, message: "batch requests are disabled" },
      { code: -32007, message: "Method debug_traceCall is not permitted as part of batch requests" },
      { code: -32003, message: "" },
      { code: -32700, message: "parse error" },
      { code: 3, message: "response too large" },
      { code: -32000, message: "header not found" },
    ].map(batchEffectOf)

    expect(effects).toEqual(["one", "one", "fewer", "unread", undefined, undefined])
  })

  it.prop(
    "law: any code and message have a kind, and a requested wait is from zero to one day",
    { code: Schema.Int, message: Schema.String, data: Schema.Json },
    ({ code, data, message }) => {
      const error = { code, message, data }
      const wait = millis(error)

      expect(typeof kindOf(error)).toBe("string")
      expect(wait === undefined || (wait >= 0 && wait <= 86_400_000)).toBe(true)
    },
  )
})
