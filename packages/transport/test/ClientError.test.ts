import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { type Attempt, ClientError } from "../src/index.ts"

const attempt: Attempt.Attempt = {
  host: "a.test",
  at: new Date(0),
  outcome: "503",
  duration: Duration.millis(12),
  durationMillis: 12,
}
const host = "a.test"

describe("ClientError", () => {
  it("RateLimited, TimeoutError: state times as durations and in milliseconds", () => {
    const limited = new ClientError.RateLimited({ host, retryAfter: Duration.seconds(3) })
    const late = new ClientError.TimeoutError({ host, phase: "body", deadline: Duration.seconds(10) })

    expect([limited.retryAfterMillis, Duration.toMillis(limited.retryAfter!)]).toStrictEqual([3_000, 3_000])
    expect([late.retryAfterMillis, late.deadlineMillis]).toStrictEqual([undefined, 10_000])
  })

  const all: ReadonlyArray<[ClientError.ClientError, string, boolean]> = [
    [
      new ClientError.TransportError({ host, phase: "connect", reason: "ECONNREFUSED" }),
      "Could not connect to a.test: ECONNREFUSED. Check the address and that the server is running.",
      true,
    ],
    [
      new ClientError.TransportError({ host, phase: "headers", reason: "ECONNRESET" }),
      "Connection to a.test failed before a response was received: ECONNRESET. Try again later.",
      true,
    ],
    [
      new ClientError.TransportError({ host, phase: "body", reason: "terminated" }),
      "Response from a.test was interrupted: terminated. Try again later.",
      true,
    ],
    [
      new ClientError.TimeoutError({ host, phase: "headers", deadline: Duration.seconds(10) }),
      "Request to a.test timed out: no response within 10s. Allow more time or try again later.",
      true,
    ],
    [
      new ClientError.TimeoutError({ host, phase: "body", deadline: Duration.seconds(10) }),
      "Request to a.test timed out: no complete response within 10s. Allow more time or try again later.",
      true,
    ],
    [
      new ClientError.InvalidResponse({
        host,
        reason: "content",
        path: "result[3].hash",
        received: "12",
        expected: "32 bytes in hex",
      }),
      "Invalid response from a.test: result[3].hash: expected 32 bytes in hex, received 12.",
      false,
    ],
    [
      new ClientError.RateLimited({
        host,
        retryAfter: Duration.seconds(90),
        detail: "daily quota",
        attempts: [attempt],
      }),
      "Rate limit exceeded: a.test (daily quota). Retry after 1m 30s.",
      true,
    ],
    [
      new ClientError.RateLimited({ host, retryAfter: Duration.zero }),
      "Rate limit exceeded: a.test. Send fewer requests.",
      true,
    ],
    [
      new ClientError.RateLimited({ host, attempts: [attempt, attempt] }),
      "Rate limit exceeded: a.test. Send fewer requests. (2 attempts)",
      true,
    ],
    [
      new ClientError.Unauthorized({ host, status: 401, detail: "key expired" }),
      "API key rejected: a.test (key expired). Check the key and its permissions.",
      false,
    ],
  ]
  for (const [error, message, isRetryable] of all) {
    it.effect(`${error._tag}: has the message "${message}"`, () =>
      Effect.gen(function* () {
        const failed = yield* Effect.flip(Effect.fail(error))

        expect(failed.message).toBe(message)
        expect(failed.isRetryable).toBe(isRetryable)
        expect(failed).toBeInstanceOf(Error)
        expect(failed.name).toBe(failed._tag)
        expect(failed.stack).toContain(message)
      }),
    )
  }
  it("RateLimited: its fields survive JSON", () => {
    const error = new ClientError.RateLimited({
      host,
      retryAfter: Duration.seconds(1),
      requestId: "r-1",
      attempts: [attempt],
    })
    const json = JSON.parse(JSON.stringify(error))

    expect(json._tag).toBe("RateLimited")
    expect(json.message).toBe(error.message)
    expect(json.requestId).toBe("r-1")
    expect(json.scope).toBe("endpoint")
    expect(json.attempts[0].at).toBe("1970-01-01T00:00:00.000Z")
    expect(json.attempts[0].outcome).toBe("503")
  })
  it.effect("Unauthorized: is caught by its tag", () =>
    Effect.gen(function* () {
      const failing: Effect.Effect<never, ClientError.ClientError> = Effect.gen(function* () {
        return yield* new ClientError.Unauthorized({ host })
      })
      const caught = yield* failing.pipe(
        Effect.catchTag("Unauthorized", (error) => Effect.succeed(error.host)),
        Effect.orDie,
      )

      expect(caught).toBe("a.test")
    }),
  )
  it("InvalidOption: has the standard message for invalid values", () =>
    expect(new ClientError.InvalidOption({ option: "limit", expected: "a number", received: "null" }).message).toBe(
      'Invalid option "limit": expected a number, received null.',
    ))
})
