/**
 * HTTP server on a free port of 127.0.0.1 that reads whole requests and closes every connection when it is stopped. The other servers in
 * this package are built on it.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Effect, type Scope } from "effect"

/** A request with its complete body. */
export interface Request {
  /** Order of arrival, from 1. */
  readonly number: number
  /** Time at which the last byte was received, by `performance.now()`. */
  readonly atMillis: number
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Responds to a request, or leaves it without a response. */
export type Handler = (request: Request, response: ServerResponse, message: IncomingMessage) => void

/** A running server. */
export interface Server {
  /** Origin, for example `http://127.0.0.1:40123`. */
  readonly url: string
  /** Host and port. */
  readonly host: string
  readonly port: number
  /** Number of open connections. */
  readonly connections: () => number
  /** Closes every socket and frees the port. */
  readonly stop: () => Promise<void>
}

/** A promise and its resolver. */
export interface Signal {
  readonly promise: Promise<void>
  readonly resolve: () => void
}

/** Makes a signal. */
export const signal = (): Signal => {
  let resolve = () => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}

/** Starts a server; call `stop` to end it. A request whose body never arrives completely is dropped. */
export const start = async (handler: Handler): Promise<Server> => {
  const sockets = new Set<Socket>()
  let count = 0
  const server = createServer((message, response) => {
    const chunks: Array<Buffer> = []
    message.on("data", (chunk: Buffer) => chunks.push(chunk))
    message.on("end", () => {
      const { method = "", url = "", headers } = message
      const body = Buffer.concat(chunks).toString("utf8")
      handler({ number: ++count, atMillis: performance.now(), method, url, headers, body }, response, message)
    })
  })
  server.keepAliveTimeout = 60_000
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.setMaxListeners(0)
    socket.on("error", () => socket.destroy())
    socket.once("close", () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // Sound: a server that listens on a port has an address.
  const { port } = server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  return {
    url: `http://${host}`,
    host,
    port,
    connections: () => sockets.size,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Runs a server until the scope closes. */
export const scoped = <S extends Pick<Server, "stop">>(
  starting: () => Promise<S>,
): Effect.Effect<S, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(starting), (server) => Effect.promise(server.stop))
