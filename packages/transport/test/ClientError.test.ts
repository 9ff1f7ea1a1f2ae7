import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { type Attempt, ClientError } from "../src/index.ts"

const attempt: Attempt.Attempt = {
  host: "a.test",
  at: new Date(0),
  outcome: "503",
  duration: Duration.millis(12),
}
const host = "a.test"

describe("ClientError", () => {
  const all: ReadonlyArray<[ClientError.ClientError, string, boolean]> = [
    [
      new ClientError.TransportError({ host, phase: "connect", reason: "ECONNREFUSED" }),
      "Could not connect to a.test: ECONNREFUSED. Check the address and that the server is up.",
      true,
    ],
    [
      new ClientError.TransportError({ host, phase: "headers", reason: "ECONNRESET" }),
      "The connection to a.test failed before an answer came: ECONNRESET. Try again later.",
      true,
    ],
    [
      new ClientError.TransportError({ host, phase: "body", reason: "terminated" }),
      "The answer of a.test broke off: terminated. Try again later.",
      true,
    ],
    [
      new ClientError.TimeoutError({ host, phase: "headers", deadline: Duration.seconds(10) }),
      "a.test did not send an answer within 10s. Allow more time or try again later.",
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
      "The answer of a.test is not usable: result[3].hash is 12; expected 32 bytes in hex.",
      false,
    ],
    [
      new ClientError.RateLimited({
        host,
        retryAfter: Duration.seconds(90),
        detail: "daily quota",
        attempts: [attempt],
      }),
      "a.test refuses more requests for now (daily quota). It asked to wait 1m 30s.",
      true,
    ],
    [
      new ClientError.RateLimited({ host, attempts: [attempt, attempt] }),
      "a.test refuses more requests for now. Send fewer requests. (2 attempts were made.)",
      true,
    ],
    [
      new ClientError.Unauthorized({ host, status: 401, detail: "key expired" }),
      "a.test does not accept the API key (key expired). Check the key and what it is allowed to do.",
      false,
    ],
  ]
  for (const [error, message, isRetryable] of all) {
    it.effect(`${error._tag} says: ${message}`, () =>
      Effect.gen(function* () {
        const failed = yield* Effect.flip(Effect.fail(error))

        assert.strictEqual(failed.message, message)
        assert.strictEqual(failed.isRetryable, isRetryable)
        assert.instanceOf(failed, Error)
        assert.strictEqual(failed.name, failed._tag)
        assert.include(failed.stack, message)
      }),
    )
  }
  it("has facts that JSON can carry", () => {
    const error = new ClientError.RateLimited({
      host,
      retryAfter: Duration.seconds(1),
      requestId: "r-1",
      attempts: [attempt],
    })
    const json = JSON.parse(JSON.stringify(error))

    assert.strictEqual(json._tag, "RateLimited")
    assert.strictEqual(json.message, error.message)
    assert.strictEqual(json.requestId, "r-1")
    assert.strictEqual(json.scope, "endpoint")
    assert.strictEqual(json.attempts[0].at, "1970-01-01T00:00:00.000Z")
    assert.strictEqual(json.attempts[0].outcome, "503")
  })
  it.effect("is caught by its tag", () =>
    Effect.gen(function* () {
      const failing: Effect.Effect<never, ClientError.ClientError> = Effect.gen(function* () {
        return yield* new ClientError.Unauthorized({ host })
      })
      const caught = yield* failing.pipe(
        Effect.catchTag("Unauthorized", (error) => Effect.succeed(error.host)),
        Effect.orDie,
      )

      assert.strictEqual(caught, "a.test")
    }),
  )
  it("InvalidOption names the option", () =>
    assert.strictEqual(
      new ClientError.InvalidOption({ option: "limit", issue: "takes a number." }).message,
      'The option "limit" takes a number.',
    ))
})
