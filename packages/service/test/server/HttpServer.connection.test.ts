import { request as nodeRequest } from "node:http"
import { connect } from "node:net"
import { describe, it } from "@effect/vitest"
import { Eventually } from "@daybook/harness"
import { Effect, Exit, Fiber, Layer, Scope, Tracer } from "effect"
import { expect } from "vitest"
import * as Node from "./node.ts"
import * as Rows from "./rows.ts"
import { request, start } from "./service.ts"

const { alice } = Rows
const page = `/api/v2.2/${alice}/verbose`
/** Sends bytes and returns what is received until the server closes. */
const raw = (url: string, text: string) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        const { hostname, port } = new URL(url)
        let answer = ""
        const socket = connect(Number(port), hostname, () => socket.write(text))
        socket.on("data", (chunk: Buffer) => (answer += chunk.toString()))
        socket.on("close", () => resolve(answer))
        socket.on("error", reject)
      }),
  )

/** Sends bytes, ends its side of the connection, and returns what is received. */
const rawEnded = (url: string, text: string) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        const { hostname, port } = new URL(url)
        let answer = ""
        const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => socket.end(text))
        socket.on("data", (chunk: Buffer) => (answer += chunk.toString()))
        socket.on("end", () => resolve(answer))
        socket.on("error", reject)
      }),
  )

describe("HttpServer", () => {
  describe("connection", () => {
    it.live("headers beyond the limit respond 431, and text that is not HTTP responds 400", () =>
      Effect.gen(function* () {
        const service = yield* start()

        const long = yield* raw(service.url, `GET /health HTTP/1.1\r\nhost: x\r\nx: ${"a".repeat(20_000)}\r\n\r\n`)
        const junk = yield* raw(service.url, "hello\r\n\r\n")

        expect(long).toMatch(/^HTTP\/1\.1 431 /)
        expect(junk).toMatch(/^HTTP\/1\.1 400 /)
      }),
    )

    it.live("every response carries the headers that keep browsers from sniffing, framing and storing it", () =>
      Effect.gen(function* () {
        const service = yield* start()
        for (const path of ["/health", page, "/nothing", "/openapi.json"]) {
          expect((yield* service.get(path)).headers).toMatchObject({
            "cache-control": "no-store",
            "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
          })
        }
      }),
    )

    it.live("two Host headers respond 400, and another machine's name 403 on a loopback address", () =>
      Effect.gen(function* () {
        const service = yield* start({ config: { allowedHosts: ["wallets.example"] } })
        const get = (...hosts: ReadonlyArray<string>) =>
          raw(
            service.url,
            `GET /health HTTP/1.1\r\n${hosts.map((host) => `host: ${host}\r\n`).join("")}connection: close\r\n\r\n`,
          )

        expect(yield* get("localhost", "localhost")).toMatch(/^HTTP\/1\.1 400 /)
        expect(yield* get("evil.example")).toMatch(/^HTTP\/1\.1 403 [^]*"code":"forbidden"/)
        expect(yield* get("wallets.example")).toMatch(/^HTTP\/1\.1 200 /)
        expect(yield* get("localhost:1")).toMatch(/^HTTP\/1\.1 200 /)
      }),
    )

    it.live("a body streamed beyond the limit responds 413", () =>
      Effect.gen(function* () {
        const service = yield* start()
        const chunk = Buffer.alloc(256 * 1024, 32)

        const status = yield* Effect.promise(
          () =>
            new Promise<number | undefined>((resolve, reject) => {
              const url = `${service.url}/rpc/eth/${service.key}`
              const sent = nodeRequest(url, { method: "POST" }, (response) => resolve(response.resume().statusCode))
              sent.on("error", reject)
              for (let written = 0; written < 8; written++) sent.write(chunk)
              sent.end()
            }),
        )

        expect(status).toBe(413)
      }),
    )

    it.live("shutdown keeps answering on open connections with connection: close for a while", () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const service = yield* start({ config: { limits: { drainIdleMillis: 3_000 } } }).pipe(Scope.provide(scope))
        const { hostname, port } = new URL(service.url)
        const request = `GET /health HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`
        let received = ""
        const connections = () => [...received.matchAll(/^connection: (.*)$/gim)].map(([, value]) => value)
        const socket = connect(Number(port), hostname)
        socket.on("data", (chunk: Buffer) => (received += chunk.toString()))
        const ended = new Promise((resolve) => socket.on("close", resolve))
        const ask = Effect.suspend(() => {
          const before = connections().length
          socket.write(request)
          return Eventually.untilEffect(
            Effect.sync(() => connections().length > before),
            { what: "a response" },
          )
        })
        yield* ask

        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        while (connections().at(-1) === "keep-alive") yield* ask
        yield* Effect.promise(() => ended)
        yield* Fiber.join(closing)

        expect([...new Set(connections())]).toEqual(["keep-alive", "close"])
      }),
    )

    it.live("a request to upgrade the protocol is answered like any other", () =>
      Effect.gen(function* () {
        const { key, url } = yield* start()
        const websocket =
          "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        const answers = yield* Effect.all([
          rawEnded(url, `GET /health HTTP/1.1\r\nhost: x\r\n${websocket}\r\n`),
          rawEnded(url, `GET /health HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n`),
          rawEnded(url, `POST /rpc/eth/${key} HTTP/1.1\r\nhost: x\r\n${websocket}content-length: 2\r\n\r\n[]`),
        ])

        expect(answers.map((answer) => /^HTTP\/1.1 (\d+)/.exec(answer)?.[1])).toEqual(["200", "200", "200"])
        expect(answers[0]).toContain('{"status":"ok"}')
        expect(answers[2]).toContain("at least one call in a batch")
      }),
    )

    it.live(
      "shutdown finishes open requests and closes idle connections",
      () =>
        Effect.gen(function* () {
          let release = () => {}
          const held = new Promise<void>((resolve) => (release = resolve))
          const node = yield* Node.start(() => Node.result('"0x1"'))
          const scope = yield* Scope.make()
          const service = yield* start({
            chains: { eth: { config: { rpc: [node.url] } } },
            config: { limits: { drainSeconds: 3_600 } },
          }).pipe(Scope.provide(scope))
          let body = ""
          const { hostname, port } = new URL(service.url)
          // Its request is answered, and its client leaves it open.
          const idle = connect(Number(port), hostname)
          const isIdle = new Promise((resolve) => idle.once("data", resolve))
          const isClosed = new Promise((resolve) => idle.once("close", resolve))
          idle.write("GET /health HTTP/1.1\r\nhost: x\r\n\r\n")
          yield* Effect.promise(() => isIdle)
          const call = `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}`
          const answer = new Promise<string>((resolve) => {
            const socket = connect(Number(port), hostname, () => {
              socket.write(
                `POST /rpc/eth/${service.key} HTTP/1.1\r\nhost: x\r\ncontent-length: ${call.length}\r\n\r\n${call.slice(0, 9)}`,
                () => setTimeout(release, 50),
              )
            })
            void held.then(() => setTimeout(() => socket.write(call.slice(9)), 150))
            socket.on("data", (chunk: Buffer) => (body += chunk.toString()))
            socket.on("close", () => resolve(body))
          })
          yield* Effect.promise(() => held)

          yield* Scope.close(scope, Exit.void)
          yield* Effect.promise(() => isClosed)

          expect(yield* Effect.promise(() => answer)).toContain(`{"jsonrpc":"2.0","id":1,"result":"0x1"}`)
          expect((yield* Effect.exit(Effect.tryPromise(() => fetch(service.url))))._tag).toBe("Failure")
        }),
      // Node itself closes an idle connection after a minute.
      50_000,
    )
  })

  it.live("no key appears in a log, a span or a body", () =>
    Effect.gen(function* () {
      const canary = "CANARY_0123456789abcdef"
      const spans: Array<Tracer.Span> = []
      const tracer = Layer.succeed(
        Tracer.Tracer,
        Tracer.make({
          span(options) {
            const span = new Tracer.NativeSpan(options)
            spans.push(span)
            return span
          },
        }),
      )
      const node = yield* Node.start(() => ({ status: 500, body: `no ${canary}` }))
      yield* Effect.gen(function* () {
        const rpc = [`${node.url}${canary}`, `http://user:${canary}@127.0.0.1:65535/${canary}?key=${canary}`]
        const service = yield* start({ chains: { eth: { config: { rpc } } } })
        const call = { jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["latest", true] }
        const answers = [
          yield* service.call(call),
          yield* service.call([call, call]),
          yield* service.call(call, "eth", canary),
          yield* service.call("{", "eth", canary),
          yield* service.call(call, canary, service.key),
          yield* service.fetch(`/rpc/eth/${canary}/more`),
          yield* service.fetch(`/rpc/eth/${canary}`),
          yield* service.fetch(page, { headers: { "x-api-key": canary } }),
          yield* service.get(`${page}?apiKey=${canary}`),
          yield* service.get(`/ready?chain=eth`),
        ]
        const textOfSpan = (span: Tracer.Span) => {
          const { attributes, name, status } = span as Tracer.NativeSpan
          return `${name} ${JSON.stringify([...attributes])} ${status._tag === "Ended" ? String(JSON.stringify(status.exit)) : ""}`
        }
        const outputs = [...service.logs, ...spans.map(textOfSpan), ...answers.map(({ text }) => text)]

        expect(service.logs.length).toBeGreaterThan(10)
        expect(spans.map(({ name }) => name)).toEqual(
          expect.arrayContaining(["POST /rpc/:chain/:apiKey", "Relay.call"]),
        )
        for (const text of outputs) {
          const isChainOfCaller = /received \\{0,3}"CANARY_0123456789abcdef\\{0,3}"/.test(text)
          if (!isChainOfCaller) expect(text).not.toContain(canary)
          expect(text).not.toContain(service.key)
        }
      }).pipe(Effect.provide(tracer))
    }),
  )

  it.live("the server keeps responding while callers disconnect", () =>
    Effect.gen(function* () {
      const service = yield* start({ chains: { eth: { blocks: Rows.chain(0, 8) } } })
      yield* Effect.forEach(
        Array.from({ length: 20 }),
        () =>
          Effect.gen(function* () {
            const fiber = yield* Effect.forkChild(
              Effect.tryPromise((signal) =>
                fetch(`${service.url}${page}`, { signal, headers: { "x-api-key": service.key } }),
              ),
            )
            yield* Effect.sleep("1 millis")
            yield* Fiber.interrupt(fiber)
          }),
        { concurrency: 5 },
      )

      expect((yield* request(`${service.url}/health`)).status).toBe(200)
      expect(service.logs.filter((line) => line.startsWith("Error"))).toEqual([])
    }),
  )
})
