import { createServer, type Server } from "node:http"
import { connect, type AddressInfo, type Socket } from "node:net"
import { describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { expect } from "vitest"
import * as Connections from "../../src/server/Connections.ts"

const limits = { connections: 10, connectionsPerAddress: 10, writeSeconds: 20, drainSeconds: 10, drainIdleMillis: 50 }

const listen = (server: Server) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return (server.address() as AddressInfo).port
    }),
    () => Effect.sync(() => server.closeAllConnections()),
  )

const open = (port: number) =>
  Effect.promise(async () => {
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => {})
    await new Promise((resolve) => socket.once("connect", resolve))
    return socket
  })

const closed = (socket: Socket) =>
  Effect.promise(async () => await new Promise((resolve) => socket.once("close", resolve)))

describe("Connections", () => {
  it("isTooSlow: a client that reads nothing for the time, or too little on average", () => {
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

  it.live("at the bound the oldest idle connection is closed, and a new one is refused where none is idle", () =>
    Effect.gen(function* () {
      const server = createServer((_request, response) => void response.writeHead(200))
      const port = yield* listen(server)
      yield* Connections.make(server, { ...limits, connections: 2 })
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

  it.live("a client that does not read is closed", () =>
    Effect.gen(function* () {
      const server = createServer((_request, response) => void response.end(Buffer.alloc(32 * 1024 * 1024)))
      const port = yield* listen(server)
      yield* Connections.make(server, { ...limits, writeSeconds: 1 })
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

  it.live("drain: waits for open connections for a while, and no longer than until they are closed", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const server = createServer((_request, response) => void response.end("x"))
      const port = yield* listen(server)
      const connections = yield* Connections.make(server, { ...limits, drainIdleMillis: 5_000 }).pipe(
        Scope.provide(scope),
      )
      const socket = yield* open(port)
      yield* Effect.sleep("20 millis")
      expect(connections.isDraining()).toBe(false)

      setTimeout(() => socket.destroy(), 50)
      const startedAt = performance.now()
      yield* connections.drain

      expect(connections.isDraining()).toBe(true)
      expect(performance.now() - startedAt).toBeLessThan(2_000)
      yield* Scope.close(scope, Exit.void)
    }),
  )
})
