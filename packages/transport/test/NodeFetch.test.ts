import { describe, expect, it } from "@effect/vitest"
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { Duration, Effect, Fiber } from "effect"
import { Endpoint, Http } from "../src/index.ts"
import * as NodeFetch from "../src/NodeFetch.ts"
import * as Eventually from "@daybook/harness/Eventually"
import { reply, script } from "@daybook/harness/ScriptedServer"

const at = (url: string) => ({ endpoint: Endpoint.makeUnsafe({ url }) })

const limits = Effect.map(NodeFetch.make(), (fetch): Http.Limits => ({
  fetch,
  maxBytes: 1_000,
  within: Duration.seconds(5),
}))

describe("NodeFetch", () => {
  describe("make", () => {
    it.live("make: its fetch sends a request and returns status, headers and text", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(418, "short €", { "X-Request-Id": "r-1", "Retry-After": "3" }))
        const endpoint = Endpoint.makeUnsafe({ url: `${server.url}/k?a=b`, headers: { "x-api-key": "key-1" } })

        const got = yield* Http.send({ endpoint, body: "{}" }, yield* limits)

        expect([got.status, got.text, got.requestId]).toStrictEqual([418, "short €", "r-1"])
        expect(got.retryAfter && Duration.toMillis(got.retryAfter)).toBe(3_000)
        const [seen] = server.seen
        expect([seen?.method, seen?.url, seen?.body]).toStrictEqual(["POST", "/k?a=b", "{}"])
        expect(seen?.headers["x-api-key"]).toBe("key-1")
      }),
    )

    it.live("make: its fetch requests compressed responses and decompresses them", () =>
      Effect.gen(function* () {
        const server = yield* script((request, response) => {
          response.writeHead(200, { "content-encoding": "gzip" })
          response.end(gzipSync(String(request.headers["accept-encoding"])))
        })

        expect((yield* Http.send(at(server.url), yield* limits)).text).toContain("gzip")
      }),
    )

    it.live.each([
      ["gzip", gzipSync("packed €")],
      ["x-gzip", gzipSync("packed €")],
      ["deflate", deflateSync("packed €")],
      ["deflate", deflateRawSync("packed €")],
      ["constructor", Buffer.from("packed €")],
      ["br", brotliCompressSync("packed €")],
      ["gzip, gzip", gzipSync(gzipSync("packed €"))],
      ["deflate, identity, GZIP", gzipSync(deflateSync("packed €"))],
      // Several members, as servers send that compress chunk by chunk, and zeros to fill a block.
      ["gzip", Buffer.concat([gzipSync("pack"), gzipSync("ed €"), Buffer.alloc(8)])],
    ] as const)("make: its fetch decompresses %s", ([coding, bytes]) =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) =>
          response.writeHead(200, { "content-encoding": coding }).end(bytes),
        )

        expect((yield* Http.send(at(server.url), yield* limits)).text).toBe("packed €")
      }),
    )

    it.live("make: its fetch rejects a body with more than five codings", () =>
      Effect.gen(function* () {
        const layers = Array.from({ length: 6 }, () => "gzip")
        const server = yield* script((_request, response) =>
          response
            .writeHead(200, { "content-encoding": layers.join(", ") })
            .end(layers.reduce<Buffer>((bytes) => gzipSync(bytes), Buffer.from("packed €"))),
        )

        const error = yield* Effect.flip(Http.send(at(server.url), yield* limits))

        expect(error.message).toContain("more than 5 content codings")
      }),
    )

    it.live("make: its fetch accepts an empty response that declares gzip", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(200, "", { "content-encoding": "gzip" }))

        expect((yield* Http.send(at(server.url), yield* limits)).text).toBe("")
      }),
    )

    it.live("make: its fetch fails in phase body when a compressed response is incomplete", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) =>
          response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(900)).subarray(0, 20)),
        )

        const error = yield* Effect.flip(Http.send(at(server.url), yield* limits))

        expect(error._tag === "TransportError" && error.phase === "body").toBe(true)
      }),
    )

    it.live("make: its fetch stops reading a compressed response above the limit", () =>
      Effect.gen(function* () {
        const bomb = gzipSync(Buffer.alloc(50_000_000))
        const server = yield* script((_request, response) => {
          response.writeHead(200, { "content-encoding": "gzip" })
          response.end(bomb)
        })

        const error = yield* Effect.flip(Http.send(at(server.url), yield* limits))

        expect(error._tag === "InvalidResponse" && error.reason === "too-large").toBe(true)
      }),
    )

    it.live("make: its fetch joins short chunks for a slow reader and keeps no more memory than they need", () =>
      Effect.gen(function* () {
        const [chunks, chunk] = [40_000, Buffer.alloc(125, "a")]
        const respond = async (response: ServerResponse) => {
          for (let sent = 0; sent < chunks; sent++) {
            if (!response.write(chunk)) await once(response, "drain")
          }
          response.end()
        }
        const server = yield* script((_request, response) => void respond(response))
        const fetch = yield* NodeFetch.make()
        const before = process.memoryUsage().arrayBuffers

        const [bytes, reads, peak] = yield* Effect.promise(async () => {
          const { signal } = new AbortController()
          const response = await fetch(server.url, { method: "GET", headers: {}, redirect: "manual", signal })
          const reader = response.body!.getReader()
          let [bytes, reads, peak] = [0, 0, 0]
          for (let part = await reader.read(); part.done !== true; part = await reader.read()) {
            bytes += part.value?.length ?? 0
            reads += 1
            peak = Math.max(peak, process.memoryUsage().arrayBuffers - before)
            await new Promise((resolve) => setImmediate(resolve))
          }
          return [bytes, reads, peak]
        })

        expect(bytes).toBe(chunks * chunk.length)
        expect(reads).toBeLessThan(chunks / 10)
        expect(peak).toBeLessThan(32 * 1024 * 1024)
      }),
    )

    it.live("make: its fetch rejects a redirect", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(307, "", { location: "/elsewhere" }))

        const error = yield* Effect.flip(Http.send(at(server.url), yield* limits))

        expect(error._tag === "InvalidResponse" && error.reason === "redirect").toBe(true)
        expect(server.seen.length).toBe(1)
      }),
    )

    it.live("make: its fetch fails in phase connect when nothing listens", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Http.send(at("http://127.0.0.1:1"), yield* limits))

        expect(error._tag === "TransportError" && error.phase === "connect").toBe(true)
      }),
    )

    it.live("make: its fetch states that a server does not use TLS, without the text of OpenSSL", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(200, "plain"))

        const error = yield* Effect.flip(Http.send(at(server.url.replace("http:", "https:")), yield* limits))

        expect(error.message).toBe(
          `Could not connect to ${error.host}: EPROTO: the server does not use TLS at this port; an http URL may be needed. Check the address and that the server is running.`,
        )
        expect(error._tag === "TransportError" && error.phase === "connect").toBe(true)
      }),
    )

    it.live("make: its fetch fails in phase headers when the connection closes before a response", () =>
      Effect.gen(function* () {
        const server = yield* script((request) => void request.socket.destroy())

        const error = yield* Effect.flip(Http.send(at(server.url), yield* limits))

        expect(error._tag === "TransportError" && error.phase === "headers").toBe(true)
      }),
    )

    it.live("make: its fetch fails in phase headers when the server switches to another protocol", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) => {
          response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n")
        })

        const error = yield* Effect.flip(Http.send(at(server.url), yield* limits))

        expect(error._tag === "TransportError" && error.phase === "headers").toBe(true)
      }),
    )

    it.live("make: its fetch fails in phase body when the connection closes within a response", () =>
      Effect.gen(function* () {
        const server = yield* script((request, response) => {
          response.writeHead(200, { "content-length": "100" }).write("half", () => request.socket.destroy())
        })

        const error = yield* Effect.flip(Http.send(at(server.url), yield* limits))

        expect(error._tag === "TransportError" && error.phase === "body").toBe(true)
      }),
    )

    it.live("make: its fetch reuses a connection, even after a response without a body", () =>
      Effect.gen(function* () {
        const sockets = new Set<unknown>()
        const count = (request: IncomingMessage) => sockets.add(request.socket)
        const server = yield* script(
          (request, response) => void (count(request), response.writeHead(204).end()),
          (request, response) => void (count(request), response.end("two")),
        )
        const own = yield* limits
        yield* Http.send(at(server.url), own)
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

        expect((yield* Http.send(at(server.url), own)).text).toBe("two")

        expect(sockets.size).toBe(1)
      }),
    )

    it.live(
      "make: its fetch throws nothing outside of its promises if it is aborted after the last byte of a body",
      () =>
        Effect.gen(function* () {
          const body = Buffer.alloc(200_000, "x")
          const server = yield* script((_request, response) => void response.end(body))
          const fetch = yield* NodeFetch.make()
          const thrown: Array<unknown> = []
          const onThrown = (error: unknown) => thrown.push(error)
          process.on("uncaughtExceptionMonitor", onThrown)
          for (let turn = 0; turn < 10; turn++) {
            const controller = new AbortController()
            const { signal } = controller
            const response = yield* Effect.promise(() =>
              fetch(server.url, { method: "POST", headers: {}, body: "{}", redirect: "manual", signal }),
            )
            const reader = response.body!.getReader()
            for (let read = 0; read < body.length;) {
              read += (yield* Effect.promise(() => reader.read())).value?.length ?? body.length
            }
            controller.abort()
            yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          }
          process.off("uncaughtExceptionMonitor", onThrown)

          expect(thrown).toEqual([])
        }),
    )

    it.live("make: its fetch times out on a stalled body", () =>
      Effect.gen(function* () {
        const server = yield* script((_request, response) => void response.writeHead(200).write("half"))

        const error = yield* Effect.flip(Http.send(at(server.url), { ...(yield* limits), within: Duration.millis(80) }))

        expect(error._tag === "TimeoutError" && error.phase === "body").toBe(true)
      }),
    )

    it.live("make: its fetch closes the socket when it is interrupted", () =>
      Effect.gen(function* () {
        let closed = () => {}
        const closing = new Promise<void>((resolve) => (closed = resolve))
        const server = yield* script((_request, response) => {
          response.on("close", closed)
          response.writeHead(200).write("half")
        })
        const fiber = yield* Effect.forkChild(Http.send(at(server.url), yield* limits))
        yield* Eventually.untilEffect(Effect.sync(() => server.seen.length > 0))

        yield* Fiber.interrupt(fiber)

        yield* Effect.promise(() => closing)
      }),
    )
  })

  describe("makeUnsafe", () => {
    it.each([
      [
        { connection: 8 },
        'Invalid option "connection": expected one of the keys connections, keepAliveMillis, received an unknown key.',
      ],
      [{ connections: 0 }, 'Invalid option "connections": expected a whole number above 0, received 0.'],
      [8, 'Invalid option "options": expected an object with connections, keepAliveMillis, received a number.'],
    ])("makeUnsafe: rejects the options %j", (given, message) => {
      const untyped = NodeFetch.makeUnsafe as (options: unknown) => unknown

      expect(() => untyped(given)).toThrow(message)
    })

    it.live("makeUnsafe: its fetch fails after close", () =>
      Effect.gen(function* () {
        const server = yield* script(reply(200, "ok"))
        const fetch = NodeFetch.makeUnsafe({ connections: 1, keepAliveMillis: 1_000 })
        const own: Http.Limits = { fetch, maxBytes: 10, within: Duration.seconds(1) }
        expect((yield* Http.send(at(server.url), own)).text).toBe("ok")

        yield* Effect.promise(() => fetch.close())

        expect((yield* Effect.flip(Http.send(at(server.url), own)))._tag).toBe("TransportError")
      }),
    )
  })
})
