import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import {
  type Attempt,
  ClientError,
  Endpoint,
  type Event,
  type Http,
  RequestExecutor,
  type RetryPolicy,
} from "../src/index.ts"
import * as Eventually from "@daybook/harness/Eventually"
import { reply, script, type Server } from "@daybook/harness/ScriptedServer"
import { advanceUntilDone, type Scripted, scriptedFetch, turnOfEventLoop } from "./scripted.ts"

const quick: RetryPolicy.Options = { base: 1, cap: 2, deadline: "5 seconds" }
const client = (policy: RetryPolicy.Options = quick, options: RequestExecutor.Options = {}) =>
  RequestExecutor.makeUnsafe({ ...options, policy })
const at = (server: Server) => ({ endpoint: Endpoint.makeUnsafe({ url: server.url }) })
const get = (executor: RequestExecutor.RequestExecutor, server: Server) =>
  executor.request(at(server), RequestExecutor.accept)
const outcomesOf = ({ attempts }: { readonly attempts: ReadonlyArray<Attempt.Attempt> }) =>
  attempts.map(({ outcome }) => outcome)

const endpoint = Endpoint.makeUnsafe({ url: "http://a.test" })
const steady: RetryPolicy.Options = { base: 100, cap: 1_000, jitter: 0, deadline: "5 seconds" }

/** Runs one call over scripted responses on the test clock; returns its exit and the start of each attempt. */
const play = (
  responses: ReadonlyArray<Scripted>,
  policy = steady,
  request: { readonly timeout?: RetryPolicy.Time } = {},
) =>
  Effect.gen(function* () {
    const { fetch, requests } = scriptedFetch(...responses)
    const call = client(policy, { fetch }).request({ endpoint, ...request }, RequestExecutor.accept)
    const fiber = yield* Effect.forkChild(Effect.result(call))
    yield* advanceUntilDone(fiber)
    const result = yield* Fiber.join(fiber)
    const { attempts } = result._tag === "Success" ? result.success : result.failure
    return { result, requests: requests(), times: attempts.map((attempt) => attempt.at.getTime()), attempts }
  })

describe("RequestExecutor", () => {
  it.effect("make: rejects an invalid limit and names its option", () =>
    Effect.gen(function* () {
      const bytes = yield* Effect.flip(RequestExecutor.make({ maxBytes: 0 }))
      const policy = yield* Effect.flip(RequestExecutor.make({ policy: { deadline: -1 } }))

      expect(bytes.option).toBe("maxBytes")
      expect(policy.option).toBe("policy.deadline")
    }),
  )

  describe("events", () => {
    it.live("request: reports each event of a call to a listener, without the key", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(503), (request) => void request.socket.resetAndDestroy(), reply(200, "ok"))
        const events: Array<Event.Event> = []
        const executor = client(quick, { onEvent: (event) => events.push(event) })
        const keyed = Endpoint.makeUnsafe({ url: server.url, headers: { "X-API-Key": "secret-1" } })
        yield* executor.request(
          { endpoint: keyed, path: "/a", query: { cursor: "c d", key: "secret-1" } },
          RequestExecutor.accept,
        )

        expect(events.map(({ _tag, attempt, call }) => `${_tag} ${call}.${attempt}`)).toStrictEqual([
          "Request 1.1",
          "Response 1.1",
          "Retry 1.1",
          "Request 1.2",
          "Fault 1.2",
          "Retry 1.2",
          "Request 1.3",
          "Response 1.3",
        ])
        expect(events[0]).toMatchObject({
          method: "GET",
          target: "/a?cursor=c+d&key=<redacted>",
          headers: { "x-api-key": "<redacted>" },
        })
        expect(events[1]).toMatchObject({ host: server.host, status: 503, requestId: undefined })
        expect(events[4]).toMatchObject({ error: "TransportError" })
      }),
    )
    it.live("request: ignores an exception of a listener", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(200, "ok"))
        const onEvent = () => {
          throw new Error("the log is full")
        }

        expect((yield* get(client(quick, { onEvent }), server)).text).toBe("ok")
      }),
    )

    it.live("request: ignores an exception of an asynchronous listener", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(200, "ok"))
        const unhandled: Array<unknown> = []
        const note = (reason: unknown) => void unhandled.push(reason)
        process.on("unhandledRejection", note)
        yield* Effect.addFinalizer(() => Effect.sync(() => process.off("unhandledRejection", note)))
        const onEvent: () => unknown = async () => {
          throw new Error("the log is full")
        }

        expect((yield* get(client(quick, { onEvent }), server)).text).toBe("ok")
        // Rejections without a handler are reported before the next turn.
        yield* Effect.promise(() => new Promise(setImmediate))
        expect(unhandled).toEqual([])
      }),
    )
  })

  describe("retries", () => {
    it.live("request: retries a 503 and lists both attempts", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(503), reply(200, "ok"))
        const received = yield* get(client(), server)

        expect(received.text).toBe("ok")
        expect(outcomesOf(received)).toStrictEqual(["503", "200"])
      }),
    )
    it.live("request: retries a reset connection", () =>
      Effect.gen(function* () {
        const server = yield* script((request) => void request.socket.resetAndDestroy(), reply(200, "ok"))

        expect(outcomesOf(yield* get(client(), server))).toStrictEqual(["TransportError headers", "200"])
      }),
    )
    it.live("request: fails after the last attempt with its error and all attempts", () =>
      Effect.gen(function* () {
        const server = yield* script(
          reply(500, "", { "x-request-id": "first" }),
          reply(502, "<html>bad gateway</html>"),
        )
        const error = yield* Effect.flip(get(client({ ...quick, maxAttempts: 3 }), server))

        expect(error._tag === "InvalidResponse" && error.status).toBe(502)
        expect(outcomesOf(error)).toStrictEqual(["500", "502", "502"])
        expect(error.message).toBe(
          `Invalid response from ${server.host}: status: expected a status from 200 to 299, received 502 with the text: <html>bad gateway</html>. (3 attempts)`,
        )
        expect(server.seen.length).toBe(3)
      }),
    )
    for (const status of [400, 401, 403, 404, 409, 413]) {
      it.live(`request: does not retry a ${status}`, () =>
        Effect.gen(function* () {
          const server = yield* script(reply(status))
          const error = yield* Effect.flip(get(client(), server))

          expect(error._tag).toBe(status === 401 ? "Unauthorized" : "InvalidResponse")
          expect(server.seen.length).toBe(1)
        }),
      )
    }
    it.live("request: does not retry a redirect or a response above the limit", () =>
      Effect.gen(function* () {
        const redirecting = yield* script(reply(302, "", { location: "http://other.test/" }))
        const large = yield* script(reply(200, "x".repeat(100)))
        yield* Effect.flip(get(client(), redirecting))
        yield* Effect.flip(get(client(quick, { maxBytes: 99 }), large))

        expect(redirecting.seen.length).toBe(1)
        expect(large.seen.length).toBe(1)
      }),
    )
    it.live("request: retries a retryable failure of decode", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(200, '{"error":"slow down"}'), reply(200, '{"result":1}'))
        const decode = (received: Http.Reply) => {
          const body: unknown = JSON.parse(received.text)
          return typeof body === "object" && body !== null && "result" in body
            ? Effect.succeed(body.result)
            : Effect.fail(new ClientError.RateLimited({ ...received, retryAfter: Duration.millis(1) }))
        }

        expect(yield* client().request(at(server), decode)).toBe(1)
      }),
    )
    it.live("request: the predicate of a call decides which errors are retried", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(503))
        const isRetryable = (error: ClientError.Failure) => error._tag !== "InvalidResponse"
        yield* Effect.flip(client().request({ ...at(server), isRetryable }, RequestExecutor.accept))

        expect(server.seen.length).toBe(1)
      }),
    )
  })

  describe("waits", () => {
    const requested: ReadonlyArray<readonly [string, Record<string, string>, number]> = [
      ["a Retry-After in seconds", { "retry-after": "1" }, 1_000],
      ["a retry-after-ms", { "retry-after-ms": "80" }, 80],
      [
        "a Retry-After with a date",
        { date: new Date(0).toUTCString(), "retry-after": new Date(1_000).toUTCString() },
        1_000,
      ],
    ]
    for (const [name, headers, millis] of requested) {
      it.effect(`request: waits as ${name} of a 429 requests`, () =>
        Effect.gen(function* () {
          const { times } = yield* play([{ status: 429, headers }, { status: 200 }])

          expect(times).toStrictEqual([0, Math.max(millis, 100)])
        }),
      )
    }
    it.effect("request: fails at once with the requested wait when it exceeds the deadline", () =>
      Effect.gen(function* () {
        const { requests, result } = yield* play([{ status: 429, headers: { "retry-after": "3600" } }])

        const error = result._tag === "Failure" ? result.failure : expect.unreachable("the call must fail")
        expect(error._tag === "RateLimited" && error.status).toBe(429)
        expect(error.retryAfter && Duration.toMillis(error.retryAfter)).toBe(3_600_000)
        expect(requests).toBe(1)
        expect(yield* Clock.currentTimeMillis).toBeLessThan(100)
      }),
    )
    it.effect("request: shares a requested wait between the calls to one endpoint", () =>
      Effect.gen(function* () {
        const { fetch, requests } = scriptedFetch(
          { status: 429, headers: { "retry-after-ms": "200" } },
          { status: 200 },
        )
        const executor = client({ ...steady, base: 50 }, { fetch })
        const call = executor.request({ endpoint }, RequestExecutor.accept)
        const first = yield* Effect.forkChild(call)
        yield* Eventually.untilEffect(Effect.sync(() => requests() === 1))
        yield* turnOfEventLoop
        yield* TestClock.adjust("100 millis")
        const second = yield* Effect.forkChild(call)
        yield* advanceUntilDone(second)
        yield* advanceUntilDone(first)
        const { attempts } = yield* Fiber.join(second)

        expect(attempts.map((attempt) => attempt.at.getTime() >= 200)).toStrictEqual([true])
      }),
    )
    it.effect("request: observes a wait that was requested while the call waited for the client's own rate limit", () =>
      Effect.gen(function* () {
        const { fetch } = scriptedFetch({ status: 429, headers: { "retry-after": "3" } }, { status: 200 })
        const executor = client(steady, { fetch, rateLimit: { perSecond: 1, burst: 1 } })
        const call = executor.request({ endpoint }, RequestExecutor.accept)
        const first = yield* Effect.forkChild(call)
        const second = yield* Effect.forkChild(call)
        yield* advanceUntilDone(second)
        yield* advanceUntilDone(first)
        const { attempts } = yield* Fiber.join(second)

        expect(attempts.map((attempt) => attempt.at.getTime() >= 3_000)).toStrictEqual([true])
      }),
    )
    it.effect("request: makes other calls wait while it backs off from a 429 without a Retry-After", () =>
      Effect.gen(function* () {
        const { fetch, requests } = scriptedFetch({ status: 429 }, { status: 200 })
        const executor = client({ base: 150, jitter: 0, deadline: 5_000 }, { fetch })
        const call = executor.request({ endpoint }, RequestExecutor.accept)
        const first = yield* Effect.forkChild(call)
        yield* Eventually.untilEffect(Effect.sync(() => requests() === 1))
        yield* turnOfEventLoop
        const second = yield* Effect.forkChild(call)
        yield* advanceUntilDone(second)
        yield* advanceUntilDone(first)
        const { attempts } = yield* Fiber.join(second)

        expect(attempts.map((attempt) => attempt.at.getTime() >= 150)).toStrictEqual([true])
        expect(requests()).toBe(3)
      }),
    )
    it.live(
      "request: sends nothing while a requested wait exceeds the deadline, but sends calls with another key",
      () =>
        Effect.gen(function* () {
          const server = yield* script(reply(429, "", { "retry-after": "60" }), reply(200, "ok"))
          const executor = client()
          yield* Effect.flip(get(executor, server))
          const error = yield* Effect.flip(get(executor, server))

          expect(error._tag === "RateLimited" && error.status).toBeUndefined()
          expect(error._tag).toBe("RateLimited")
          expect(error.attempts).toStrictEqual([])
          expect(server.seen.length).toBe(1)
          const other = Endpoint.makeUnsafe({ url: server.url, headers: { "x-api-key": "another" } })
          expect((yield* executor.request({ endpoint: other }, RequestExecutor.accept)).text).toBe("ok")
        }),
    )
    it.effect(
      "request: sends other calls after the longest backoff if an unavailable server stated a longer time",
      () =>
        Effect.gen(function* () {
          const { fetch, requests } = scriptedFetch(
            { status: 503, headers: { "retry-after": "86400" } },
            { status: 200, text: "ok" },
          )
          const executor = client(steady, { fetch })
          const error = yield* Effect.flip(executor.request({ endpoint }, RequestExecutor.accept))
          const fiber = yield* Effect.forkChild(executor.request({ endpoint }, RequestExecutor.accept))
          yield* TestClock.adjust("999 millis")

          expect([error._tag, requests()]).toEqual(["InvalidResponse", 1])
          yield* advanceUntilDone(fiber)
          expect((yield* Fiber.join(fiber)).text).toBe("ok")
        }),
    )
    it.live("request: a rate limit with scope call does not affect other calls", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(200, "busy"), reply(200, "ok"))
        const executor = client()
        const error = yield* Effect.flip(
          executor.request(at(server), (received: Http.Reply) =>
            Effect.fail(new ClientError.RateLimited({ ...received, scope: "call", retryAfter: Duration.minutes(5) })),
          ),
        )

        expect(error._tag).toBe("RateLimited")
        expect((yield* get(executor, server)).text).toBe("ok")
      }),
    )
  })

  describe("deadline", () => {
    it.effect("request: retries without a time limit if the timeout is infinite", () =>
      Effect.gen(function* () {
        const { result } = yield* play([{ status: 503 }, { status: 200, text: "ok" }], steady, {
          timeout: Duration.infinity,
        })

        expect(result._tag === "Success" && result.success.text).toBe("ok")
      }),
    )
    it.live("request: one deadline covers all attempts and their bodies", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(503), (_request, response) => void response.writeHead(200).write("part"))
        const call = client().request({ ...at(server), timeout: 2_000 }, RequestExecutor.accept)
        const error = yield* Effect.flip(call)

        expect(error._tag === "TimeoutError" && error.phase).toBe("body")
        expect(error._tag === "TimeoutError" && Duration.toMillis(error.deadline)).toBe(2_000)
        expect(outcomesOf(error)).toStrictEqual(["503", "TimeoutError body"])
        yield* Effect.promise(() => server.closed(2))
      }),
    )
    it.effect("request: ends a call without a response at its deadline", () =>
      Effect.gen(function* () {
        const { attempts, result } = yield* play(["stalled"], steady, { timeout: 200 })

        expect(result._tag === "Failure" && result.failure._tag).toBe("TimeoutError")
        expect(attempts.map(({ duration }) => Duration.toMillis(duration))).toStrictEqual([200])
      }),
    )
    it.effect("request: retries a stalled attempt when the policy limits each attempt", () =>
      Effect.gen(function* () {
        const { attempts, times } = yield* play(["stalled", { status: 200 }], { ...steady, attemptTimeout: 60 })

        expect(outcomesOf({ attempts })).toStrictEqual(["TimeoutError headers", "200"])
        expect(times).toStrictEqual([0, 160])
      }),
    )
    it.effect("request: starts no attempt after the deadline", () =>
      Effect.gen(function* () {
        const policy = { base: 60, cap: 60, jitter: 0, maxAttempts: 1_000 }
        const { times } = yield* play([{ status: 503 }], policy, { timeout: 200 })

        expect(times).toStrictEqual([0, 60, 120, 180])
      }),
    )
    it.live("request: an interruption closes the socket and ends the retries", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const fiber = yield* Effect.forkChild(get(client(), server))
        yield* Eventually.untilEffect(Effect.sync(() => server.seen.length === 1))
        yield* Fiber.interrupt(fiber)
        yield* Effect.promise(() => server.closed(1))

        expect(Exit.isFailure(yield* Fiber.await(fiber))).toBe(true)
        expect(server.seen.length).toBe(1)
      }),
    )
    it.effect("request: an invalid timeout is a defect", () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(client().request({ endpoint, timeout: 0 }, RequestExecutor.accept))

        expect(Exit.isFailure(exit)).toBe(true)
        expect(String(exit)).toContain('Invalid option "timeout": expected a duration above zero')
      }),
    )
  })
})
