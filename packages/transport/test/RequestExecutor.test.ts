import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber } from "effect"
import { ClientError, Endpoint, type Event, RequestExecutor, type Http, type RetryPolicy } from "../src/index.ts"
import { reply, script, type Server } from "@daybook/testkit/ScriptedServer"

const quick: RetryPolicy.Options = { base: 1, cap: 2, deadline: "5 seconds" }
const client = (policy: RetryPolicy.Options = quick, options: RequestExecutor.Options = {}) =>
  RequestExecutor.makeUnsafe({ ...options, policy })
const at = (server: Server) => ({ endpoint: Endpoint.makeUnsafe({ url: server.url }) })
const get = (
  executor: RequestExecutor.RequestExecutor,
  server: Server,
  extra: { readonly timeout?: Duration.Input } = {},
) => executor.request({ ...at(server), ...extra }, RequestExecutor.accept)
const gapMillis = (server: Server) =>
  (server.seen[1]?.atMillis ?? Number.NaN) - (server.seen[0]?.atMillis ?? Number.NaN)

describe("Exchange", () => {
  describe("make", () => {
    it.effect("refuses a limit that makes no sense", () =>
      Effect.gen(function* () {
        const bytes = yield* Effect.flip(RequestExecutor.make({ maxBytes: 0 }))
        const policy = yield* Effect.flip(RequestExecutor.make({ policy: { deadline: -1 } }))

        assert.strictEqual(bytes.option, "maxBytes")
        assert.strictEqual(policy.option, "policy.deadline")
      }),
    )
  })
  describe("request", () => {
    it.live("tells a listener each moment of a call, without the key", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(503), (request) => void request.socket.resetAndDestroy(), reply(200, "ok"))
        const events: Array<Event.Event> = []
        const executor = client(quick, { onEvent: (event) => events.push(event) })
        const endpoint = Endpoint.makeUnsafe({ url: server.url, headers: { "X-API-Key": "secret-1" } })
        yield* executor.request(
          { endpoint, path: "/a", query: { cursor: "c d", key: "secret-1" } },
          RequestExecutor.accept,
        )

        assert.deepStrictEqual(
          events.map(({ _tag, attempt, call }) => `${_tag} ${call}.${attempt}`),
          [
            "Request 1.1",
            "Response 1.1",
            "Retry 1.1",
            "Request 1.2",
            "Fault 1.2",
            "Retry 1.2",
            "Request 1.3",
            "Response 1.3",
          ],
        )
        assert.deepInclude(events[0], {
          method: "GET",
          target: "/a?cursor=c+d&key=<redacted>",
          headers: { "x-api-key": "<redacted>" },
        })
        assert.deepInclude(events[1], { host: server.host, status: 503, requestId: undefined })
        assert.deepInclude(events[4], { error: "TransportError" })
      }),
    )
    it.live("lets no fault of a listener into the call", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(200, "ok"))
        const onEvent = () => {
          throw new Error("the log is full")
        }

        assert.strictEqual((yield* get(client(quick, { onEvent }), server)).text, "ok")
      }),
    )
    it.live("tries a 503 again and tells both attempts", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(503), reply(200, "ok"))
        const got = yield* get(client(), server)

        assert.strictEqual(got.text, "ok")
        assert.deepStrictEqual(
          got.attempts.map((attempt) => attempt.outcome),
          ["503", "200"],
        )
      }),
    )
    it.live("tries a reset connection again", () =>
      Effect.gen(function* () {
        const server = yield* script((request) => void request.socket.resetAndDestroy(), reply(200, "ok"))
        const got = yield* get(client(), server)

        assert.deepStrictEqual(
          got.attempts.map((attempt) => attempt.outcome),
          ["TransportError headers", "200"],
        )
      }),
    )
    it.live("gives up after the allowed attempts with the last error and all attempts", () =>
      Effect.gen(function* () {
        const server = yield* script(
          reply(500, "", { "x-request-id": "first" }),
          reply(502, "<html>bad gateway</html>"),
        )
        const error = yield* Effect.flip(get(client({ ...quick, maxAttempts: 3 }), server))

        assert.strictEqual(error._tag, "InvalidResponse")
        assert.strictEqual(error._tag === "InvalidResponse" && error.status, 502)
        assert.deepStrictEqual(
          error.attempts.map((attempt) => attempt.outcome),
          ["500", "502", "502"],
        )
        assert.include(error.message, "502 with the text: <html>bad gateway</html>")
        assert.include(error.message, "3 attempts were made")
        assert.strictEqual(server.seen.length, 3)
      }),
    )
    for (const status of [400, 401, 403, 404, 409, 413]) {
      it.live(`asks once when the answer is ${status}`, () =>
        Effect.gen(function* () {
          const server = yield* script(reply(status))
          const error = yield* Effect.flip(get(client(), server))

          assert.strictEqual(error._tag, status === 401 ? "Unauthorized" : "InvalidResponse")
          assert.strictEqual(server.seen.length, 1)
        }),
      )
    }
    it.live("asks once when the answer is a redirect or too large", () =>
      Effect.gen(function* () {
        const redirecting = yield* script(reply(302, "", { location: "http://other.test/" }))
        const large = yield* script(reply(200, "x".repeat(100)))
        yield* Effect.flip(get(client(), redirecting))
        yield* Effect.flip(get(client(quick, { maxBytes: 99 }), large))

        assert.strictEqual(redirecting.seen.length, 1)
        assert.strictEqual(large.seen.length, 1)
      }),
    )
    const asked: ReadonlyArray<[string, () => Record<string, string>, number, number]> = [
      ["a Retry-After in seconds", () => ({ "retry-after": "1" }), 1_000, 1_500],
      ["a retry-after-ms", () => ({ "retry-after-ms": "80" }), 80, 600],
      [
        "a Retry-After with a date",
        () => ({
          date: new Date(0).toUTCString(),
          "retry-after": new Date(1_000).toUTCString(),
        }),
        1_000,
        1_500,
      ],
    ]
    for (const [name, headers, least, most] of asked) {
      it.live(`waits as ${name} of a 429 asks`, () =>
        Effect.gen(function* () {
          const server = yield* script(reply(429, "", headers()), reply(200, "ok"))
          yield* get(client(), server)

          assert.isAtLeast(gapMillis(server), least - 5)
          assert.isAtMost(gapMillis(server), most)
        }),
      )
    }
    it.live("fails at once with what the server asked when that is beyond the deadline", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(429, "", { "retry-after": "3600" }))
        const startedAt = performance.now()
        const error = yield* Effect.flip(get(client(), server))

        assert.isBelow(performance.now() - startedAt, 1_000)
        assert.strictEqual(error._tag, "RateLimited")
        assert.strictEqual(error.retryAfter && Duration.toMillis(error.retryAfter), 3_600_000)
        assert.strictEqual(error._tag === "RateLimited" && error.status, 429)
        assert.strictEqual(server.seen.length, 1)
      }),
    )
    it.live("shares a pause between the calls to one endpoint", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(429, "", { "retry-after-ms": "200" }), reply(200, "ok"))
        const executor = client()
        const first = yield* Effect.forkChild(get(executor, server))
        yield* Effect.sleep(100)
        const askedAt = performance.now()
        yield* get(executor, server)
        yield* Fiber.join(first)

        assert.strictEqual(server.seen.length, 3)
        assert.isAtLeast((server.seen[1]?.atMillis ?? 0) - (server.seen[0]?.atMillis ?? 0), 195)
        assert.isAtLeast(performance.now() - askedAt, 50)
      }),
    )
    it.live("holds the other calls back while it backs off from a 429 without a hint", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(429), reply(200, "ok"))
        const executor = client({ base: 150, jitter: 0, deadline: 5_000 })
        const first = yield* Effect.forkChild(get(executor, server))
        yield* Effect.sleep(75)
        yield* get(executor, server)
        yield* Fiber.join(first)

        assert.isAtLeast(gapMillis(server), 145)
        assert.strictEqual(server.seen.length, 3)
      }),
    )
    it.live("waits for ever when the deadline is infinite", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(503), reply(200, "ok"))

        assert.strictEqual((yield* get(client(quick), server, { timeout: Duration.infinity })).text, "ok")
      }),
    )
    it.live("sends nothing while a pause outlasts the call's deadline, and lets another key through", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(429, "", { "retry-after": "60" }), reply(200, "ok"))
        const executor = client()
        yield* Effect.flip(get(executor, server))
        const error = yield* Effect.flip(get(executor, server))

        assert.strictEqual(error._tag, "RateLimited")
        assert.strictEqual(error._tag === "RateLimited" && error.status, undefined)
        assert.deepStrictEqual(error.attempts, [])
        assert.strictEqual(server.seen.length, 1)
        const endpoint = Endpoint.makeUnsafe({ url: server.url, headers: { "x-api-key": "another" } })
        assert.strictEqual((yield* executor.request({ endpoint }, RequestExecutor.accept)).text, "ok")
      }),
    )
    it.live("keeps a limit of one call away from the others", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(200, "busy"), reply(200, "ok"))
        const executor = client()
        const error = yield* Effect.flip(
          executor.request(at(server), (got: Http.Reply) =>
            Effect.fail(new ClientError.RateLimited({ ...got, scope: "call", retryAfter: Duration.minutes(5) })),
          ),
        )
        const got = yield* get(executor, server)

        assert.strictEqual(error._tag, "RateLimited")
        assert.strictEqual(got.text, "ok")
      }),
    )
    it.live("tries again what decode calls retryable, and waits as decode says", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(200, '{"error":"slow down","wait":60}'), reply(200, '{"result":1}'))
        const decode = (got: Http.Reply) => {
          const body: unknown = JSON.parse(got.text)
          return typeof body === "object" && body !== null && "result" in body
            ? Effect.succeed(body.result)
            : Effect.fail(new ClientError.RateLimited({ ...got, retryAfter: Duration.millis(60) }))
        }
        const result = yield* client().request(at(server), decode)

        assert.strictEqual(result, 1)
        assert.isAtLeast(gapMillis(server), 59)
      }),
    )
    it.live("obeys the caller's predicate", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(503))
        const isRetryable = (error: ClientError.Failure) => error._tag !== "InvalidResponse"
        yield* Effect.flip(client().request({ ...at(server), isRetryable }, RequestExecutor.accept))

        assert.strictEqual(server.seen.length, 1)
      }),
    )
    it.live("covers all attempts and their bodies with one deadline", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(503), (_request, response) => void response.writeHead(200).write("part"))
        const startedAt = performance.now()
        const error = yield* Effect.flip(get(client(), server, { timeout: 200 }))

        assert.isAtLeast(performance.now() - startedAt, 195)
        assert.isBelow(performance.now() - startedAt, 1_000)
        assert.strictEqual(error._tag, "TimeoutError")
        assert.strictEqual(error._tag === "TimeoutError" && error.phase, "body")
        assert.strictEqual(error._tag === "TimeoutError" && Duration.toMillis(error.deadline), 200)
        assert.deepStrictEqual(
          error.attempts.map((attempt) => attempt.outcome),
          ["503", "TimeoutError body"],
        )
        yield* Effect.promise(() => server.closed(2))
      }),
    )
    it.live("tries a stalled attempt again when the policy limits each attempt", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {}, reply(200, "ok"))
        const got = yield* get(client({ ...quick, attemptTimeout: 60, maxAttempts: 20 }), server)

        // A busy machine may need more than the second one.
        const outcomes = got.attempts.map((attempt) => attempt.outcome)
        assert.deepStrictEqual([outcomes[0], outcomes.at(-1)], ["TimeoutError headers", "200"])
      }),
    )
    it.live("starts no attempt after the deadline", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(503))
        const policy = { base: 60, cap: 60, jitter: 0, maxAttempts: 1_000 }
        yield* Effect.flip(get(client(policy), server, { timeout: 200 }))
        const count = server.seen.length

        assert.isAtMost(count, 4)
        assert.isAtLeast(count, 2)
      }),
    )
    it.live("closes the socket and tries no more when it is interrupted", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const fiber = yield* Effect.forkChild(get(client(), server))
        yield* Effect.sleep(50)
        yield* Fiber.interrupt(fiber)
        yield* Effect.promise(() => server.closed(1))

        assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
        assert.strictEqual(server.seen.length, 1)
      }),
    )
    it.effect("dies on a timeout that makes no sense", () =>
      Effect.gen(function* () {
        const endpoint = Endpoint.makeUnsafe({ url: "http://nowhere.test" })
        const exit = yield* Effect.exit(client().request({ endpoint, timeout: 0 }, RequestExecutor.accept))

        assert.isTrue(Exit.isFailure(exit))
        assert.include(String(exit), '"timeout" takes a duration above zero')
      }),
    )
  })
})
