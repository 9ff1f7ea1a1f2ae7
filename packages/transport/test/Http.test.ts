import { describe, expect, it } from "@effect/vitest"
import { gzipSync } from "node:zlib"
import { Deferred, Duration, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Endpoint, type Fetch, Http } from "../src/index.ts"
import * as Eventually from "@daybook/harness/Eventually"
import { reply, script, serve } from "@daybook/harness/ScriptedServer"

const limits: Http.Limits = { fetch: (url, init) => fetch(url, init), maxBytes: 1_000, within: Duration.seconds(5) }
const within = (millis: number): Http.Limits => ({ ...limits, within: Duration.millis(millis) })
const at = (url: string) => ({ endpoint: Endpoint.makeUnsafe({ url }) })

/** A request whose time limit ends as soon as its body is awaited. */
const stoppedInBody = (url: string) =>
  Effect.gen(function* () {
    const inBody = yield* Deferred.make<void>()
    const limited: Http.Limits = {
      ...within(60_000),
      onPhase: (phase) => {
        if (phase === "body") Deferred.doneUnsafe(inBody, Exit.void)
      },
    }
    const sent = yield* Effect.forkChild(Http.send(at(url), limited))
    yield* Deferred.await(inBody)
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(sent)
  }).pipe(Effect.provide(TestClock.layer()))

describe("Http", () => {
  describe("send", () => {
    it.live("send: returns status, headers, text and the attempt", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(418, "short", { "X-Request-Id": "r-1", "Retry-After": "3" }))
        const endpoint = Endpoint.makeUnsafe({ url: server.url, headers: { "X-API-Key": "key-1" } })
        const got = yield* Http.send(
          {
            endpoint,
            path: "/a%20b",
            query: { c: "d e" },
            headers: { "X-Api-Key": "other", accept: "text/plain" },
            body: "{}",
          },
          limits,
        )

        expect(got.status).toBe(418)
        expect(got.text).toBe("short")
        expect(got.requestId).toBe("r-1")
        expect(got.headers["x-request-id"]).toBe("r-1")
        expect(got.retryAfter && Duration.toMillis(got.retryAfter)).toBe(3_000)
        expect(got.attempts.map(({ host, outcome }) => ({ host, outcome }))).toStrictEqual([
          { host: server.host, outcome: "418" },
        ])
        const [seen] = server.seen
        expect(seen?.method).toBe("POST")
        expect(seen?.url).toBe("/a%20b?c=d+e")
        expect(seen?.body).toBe("{}")
        expect(seen?.headers["x-api-key"]).toBe("key-1")
        expect(seen?.headers.accept).toBe("text/plain")
      }),
    )
    it.live("send: reads an empty body", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(204))

        expect((yield* Http.send(at(server.url), limits)).text).toBe("")
      }),
    )
    it.live("send: joins characters that are split between two chunks", () =>
      Effect.gen(function* () {
        const bytes = Buffer.from("a€b")
        const server = yield* script((_request, response) => {
          response.write(bytes.subarray(0, 2), () => setImmediate(() => response.end(bytes.subarray(2))))
        })

        expect((yield* Http.send(at(server.url), limits)).text).toBe("a€b")
      }),
    )
    it.live("send: rejects invalid UTF-8 in a successful response and accepts it in an error page", () =>
      Effect.gen(function* () {
        const bytes = Buffer.from([0x61, 0xff])
        const server = yield* script(
          (_request, response) => void response.end(bytes),
          (_request, response) => void response.writeHead(502).end(bytes),
        )
        const error = yield* Effect.flip(Http.send(at(server.url), limits))

        expect(error._tag === "InvalidResponse" && error.reason).toBe("encoding")
        expect((yield* Http.send(at(server.url), limits)).text).toBe("a\ufffd")
      }),
    )
    it.effect.each([
      [undefined, "nothing"],
      [{ ok: true }, "an object"],
    ] as const)("send: is not repeated with a fetch that resolves to %j", ([value, received]) =>
      Effect.gen(function* () {
        const fetch = () => Promise.resolve(value as never)
        const exit = yield* Effect.exit(Http.send(at("http://a.test"), { ...limits, fetch }))
        const [reason] = Exit.isFailure(exit) ? exit.cause.reasons : []
        const message = `Invalid option "fetch": expected a function that resolves to a Response, received ${received}.`

        expect(reason).toMatchObject({ _tag: "Die", defect: { _tag: "InvalidOption", message } })
      }),
    )
    it.live("send: fails in phase connect when nothing listens on the port", () =>
      Effect.gen(function* () {
        const server = yield* Effect.scoped(script(reply(200)))
        const error = yield* Effect.flip(Http.send(at(server.url), limits))

        expect(error._tag).toBe("TransportError")
        expect(error._tag === "TransportError" && error.phase).toBe("connect")
        expect(error.isRetryable).toBe(true)
        expect(error.message).toContain(`Could not connect to ${server.host}: `)
        expect(error.message).toContain("ECONNREFUSED")
      }),
    )
    it.live("send: fails in phase headers when the connection is reset before them", () =>
      Effect.gen(function* () {
        const server = yield* script((request) => void request.socket.resetAndDestroy())
        const error = yield* Effect.flip(Http.send(at(server.url), limits))

        expect(error._tag === "TransportError" && error.phase).toBe("headers")
        expect(error.message).toContain("ECONNRESET")
      }),
    )
    it.live("send: fails in phase body when the body is interrupted", () =>
      Effect.gen(function* () {
        const server = yield* script((request, response) => {
          response.writeHead(200, { "content-length": "100" }).write("part", () => request.socket.end())
        })
        const error = yield* Effect.flip(Http.send(at(server.url), limits))

        expect(error._tag === "TransportError" && error.phase).toBe("body")
        expect(error.attempts[0]?.outcome).toBe("TransportError body")
      }),
    )
    it.live("send: times out without headers and closes the socket", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const error = yield* Effect.flip(Http.send(at(server.url), within(50)))

        expect(error._tag).toBe("TimeoutError")
        expect(error._tag === "TimeoutError" && error.phase).toBe("headers")
        expect(error._tag === "TimeoutError" && Duration.toMillis(error.deadline)).toBe(50)
        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("send: times out on a stalled body and closes the socket", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) => void response.writeHead(200).write("part"))
        const error = yield* Effect.flip(stoppedInBody(server.url))

        expect(error._tag === "TimeoutError" && error.phase).toBe("body")
        expect(error.message).toContain("no complete response within 1m")
        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("send: times out on a body that sends a byte occasionally", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) => {
          const drip = setInterval(() => response.write("."), 10)
          response.on("close", () => clearInterval(drip))
        })
        const error = yield* Effect.flip(stoppedInBody(server.url))

        expect(error._tag === "TimeoutError" && error.phase).toBe("body")
        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("send: rejects a body that declares too many bytes without reading it", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) =>
          response.writeHead(200, { "content-length": "1001" }).flushHeaders(),
        )
        const error = yield* Effect.flip(Http.send(at(server.url), limits))

        expect(error._tag === "InvalidResponse" && error.reason).toBe("too-large")
        expect(error.isRetryable).toBe(false)
        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("send: stops reading an endless body at the limit", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) => {
          const pour = () => {
            while (!response.destroyed && response.write("x".repeat(100)));
          }
          response.on("drain", pour)
          pour()
        })
        const error = yield* Effect.flip(Http.send(at(server.url), limits))

        expect(error._tag === "InvalidResponse" && error.received).toBe("more than 1000 bytes")
        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("send: accepts a body of exactly the limit", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(200, "x".repeat(1_000)))

        expect((yield* Http.send(at(server.url), limits)).text.length).toBe(1_000)
      }),
    )
    it.live("send: counts the bytes of a gzip body after decompression", () =>
      Effect.gen(function* () {
        const bomb = gzipSync(Buffer.alloc(5_000_000))
        const small = gzipSync("hello")
        expect(bomb.length).toBeLessThan(10_000)
        const server = yield* serve((_request, response, number) => {
          response.writeHead(200, { "content-encoding": "gzip" }).end(number === 1 ? bomb : small)
        })
        const error = yield* Effect.flip(Http.send(at(server.url), { ...limits, maxBytes: 10_000 }))

        expect(error._tag === "InvalidResponse" && error.reason).toBe("too-large")
        expect((yield* Http.send(at(server.url), limits)).text).toBe("hello")
      }),
    )
    it.live("send: rejects a redirect and sends nothing to its target", () =>
      Effect.gen(function* () {
        const other = yield* script(reply(200, "not for this client"))
        const server = yield* script(reply(307, "", { location: `${other.url}/elsewhere` }))
        const error = yield* Effect.flip(Http.send(at(server.url), limits))

        expect(error._tag === "InvalidResponse" && error.reason).toBe("redirect")
        expect(error._tag === "InvalidResponse" && error.received).toBe(`a redirect (status 307) to ${other.host}`)
        expect(error.isRetryable).toBe(false)
        expect(other.seen.length).toBe(0)
      }),
    )
    it.live("send: closes the socket when it is interrupted", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) => void response.writeHead(200).write("part"))
        const fiber = yield* Effect.forkChild(Http.send(at(server.url), limits))
        yield* Eventually.untilEffect(Effect.sync(() => server.seen.length === 1))
        yield* Fiber.interrupt(fiber)

        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("send: uses the given fetch, including one without streams or one that throws", () =>
      Effect.gen(function* () {
        const endpoint = Endpoint.makeUnsafe({ url: "http://nowhere.test" })
        const bytes = new TextEncoder().encode("whole")
        const plain: Fetch.Fetch = async () => ({
          status: 200,
          headers: new Headers(),
          arrayBuffer: async () => bytes.buffer,
        })
        const throwing: Fetch.Fetch = () => {
          throw new Error("no network here")
        }
        const sent = Http.send({ endpoint }, { ...limits, fetch: plain })

        expect((yield* sent).text).toBe("whole")
        const large = yield* Effect.flip(Http.send({ endpoint }, { ...limits, fetch: plain, maxBytes: 4 }))
        expect(large._tag === "InvalidResponse" && large.reason).toBe("too-large")
        const thrown = yield* Effect.flip(Http.send({ endpoint }, { ...limits, fetch: throwing }))
        expect(thrown.message).toContain("no network here")
      }),
    )
    it.live("send: times out with a fetch that ignores the signal", () =>
      Effect.gen(function* () {
        const stuck: Fetch.Fetch = () => new Promise(() => {})
        const sent = Http.send(at("http://nowhere.test"), { ...within(30), fetch: stuck })

        expect((yield* Effect.flip(sent))._tag).toBe("TimeoutError")
      }),
    )
  })
})
