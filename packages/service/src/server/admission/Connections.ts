/**
 * Connections of the HTTP server. Limits their number and the share of each turn of the event loop in which requests begin. Closes
 * connections whose clients do not read or have left, and all of them when the server stops.
 *
 * Source: decision 0039.
 */
import { type IncomingMessage, type Server, ServerResponse } from "node:http"
import { Server as TlsServer } from "node:https"
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Limits } from "../../config/Limits.ts"
import * as Closing from "../http/Closing.ts"
import * as Upgrade from "../http/Upgrade.ts"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import type { Turns } from "./Turns.ts"

/** Limits of connections. */
export type Options = Pick<
  Limits,
  "connections" | "connectionsPerAddress" | "writeSeconds" | "drainIdleMillis" | "drainSeconds"
>

/** A connection. */
interface Connection {
  /** With TLS, the underlying socket until the handshake is complete. */
  socket: Socket
  readonly address: string
  /** Number of requests whose responses are incomplete. */
  requests: number
  /** The request that is being answered. */
  current: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined
  /** Requests after the first one that were sent before it was answered. */
  readonly waiting: Array<() => void>
  /** True once no further request is answered. */
  isEnding: boolean
  /** State of the bytes that the client had yet to read at the last check; undefined if there were none. */
  stalled: Stalled | undefined
}

/** Bytes waiting for a client to read them. */
export interface Stalled {
  /** When bytes began to wait. */
  readonly sinceMillis: number
  /** When the client last read. */
  readonly readAtMillis: number
  /** Number of bytes that the client had read when bytes began to wait. */
  readonly readBefore: number
  /** Number of bytes that the client has read. */
  readonly read: number
}

/** Minimum average rate at which a client reads while bytes wait for it, in bytes per second. */
const minBytesPerSecond = 4096

/** Updates the state of a connection with waiting bytes after a check. */
export const observe = (stalled: Stalled | undefined, read: number, nowMillis: number): Stalled =>
  stalled === undefined
    ? { sinceMillis: nowMillis, readAtMillis: nowMillis, readBefore: read, read }
    : { ...stalled, read, readAtMillis: read > stalled.read ? nowMillis : stalled.readAtMillis }

/** True for a client that has read nothing for some time, or too little since bytes began to wait. */
export const isTooSlow = (stalled: Stalled, nowMillis: number, writeSeconds: number): boolean => {
  const { read, readAtMillis, readBefore, sinceMillis } = stalled
  const seconds = (nowMillis - sinceMillis) / 1000
  if (nowMillis - readAtMillis >= writeSeconds * 1000) return true
  return seconds >= writeSeconds && read - readBefore < seconds * minBytesPerSecond
}

/** Interval between checks of the connections. */
const lookMillis = 1_000

/**
 * Maximum number of unanswered requests on a connection. Their responses must be sent in order, so one is handled at a time; the response
 * to the last of them ends the connection, and the client resends the others.
 */
const maxPipelined = 32

/** A connection with more unanswered requests is closed: further ones would cost time even though they are not answered. */
const maxUnanswered = 256

/** Handles a request. */
type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Connections of a server. */
export interface Connections {
  /** Handles each request with `handler`, in a turn that has time for it, after the previous ones on its connection. */
  readonly serve: (handler: Handler) => void
  /** Answers open requests, and closes each connection after its last response or when time runs out. */
  readonly drain: Effect.Effect<void>
}

/** Turns in which the requests of connections begin. */
export interface RequestTurns {
  readonly turns: Pick<Turns, "enter">
  /** Holder for which a request is processed. */
  readonly holderOf: (request: Pick<IncomingMessage, "headers" | "socket" | "url">) => string
  /** Kind of a request. Requests of one kind take about the same time for one holder. */
  readonly kindOf: (request: Pick<IncomingMessage, "url">) => string
}

/** Open connections of a server. */
interface Tracked {
  /** In the order in which they were opened. */
  readonly all: ReadonlySet<Connection>
  readonly of: (socket: Socket) => Connection | undefined
  /** Ends handshakes that began before a time. */
  readonly endHandshakes: (beforeMillis: number) => void
}

/** Remote address and port of a connection; undefined for a Unix socket. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string | undefined =>
  remotePort === undefined ? undefined : `${remoteAddress} ${remotePort}`

/** Time limit for a client's TLS handshake. */
const maxHandshakeMillis = 10_000

/** Maximum number of handshakes ended in one turn of the event loop: each costs about 40 us, and 10,000 may have begun together. */
const maxEnded = 100

/** A connection with an incomplete handshake. */
interface Handshake {
  readonly connection: Connection
  readonly sinceMillis: number
}

/**
 * Counts TLS connections from their start, because a client that does not complete its handshake also holds one. Requests have the socket
 * of a completed handshake. Returns a function that ends handshakes begun before a time.
 */
const trackHandshakes = (
  server: Server,
  add: (socket: Socket) => Connection | undefined,
  move: (connection: Connection, socket: Socket) => void,
  now: () => number,
): ((beforeMillis: number) => void) => {
  // In the order in which they began.
  const begun = new Map<string, Handshake>()
  server.on("connection", (below: Socket) => {
    const peer = peerOf(below)
    const connection = peer === undefined ? undefined : add(below)
    if (peer === undefined || connection === undefined) return
    begun.set(peer, { connection, sinceMillis: now() })
    below.once("close", () => begun.get(peer)?.connection === connection && begun.delete(peer))
  })
  server.on("secureConnection", (socket: Socket) => {
    const peer = peerOf(socket)
    const handshake = peer === undefined ? undefined : begun.get(peer)
    if (peer === undefined || handshake === undefined) return add(socket)
    begun.delete(peer)
    move(handshake.connection, socket)
  })
  const endLate = (beforeMillis: number): void => {
    let ended = 0
    for (const [peer, { connection, sinceMillis }] of begun) {
      if (sinceMillis >= beforeMillis) return
      if (ended++ === maxEnded) return void setImmediate(endLate, beforeMillis)
      begun.delete(peer)
      connection.socket.destroy()
    }
  }
  return endLate
}

/** Tracks the connections of a server. */
const track = (server: Server, bounds: Options, now: () => number): Tracked => {
  const all = new Set<Connection>()
  const bySocket = new WeakMap<Socket, Connection>()
  const counts = new Map<string, number>()

  /** Closes the oldest idle connection from an address, or from any; false if all have open requests. */
  const closeIdle = (address: string | undefined): boolean => {
    for (const connection of all) {
      if (connection.requests > 0 || (address !== undefined && connection.address !== address)) continue
      remove(connection)
      connection.socket.destroy()
      return true
    }
    return false
  }

  /** Address with the most connections: those of other addresses are closed for a new connection only if all of its own have open requests. */
  const crowdedAddress = (): string | undefined => {
    let [crowded, most]: [string | undefined, number] = [undefined, 0]
    for (const [address, count] of counts) if (count > most) [crowded, most] = [address, count]
    return crowded
  }

  const remove = (connection: Connection) => {
    if (!all.delete(connection)) return
    const count = counts.get(connection.address)! - 1
    if (count === 0) counts.delete(connection.address)
    else counts.set(connection.address, count)
  }

  const hold = (connection: Connection, socket: Socket) => {
    connection.socket = socket
    bySocket.set(socket, connection)
    socket.once("close", () => remove(connection))
  }

  const add = (socket: Socket): Connection | undefined => {
    const address = socket.remoteAddress ?? ""
    const isFull = all.size >= bounds.connections && !closeIdle(crowdedAddress()) && !closeIdle(undefined)
    const isFullForAddress = (counts.get(address) ?? 0) >= bounds.connectionsPerAddress && !closeIdle(address)
    if (isFull || isFullForAddress) {
      socket.destroy()
      return undefined
    }
    const connection: Connection = {
      socket,
      address,
      requests: 0,
      current: undefined,
      waiting: [],
      isEnding: false,
      stalled: undefined,
    }
    all.add(connection)
    counts.set(address, (counts.get(address) ?? 0) + 1)
    hold(connection, socket)
    return connection
  }

  const of = (socket: Socket) => bySocket.get(socket)
  if (server instanceof TlsServer) return { all, of, endHandshakes: trackHandshakes(server, add, hold, now) }
  server.on("connection", add)
  return { all, of, endHandshakes: () => {} }
}

/** Starts each request once the previous ones on its connection are answered. */
const inOrder =
  (server: Server, { all, of }: Tracked, start: Handler): Handler =>
  (request, response) => {
    const connection = of(request.socket)
    if (connection === undefined || !all.has(connection)) return
    connection.requests++
    if (connection.requests > maxUnanswered) connection.socket.destroy()
    if (connection.isEnding) return
    if (connection.requests === maxPipelined) {
      connection.isEnding = true
      response.shouldKeepAlive = false
    }
    const begin = () => {
      connection.current = { request, response }
      start(request, response)
    }
    Closing.onClose(response, () => {
      connection.requests--
      if (connection.current?.response === response) connection.current = undefined
      connection.waiting.shift()?.()
      // The response may have started before the drain, and so lack `Connection: close`.
      if (!server.listening) setImmediate(() => server.closeIdleConnections())
    })
    if (connection.requests === 1) begin()
    else connection.waiting.push(begin)
  }

/** Handles protocol upgrade requests, each with a response that ends its connection unless a route takes it. */
const upgrading =
  ({ of }: Tracked, drains: Set<() => void>, handle: Handler) =>
  (request: IncomingMessage, socket: Socket, head: Buffer): void => {
    const connection = of(request.socket)
    // No client requests an upgrade after an unanswered request.
    if (connection === undefined || connection.requests > 0) return void socket.destroy()
    connection.requests++
    socket.on("error", () => socket.destroy())
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    // A client that leaves its side open would keep the connection: no server timeout closes one that may change its protocol.
    response.once("finish", () => Upgrade.offerOf(request) !== undefined && socket.destroySoon())
    Upgrade.offer({
      request,
      response,
      socket,
      head,
      onDrain: (callback) => {
        drains.add(callback)
        socket.once("close", () => drains.delete(callback))
      },
    })
    handle(request, response)
  }

/** Closes connections whose clients read too slowly. */
const endSlow = (connections: Iterable<Connection>, writeSeconds: number, nowMillis: number): void => {
  for (const connection of connections) {
    const { socket } = connection
    if (socket.writableLength === 0) {
      connection.stalled = undefined
      continue
    }
    connection.stalled = observe(connection.stalled, socket.bytesWritten - socket.writableLength, nowMillis)
    if (isTooSlow(connection.stalled, nowMillis, writeSeconds)) socket.destroy()
  }
}

/**
 * Probes clients that ended their side of a connection. If a client has left, the connection fails, and nothing more is computed for it.
 * The probe is an interim response, which every HTTP/1.1 client ignores.
 */
const askEnded = (connections: Iterable<Connection>): void => {
  for (const { current, socket } of connections) {
    if (current === undefined || !socket.readableEnded || current.response.headersSent) continue
    if (current.request.httpVersion === "1.1") current.response.writeProcessing()
  }
}

/**
 * Limits the connections of a server until the scope ends. Limits are read each time they are applied, so they can change.
 * `handshakeMillis` is the time limit for a client's TLS handshake.
 */
export const make = Effect.fnUntraced(function* (
  server: Server,
  options: Options,
  { holderOf, kindOf, turns }: RequestTurns,
  handshakeMillis = maxHandshakeMillis,
): Effect.fn.Return<Connections, never, Scope.Scope> {
  const now = yield* MonotonicClock.reader
  const tracked = track(server, options, now)
  const drains = new Set<() => void>()
  const look = setInterval(() => {
    endSlow(tracked.all, options.writeSeconds, now())
    askEnded(tracked.all)
    tracked.endHandshakes(now() - handshakeMillis)
  }, lookMillis).unref()
  yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(look)))

  const closed = Effect.callback<void>((resume) => {
    const timer = setInterval(() => check(), 10)
    const check = () => {
      if (tracked.all.size > 0) return
      clearInterval(timer)
      resume(Effect.void)
    }
    check()
    return Effect.sync(() => clearInterval(timer))
  })

  return {
    serve: (handler) => {
      const inTurn: Handler = (request, response) => {
        turns.enter(
          () => {
            if (!response.destroyed && request.socket.writable) handler(request, response)
          },
          () => request.socket.destroy(),
          holderOf(request),
          kindOf(request),
        )
      }
      const handle = inOrder(server, tracked, inTurn)
      server.on("request", handle).on("checkContinue", handle)
      if (Upgrade.isSupported) server.on("upgrade", upgrading(tracked, drains, inTurn))
    },
    drain: Effect.suspend(() => {
      for (const callback of drains) callback()
      setTimeout(() => {
        for (const { socket } of tracked.all) socket.destroy()
      }, options.drainSeconds * 1000).unref()
      return Effect.asVoid(Effect.timeoutOption(closed, options.drainIdleMillis))
    }),
  }
})
