import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { createServer as createTlsServer, request as requestTls } from "node:https"
import { connect, type AddressInfo, type Socket } from "node:net"
import { join } from "node:path"
import { connect as connectTls } from "node:tls"
import { Eventually } from "@daybook/harness"
import { describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { expect, vi } from "vitest"
import * as Connections from "../../../src/server/admission/Connections.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import * as Upgrade from "../../../src/server/http/Upgrade.ts"

const limits = { connections: 10, connectionsPerAddress: 10, writeSeconds: 20, drainSeconds: 10, drainIdleMillis: 50 }

const admission = { turns: Turns.make(() => performance.now()), holderOf: () => "", kindOf: () => "" }

const listen = (server: Server) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return (server.address() as AddressInfo).port
    }),
    () => Effect.sync(() => server.closeAllConnections()),
  )

const open = (port: number, localAddress = "127.0.0.1") =>
  Effect.promise(async () => {
    const socket = connect({ port, host: "127.0.0.1", localAddress })
    socket.on("error", () => {})
    await new Promise((resolve) => socket.once("connect", resolve))
    return socket
  })

/** Opens connections, and waits until the server has accepted them. */
const openAll = (server: Server, port: number, count: number) =>
  Effect.promise(async () => {
    let accepted = 0
    const all = new Promise<void>((resolve) => {
      server.on("connection", () => ++accepted === count && resolve())
    })
    const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1"))
    await all
    return sockets
  })

/** Keeps the thread busy, like a request that is answered without waiting. */
const work = (millis: number) => {
  const end = performance.now() + millis
  while (performance.now() < end);
}

const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, "../fixtures", name))

const closed = (socket: Socket) =>
  Effect.promise(async () => await new Promise((resolve) => socket.once("close", resolve)))

describe("Connections", () => {
  it("isTooSlow: is true for a client that reads nothing for the time limit, or too little on average", () => {
    const at = (reads: ReadonlyArray<readonly [second: number, read: number]>) =>
      reads.reduce<Connections.Stalled | undefined>(
        (stalled, [second, read]) => Connections.observe(stalled, read, second * 1000),
        undefined,
      )!
    const steady = Array.from({ length: 100 }, (_, second) => [second, second * 10_000] as const)
    const trickle = Array.from({ length: 100 }, (_, second) => [second, second * 100] as const)

    expect(
      Connections.isTooSlow(
        at([
          [0, 5],
          [19, 5],
        ]),
        19_000,
        20,
      ),
    ).toBe(false)
    expect(
      Connections.isTooSlow(
        at([
          [0, 5],
          [20, 5],
        ]),
        20_000,
        20,
      ),
    ).toBe(true)
    expect(
      Connections.isTooSlow(
        at([
          [0, 5],
          [19, 900_000],
          [30, 900_000],
        ]),
        30_000,
        20,
      ),
    ).toBe(false)
    expect(Connections.isTooSlow(at(steady), 99_000, 20)).toBe(false)
    expect(Connections.isTooSlow(at(trickle.slice(0, 15)), 14_000, 20)).toBe(false)
    expect(Connections.isTooSlow(at(trickle), 99_000, 20)).toBe(true)
  })

  it.live("at the limit, the oldest idle connection is closed, and a new one is rejected if none is idle", () =>
    Effect.gen(function* () {
      const server = createServer()
      const port = yield* listen(server)
      const { serve } = yield* Connections.make(server, { ...limits, connections: 2 }, admission)
      serve((_request, response) => void response.writeHead(200))
      const first = yield* open(port)
      const second = yield* open(port)
      yield* Effect.sleep("20 millis")

      const third = yield* open(port)
      yield* closed(first)
      expect(second.destroyed).toBe(false)

      const request = "GET / HTTP/1.1\r\nhost: a\r\n\r\n"
      second.write(request)
      third.write(request)
      yield* Effect.sleep("50 millis")
      const fourth = yield* open(port)
      yield* closed(fourth)
      expect([second.destroyed, third.destroyed]).toEqual([false, false])
    }),
  )

  it.live("at the total limit, an idle connection of the address with the most connections is closed", () =>
    Effect.gen(function* () {
      const server = createServer()
      const port = yield* listen(server)
      yield* Connections.make(server, { ...limits, connections: 3 }, admission)
      const oldest = yield* open(port)
      const many = [yield* open(port, "127.0.1.1"), yield* open(port, "127.0.1.1")]

      yield* open(port, "127.0.1.2")
      yield* Effect.promise(() => Eventually.until(() => many[0]!.closed, { what: "one of the many is closed" }))

      expect([oldest.destroyed, many[1]!.destroyed]).toEqual([false, false])
    }),
  )

  it.live("with TLS, incomplete handshakes count, and the oldest are closed to make room", () =>
    Effect.gen(function* () {
      const ca = fixture("localhost.cert.pem")
      const server = createTlsServer({ cert: ca, key: fixture("localhost.key.pem") })
      const port = yield* listen(server)
      const { serve } = yield* Connections.make(server, { ...limits, connectionsPerAddress: 3 }, admission)
      serve((_request, response) => void response.end("answered"))
      const sockets = yield* openAll(server, port, 5)

      yield* Effect.promise(() =>
        Eventually.until(() => sockets.filter(({ closed: isClosed }) => isClosed).length === 2, {
          what: "two connections above the bound are closed",
        }),
      )
      const answer = yield* Effect.promise(
        () =>
          new Promise<string>((resolve, reject) => {
            const sent = requestTls(
              { host: "127.0.0.1", servername: "localhost", port, ca, agent: false },
              (response) => response.on("data", (chunk: Buffer) => resolve(chunk.toString())),
            )
            sent.on("error", reject).end()
          }),
      )

      expect(answer).toBe("answered")
      expect(sockets.slice(0, 2).every(({ closed: isClosed }) => isClosed)).toBe(true)
    }),
  )

  it.live("with TLS, connections with a complete handshake count until they are closed", () =>
    Effect.gen(function* () {
      const server = createTlsServer({ cert: fixture("localhost.cert.pem"), key: fixture("localhost.key.pem") })
      const port = yield* listen(server)
      const { serve } = yield* Connections.make(server, { ...limits, connectionsPerAddress: 2 }, admission)
      serve((_request, response) => void response.end("answered"))
      const openTls = Effect.promise(async () => {
        const socket = connectTls({
          host: "127.0.0.1",
          servername: "localhost",
          port,
          ca: fixture("localhost.cert.pem"),
        })
        await new Promise((resolve) => socket.on("error", () => {}).once("secureConnect", resolve))
        return socket.resume()
      })
      const [first, second] = [yield* openTls, yield* openTls]

      const third = yield* openTls
      yield* Effect.promise(() => Eventually.until(() => first.closed, { what: "the oldest connection is closed" }))

      expect([second.destroyed, third.destroyed]).toEqual([false, false])
    }),
  )

  it.live("with TLS, handshakes that do not complete are aborted in time, some in each turn of the event loop", () =>
    Effect.gen(function* () {
      const server = createTlsServer({ cert: fixture("localhost.cert.pem"), key: fixture("localhost.key.pem") })
      const port = yield* listen(server)
      yield* Connections.make(server, { ...limits, connections: 500, connectionsPerAddress: 500 }, admission, 50)
      let turn = 0
      const ended: Array<number> = []
      const count = () => void (turn++, ended.length < 250 && setImmediate(count))
      const note = () => {
        if (ended.push(turn) === 1) count()
      }
      server.on("connection", (socket: Socket) => void socket.once("close", note))
      const sockets = yield* openAll(server, port, 250)

      yield* Effect.promise(() =>
        Eventually.until(() => sockets.every(({ closed: isClosed }) => isClosed), { what: "all are closed" }),
      )

      expect(ended).toHaveLength(250)
      expect(new Set(ended).size).toBeGreaterThanOrEqual(3)
    }),
  )

  it.live("serve: a request begins as work of its kind", () =>
    Effect.gen(function* () {
      const kinds: Array<string | undefined> = []
      const enter: Turns.Turns["enter"] = (work, _, __, kind) => {
        kinds.push(kind)
        work()
      }
      const server = createServer()
      const { serve } = yield* Connections.make(server, limits, {
        turns: { enter },
        holderOf: () => "",
        kindOf: ({ url = "" }) => url.slice(url.lastIndexOf("/")),
      })
      serve((_, response) => response.end())
      const port = yield* listen(server)
      const socket = yield* open(port)
      const ended = closed(socket)
      socket.resume()
      const head = "HTTP/1.1\r\nhost: a"
      socket.write(`GET /api/0x1/verbose ${head}\r\n\r\nGET /api/names ${head}\r\nconnection: close\r\n\r\n`)
      yield* ended

      expect(kinds).toEqual(["/verbose", "/names"])
    }),
  )

  it.live("requests that arrive together begin in several turns of the event loop, and all are answered", () =>
    Effect.gen(function* () {
      const server = createServer()
      const port = yield* listen(server)
      const { serve } = yield* Connections.make(
        server,
        { ...limits, connections: 100, connectionsPerAddress: 100 },
        admission,
      )
      let turn = 0
      const begun: Array<number> = []
      serve((_request, response) => {
        work(6)
        begun.push(turn)
        setImmediate(() => turn++)
        response.end("x")
      })
      const sockets = yield* openAll(server, port, 20)
      const answers = sockets.map((socket) => new Promise((resolve) => socket.once("data", resolve)))

      for (const socket of sockets) socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
      yield* Effect.promise(() => Promise.all(answers))

      expect(begun).toHaveLength(20)
      const inOneTurn = begun.map((at) => begun.filter((other) => other === at).length)
      expect(Math.max(...inOneTurn)).toBeLessThanOrEqual(3)
    }),
  )

  it.live("a client that sends many requests at once waits for its own requests, and another client does not", () =>
    Effect.gen(function* () {
      const server = createServer()
      const port = yield* listen(server)
      const { serve } = yield* Connections.make(server, limits, admission)
      const begun: Array<string> = []
      serve(({ url }, response) => {
        work(6)
        begun.push(url!)
        response.end(url)
      })
      const [many, one] = yield* openAll(server, port, 2)
      let text = ""
      many!.on("data", (chunk: Buffer) => (text += chunk.toString()))
      const ended = closed(many!)
      const answered = new Promise((resolve) => one!.once("data", resolve))

      many!.write(Array.from({ length: 50 }, (_, at) => `GET /${at} HTTP/1.1\r\nhost: a\r\n\r\n`).join(""))
      one!.write("GET /one HTTP/1.1\r\nhost: a\r\n\r\n")
      yield* Effect.promise(() => answered)
      yield* ended

      expect(begun.indexOf("/one")).toBeLessThanOrEqual(3)
      expect(begun.filter((url) => url !== "/one")).toEqual(Array.from({ length: 32 }, (_, at) => `/${at}`))
      expect(text.match(/\r\n\r\n\/\d+/g)).toHaveLength(32)
      expect(text.match(/^connection: .*$/gim)?.map((line) => line.slice(12))).toEqual([
        ...Array.from({ length: 31 }, () => "keep-alive"),
        "close",
      ])
    }),
  )

  it.live("a client that does not stop sending requests is closed", () =>
    Effect.gen(function* () {
      const server = createServer()
      const port = yield* listen(server)
      const { serve } = yield* Connections.make(server, limits, admission)
      let [handled, received] = [0, 0]
      serve((_request, response) => {
        handled++
        response.end("x")
      })
      server.on("request", () => received++)
      const [socket] = yield* openAll(server, port, 1)
      const ended = closed(socket!)

      socket!.on("error", () => {}).write("GET / HTTP/1.1\r\nhost: a\r\n\r\n".repeat(100_000))
      yield* ended

      expect(handled).toBeLessThanOrEqual(32)
      expect(received).toBeLessThan(10_000)
    }),
  )

  it.live("a connection whose request waits for its body is not idle, even with Expect: 100-continue", () =>
    Effect.gen(function* () {
      const server = createServer()
      const port = yield* listen(server)
      const { serve } = yield* Connections.make(server, { ...limits, connections: 2 }, admission)
      serve((_request, response) => response.writeContinue())
      const expecting = yield* open(port)
      const continued = new Promise((resolve) => expecting.once("data", resolve))
      expecting.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n")
      yield* Effect.promise(() => continued)
      const idle = yield* open(port)
      const ended = closed(idle)

      yield* open(port)
      yield* ended

      expect(expecting.destroyed).toBe(false)
    }),
  )

  it.live("a client that does not read is closed", () =>
    Effect.gen(function* () {
      const server = createServer()
      const port = yield* listen(server)
      const { serve } = yield* Connections.make(server, { ...limits, writeSeconds: 1 }, admission)
      serve((_request, response) => void response.end(Buffer.alloc(32 * 1024 * 1024)))
      const socket = yield* open(port)
      const ended = new Promise<number>((resolve) => {
        server.on("connection", () => {})
        server.once("request", ({ socket: own }) => own.once("close", () => resolve(own.bytesWritten)))
      })
      socket.pause()
      socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")

      expect(yield* Effect.promise(() => ended)).toBeGreaterThan(0)
    }),
  )

  it.live("drain: waits for open connections up to a time limit, and no longer than until they are closed", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const server = createServer()
      const port = yield* listen(server)
      // Longer than the limit of the test.
      const connections = yield* Connections.make(server, { ...limits, drainIdleMillis: 3_600_000 }, admission).pipe(
        Scope.provide(scope),
      )
      const socket = yield* open(port)
      yield* Effect.sleep("20 millis")
      setTimeout(() => socket.destroy(), 50)

      yield* connections.drain

      yield* Scope.close(scope, Exit.void)
    }),
  )

  it.live("drain: leaves no timer that would keep the process alive", () =>
    Effect.gen(function* () {
      const started = vi.spyOn(globalThis, "setInterval")
      const cleared = vi.spyOn(globalThis, "clearInterval")
      const scope = yield* Scope.make()
      const { drain } = yield* Connections.make(createServer(), limits, admission).pipe(Scope.provide(scope))
      yield* drain
      yield* Scope.close(scope, Exit.void)
      const timers = started.mock.results.map(({ value }) => value as NodeJS.Timeout)
      const left = timers.filter((timer) => !cleared.mock.calls.some(([other]) => other === timer))
      vi.restoreAllMocks()

      expect(timers.length).toBeGreaterThan(0)
      expect(left).toEqual([])
    }),
  )

  it.live("drain: closes connections that are still open at its end, even without a complete request", () =>
    Effect.gen(function* () {
      const server = createServer()
      const port = yield* listen(server)
      const { drain, serve } = yield* Connections.make(
        server,
        { ...limits, drainIdleMillis: 1, drainSeconds: 0.2 },
        admission,
      )
      const answered = new Promise<void>((resolve) => {
        serve((_request, response) => {
          response.end(Buffer.alloc(32 * 1024 * 1024))
          resolve()
        })
      })
      const [unread, unfinished] = yield* openAll(server, port, 2)
      unread!.on("error", () => {}).pause()
      unread!.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
      unfinished!.write("GET / HTTP/1.1\r\n")
      yield* Effect.promise(() => answered)

      yield* drain
      yield* Effect.promise(async () => await new Promise((resolve) => server.close(resolve)))

      expect(server.listening).toBe(false)
    }),
  )

  it.live("the request of a disconnected client is aborted, and that of a half-closed connection is answered", () =>
    Effect.gen(function* () {
      const server = createServer()
      Object.assign(server, { httpAllowHalfOpen: true })
      const port = yield* listen(server)
      const connections = yield* Connections.make(server, { ...limits }, admission)
      const responses = new Map<string, { end: (text: string) => void }>()
      const left: Array<string> = []
      const url = (text: string) => `GET /${text} HTTP/1.1\r\nhost: localhost\r\n\r\n`
      const arrived = new Promise<void>((resolve) => {
        connections.serve(({ url: path = "" }, response) => {
          responses.set(path, response)
          response.on("close", () => response.writableEnded || left.push(path))
          if (responses.size === 2) resolve()
        })
      })
      const [leaving, waiting] = [yield* open(port), yield* open(port)]
      leaving.write(url("leaving"))
      waiting.end(url("waiting"))
      let answer = ""
      waiting.on("data", (chunk: Buffer) => (answer += chunk.toString()))
      yield* Effect.promise(() => arrived)
      leaving.destroy()
      yield* Effect.promise(() => Eventually.until(() => left.length > 0, { what: "the end of the request" }))
      responses.get("/waiting")!.end("answered")
      yield* closed(waiting)

      expect(left).toEqual(["/leaving"])
      expect(answer).toMatch(/^(HTTP\/1\.1 102 Processing\r\n\r\n)*HTTP\/1\.1 200 OK\r\n[^]*answered/)
    }).pipe(Effect.scoped),
  )

  it.live("a rejected protocol upgrade ends its connection, even if the client leaves its side open", () =>
    Effect.gen(function* () {
      const server = createServer({ shouldUpgradeCallback: Upgrade.isAcceptable })
      Object.assign(server, { httpAllowHalfOpen: true })
      const port = yield* listen(server)
      const connections = yield* Connections.make(server, { ...limits }, admission)
      connections.serve((_request, response) => void response.writeHead(401).end("refused"))
      let isClosed = false
      server.on("connection", (socket: Socket) => socket.once("close", () => (isClosed = true)))
      const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
      let answer = ""
      client.on("data", (chunk: Buffer) => (answer += chunk.toString()))
      client.write("GET /rpc/eth HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n")
      yield* Effect.promise(() => Eventually.until(() => isClosed, { what: "the end of the connection" }))
      client.destroy()

      expect(answer).toMatch(/^HTTP\/1\.1 401 [^]*refused/)
    }),
  )
})
