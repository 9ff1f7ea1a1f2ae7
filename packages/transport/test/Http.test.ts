import { assert, describe, it } from "@effect/vitest"
import { gzipSync } from "node:zlib"
import { Duration, Effect, Fiber } from "effect"
import { Endpoint, Http } from "../src/index.ts"
import { reply, script, serve } from "@daybook/testkit/ScriptedServer"

const limits: Http.Limits = { fetch: (url, init) => fetch(url, init), maxBytes: 1_000, within: Duration.seconds(5) }
const within = (millis: number): Http.Limits => ({ ...limits, within: Duration.millis(millis) })
const at = (url: string) => ({ endpoint: Endpoint.makeUnsafe({ url }) })

describe("Http", () => {
  describe("send", () => {
    it.live("returns status, headers, text and what was seen of the request", () =>
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

        assert.strictEqual(got.status, 418)
        assert.strictEqual(got.text, "short")
        assert.strictEqual(got.requestId, "r-1")
        assert.strictEqual(got.headers["x-request-id"], "r-1")
        assert.strictEqual(got.retryAfter && Duration.toMillis(got.retryAfter), 3_000)
        assert.deepStrictEqual(
          got.attempts.map(({ host, outcome }) => ({ host, outcome })),
          [{ host: server.host, outcome: "418" }],
        )
        const [seen] = server.seen
        assert.strictEqual(seen?.method, "POST")
        assert.strictEqual(seen?.url, "/a%20b?c=d+e")
        assert.strictEqual(seen?.body, "{}")
        assert.strictEqual(seen?.headers["x-api-key"], "key-1")
        assert.strictEqual(seen?.headers.accept, "text/plain")
      }),
    )
    it.live("reads an empty body", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(204))

        assert.strictEqual((yield* Http.send(at(server.url), limits)).text, "")
      }),
    )
    it.live("joins characters that were cut between two pieces", () =>
      Effect.gen(function* () {
        const bytes = Buffer.from("a€b")
        const server = yield* script((_request, response) => {
          response.write(bytes.subarray(0, 2))
          setTimeout(() => response.end(bytes.subarray(2)), 10)
        })

        assert.strictEqual((yield* Http.send(at(server.url), limits)).text, "a€b")
      }),
    )
    it.live("refuses bytes that are not UTF-8 in a successful answer, and reads them in an error page", () =>
      Effect.gen(function* () {
        const bytes = Buffer.from([0x61, 0xff])
        const server = yield* script(
          (_request, response) => void response.end(bytes),
          (_request, response) => void response.writeHead(502).end(bytes),
        )
        const error = yield* Effect.flip(Http.send(at(server.url), limits))

        assert.strictEqual(error._tag === "InvalidResponse" && error.reason, "encoding")
        assert.strictEqual((yield* Http.send(at(server.url), limits)).text, "a\ufffd")
      }),
    )
    it.live("fails to connect to a port that nobody listens on", () =>
      Effect.gen(function* () {
        const server = yield* Effect.scoped(script(reply(200)))
        const error = yield* Effect.flip(Http.send(at(server.url), limits))

        assert.strictEqual(error._tag, "TransportError")
        assert.strictEqual(error._tag === "TransportError" && error.phase, "connect")
        assert.strictEqual(error.isRetryable, true)
        assert.include(error.message, `Could not connect to ${server.host}: `)
        assert.include(error.message, "ECONNREFUSED")
      }),
    )
    it.live("tells a connection that is reset before the headers", () =>
      Effect.gen(function* () {
        const server = yield* script((request) => void request.socket.resetAndDestroy())
        const error = yield* Effect.flip(Http.send(at(server.url), limits))

        assert.strictEqual(error._tag === "TransportError" && error.phase, "headers")
        assert.include(error.message, "ECONNRESET")
      }),
    )
    it.live("tells a body that breaks off", () =>
      Effect.gen(function* () {
        const server = yield* script((request, response) => {
          response.writeHead(200, { "content-length": "100" }).write("part")
          setTimeout(() => request.socket.destroy(), 10)
        })
        const error = yield* Effect.flip(Http.send(at(server.url), limits))

        assert.strictEqual(error._tag === "TransportError" && error.phase, "body")
        assert.strictEqual(error.attempts[0]?.outcome, "TransportError body")
      }),
    )
    it.live("times out on headers that never come, and closes the socket", () =>
      Effect.gen(function* () {
        const server = yield* script(() => {})
        const error = yield* Effect.flip(Http.send(at(server.url), within(50)))

        assert.strictEqual(error._tag, "TimeoutError")
        assert.strictEqual(error._tag === "TimeoutError" && error.phase, "headers")
        assert.strictEqual(error._tag === "TimeoutError" && Duration.toMillis(error.deadline), 50)
        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("times out on a body that stalls, and closes the socket", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) => void response.writeHead(200).write("part"))
        const error = yield* Effect.flip(Http.send(at(server.url), within(100)))

        assert.strictEqual(error._tag === "TimeoutError" && error.phase, "body")
        assert.include(error.message, "the rest of the body within 100ms")
        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("times out on a body that drips for ever", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) => {
          const drip = setInterval(() => response.write("."), 10)
          response.on("close", () => clearInterval(drip))
        })
        const error = yield* Effect.flip(Http.send(at(server.url), within(100)))

        assert.strictEqual(error._tag === "TimeoutError" && error.phase, "body")
        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("refuses a body that declares too many bytes without reading it", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) =>
          response.writeHead(200, { "content-length": "1001" }).flushHeaders(),
        )
        const error = yield* Effect.flip(Http.send(at(server.url), limits))

        assert.strictEqual(error._tag === "InvalidResponse" && error.reason, "too-large")
        assert.strictEqual(error.isRetryable, false)
        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("stops reading an endless body at the limit", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) => {
          const pour = () => {
            while (!response.destroyed && response.write("x".repeat(100)));
          }
          response.on("drain", pour)
          pour()
        })
        const error = yield* Effect.flip(Http.send(at(server.url), limits))

        assert.strictEqual(error._tag === "InvalidResponse" && error.received, "more than 1000 bytes")
        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("accepts a body of exactly the limit", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(200, "x".repeat(1_000)))

        assert.strictEqual((yield* Http.send(at(server.url), limits)).text.length, 1_000)
      }),
    )
    it.live("counts the bytes of a gzip body after decompression", () =>
      Effect.gen(function* () {
        const bomb = gzipSync(Buffer.alloc(5_000_000))
        const small = gzipSync("hello")
        assert.isBelow(bomb.length, 10_000)
        const server = yield* serve((_request, response, number) => {
          response.writeHead(200, { "content-encoding": "gzip" }).end(number === 1 ? bomb : small)
        })
        const error = yield* Effect.flip(Http.send(at(server.url), { ...limits, maxBytes: 10_000 }))

        assert.strictEqual(error._tag === "InvalidResponse" && error.reason, "too-large")
        assert.strictEqual((yield* Http.send(at(server.url), limits)).text, "hello")
      }),
    )
    it.live("refuses a redirect and asks nobody else", () =>
      Effect.gen(function* () {
        const other = yield* script(reply(200, "stolen"))
        const server = yield* script(reply(307, "", { location: `${other.url}/elsewhere` }))
        const error = yield* Effect.flip(Http.send(at(server.url), limits))

        assert.strictEqual(error._tag === "InvalidResponse" && error.reason, "redirect")
        assert.strictEqual(
          error._tag === "InvalidResponse" && error.received,
          `a redirect (status 307) to ${other.host}`,
        )
        assert.strictEqual(error.isRetryable, false)
        assert.strictEqual(other.seen.length, 0)
      }),
    )
    it.live("closes the socket when it is interrupted", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) => void response.writeHead(200).write("part"))
        const fiber = yield* Effect.forkChild(Http.send(at(server.url), limits))
        yield* Effect.sleep(50)
        assert.strictEqual(server.seen.length, 1)
        yield* Fiber.interrupt(fiber)

        yield* Effect.promise(() => server.closed(1))
      }),
    )
    it.live("uses the fetch it is given, even one without streams or one that throws", () =>
      Effect.gen(function* () {
        const endpoint = Endpoint.makeUnsafe({ url: "http://nowhere.test" })
        const bytes = new TextEncoder().encode("whole")
        const plain: Http.Fetch = async () => ({
          status: 200,
          headers: new Headers(),
          arrayBuffer: async () => bytes.buffer,
        })
        const throwing: Http.Fetch = () => {
          throw new Error("no network here")
        }
        const sent = Http.send({ endpoint }, { ...limits, fetch: plain })

        assert.strictEqual((yield* sent).text, "whole")
        const large = yield* Effect.flip(Http.send({ endpoint }, { ...limits, fetch: plain, maxBytes: 4 }))
        assert.strictEqual(large._tag === "InvalidResponse" && large.reason, "too-large")
        const thrown = yield* Effect.flip(Http.send({ endpoint }, { ...limits, fetch: throwing }))
        assert.include(thrown.message, "no network here")
      }),
    )
    it.live("keeps its time with a fetch that ignores the signal", () =>
      Effect.gen(function* () {
        const deaf: Http.Fetch = () => new Promise(() => {})
        const sent = Http.send(at("http://nowhere.test"), { ...within(30), fetch: deaf })

        assert.strictEqual((yield* Effect.flip(sent))._tag, "TimeoutError")
      }),
    )
  })
})
