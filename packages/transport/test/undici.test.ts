import { assert, describe, it } from "@effect/vitest"
import { deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { Duration, Effect, Fiber } from "effect"
import { Endpoint, Http } from "../src/index.ts"
import * as undici from "../src/undici.ts"
import { reply, script } from "@daybook/testkit/ScriptedServer"

const at = (url: string) => ({ endpoint: Endpoint.makeUnsafe({ url }) })

const limits = Effect.map(undici.make(), (fetch): Http.Limits => ({
  fetch,
  maxBytes: 1_000,
  within: Duration.seconds(5),
}))

describe("undici", () => {
  describe("make", () => {
    it.live("sends a request and gives status, headers and text", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(418, "short €", { "X-Request-Id": "r-1", "Retry-After": "3" }))
        const endpoint = Endpoint.makeUnsafe({ url: `${server.url}/k?a=b`, headers: { "x-api-key": "key-1" } })

        const got = yield* Http.send({ endpoint, body: "{}" }, yield* limits)

        assert.deepStrictEqual([got.status, got.text, got.requestId], [418, "short €", "r-1"])
        assert.strictEqual(got.retryAfter && Duration.toMillis(got.retryAfter), 3_000)
        const [seen] = server.seen
        assert.deepStrictEqual([seen?.method, seen?.url, seen?.body], ["POST", "/k?a=b", "{}"])
        assert.strictEqual(seen?.headers["x-api-key"], "key-1")
      }),
    )

    it.live("asks for compressed answers and unpacks them", () =>
      Effect.gen(function* () {
        const server = yield* script((request, response) => {
          response.writeHead(200, { "content-encoding": "gzip" })
          response.end(gzipSync(String(request.headers["accept-encoding"])))
        })

        assert.include((yield* Http.send(at(server.url), yield* limits)).text, "gzip")
      }),
    )

    it.live.each([
      ["gzip", gzipSync("packed €")],
      ["x-gzip", gzipSync("packed €")],
      ["deflate", deflateSync("packed €")],
      ["deflate", deflateRawSync("packed €")],
    ] as const)("unpacks %s", ([coding, bytes]) =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) =>
          response.writeHead(200, { "content-encoding": coding }).end(bytes),
        )

        assert.strictEqual((yield* Http.send(at(server.url), yield* limits)).text, "packed €")
      }),
    )

    it.live("takes an empty answer that says it is packed", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(200, "", { "content-encoding": "gzip" }))

        assert.strictEqual((yield* Http.send(at(server.url), yield* limits)).text, "")
      }),
    )

    it.live("says that a packed answer broke off", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) =>
          response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(900)).subarray(0, 20)),
        )

        const error = yield* Effect.flip(Http.send(at(server.url), yield* limits))

        assert.isTrue(error._tag === "TransportError" && error.phase === "body")
      }),
    )

    it.live("stops reading a compressed answer that grows too large", () =>
      Effect.gen(function* () {
        const bomb = gzipSync(Buffer.alloc(50_000_000))
        const server = yield* script((_request, response) => {
          response.writeHead(200, { "content-encoding": "gzip" })
          response.end(bomb)
        })

        const error = yield* Effect.flip(Http.send(at(server.url), yield* limits))

        assert.isTrue(error._tag === "InvalidResponse" && error.reason === "too-large")
      }),
    )

    it.live("refuses a redirect", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(307, "", { location: "/elsewhere" }))

        const error = yield* Effect.flip(Http.send(at(server.url), yield* limits))

        assert.isTrue(error._tag === "InvalidResponse" && error.reason === "redirect")
        assert.strictEqual(server.seen.length, 1)
      }),
    )

    it.live("says that nothing listens", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Http.send(at("http://127.0.0.1:1"), yield* limits))

        assert.isTrue(error._tag === "TransportError" && error.phase === "connect")
      }),
    )

    it.live("times out while the body stalls", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) => void response.writeHead(200).write("half"))

        const error = yield* Effect.flip(Http.send(at(server.url), { ...(yield* limits), within: Duration.millis(80) }))

        assert.isTrue(error._tag === "TimeoutError" && error.phase === "body")
      }),
    )

    it.live("closes the socket when it is interrupted", () =>
      Effect.gen(function* () {
        let closed = () => {}
        const closing = new Promise<void>((resolve) => (closed = resolve))
        const server = yield* script((_request, response) => {
          response.on("close", closed)
          response.writeHead(200).write("half")
        })
        const fiber = yield* Effect.forkChild(Http.send(at(server.url), yield* limits))
        while (server.seen.length === 0) yield* Effect.sleep("2 millis")

        yield* Fiber.interrupt(fiber)

        yield* Effect.promise(() => closing)
      }),
    )
  })

  describe("makeUnsafe", () => {
    it.each([
      [{ connection: 8 }, 'The option "connection" is not known. Known are connections, keepAliveMillis.'],
      [{ connections: 0 }, 'The option "connections" takes a whole number above 0; 0 came.'],
      [8, 'The option "options" takes an object of connections, keepAliveMillis; a number came.'],
    ])("refuses the options %j", (given, message) => {
      const untyped = undici.makeUnsafe as (options: unknown) => unknown

      assert.throws(() => untyped(given), message)
    })

    it.live("gives a fetch that can be closed", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(200, "ok"))
        const fetch = undici.makeUnsafe({ connections: 1, keepAliveMillis: 1_000 })
        const own: Http.Limits = { fetch, maxBytes: 10, within: Duration.seconds(1) }
        assert.strictEqual((yield* Http.send(at(server.url), own)).text, "ok")

        yield* Effect.promise(() => fetch.close())

        assert.strictEqual((yield* Effect.flip(Http.send(at(server.url), own)))._tag, "TransportError")
      }),
    )
  })
})
