/**
 * HTTP server on a free port of 127.0.0.1 whose responses a test writes itself, request by request.
 *
 * It records the requests. For the faults of a JSON-RPC node or of the wallet operation see `HostileNode` and `HostileRest`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Effect, type Scope } from "effect"

/** A request with its complete body. */
export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
  /** By `performance.now()`. */
  readonly atMillis: number
}

/** Responds to a request, or leaves it without a response. `number` counts from 1. */
export type Handler = (request: IncomingMessage, response: ServerResponse, number: number) => void

/** A running server. */
export interface Server<S = ReceivedRequest> {
  readonly url: string
  readonly host: string
  /** Requests received so far, in order of arrival. */
  readonly seen: ReadonlyArray<S>
  /** Resolves when the client has closed the connection of the request with this number. */
  readonly closed: (number: number) => Promise<void>
}

interface Stoppable<S> extends Server<S> {
  readonly stop: () => Promise<void>
}

interface Closing {
  readonly promise: Promise<void>
  readonly resolve: () => void
}

const start = <S>(
  read: (seen: ReceivedRequest) => S,
  handler: (seen: S, response: ServerResponse, number: number, request: IncomingMessage) => void,
): Promise<Stoppable<S>> =>
  new Promise((resolve) => {
    const seen: Array<S> = []
    const sockets = new Set<Socket>()
    const closings = new Map<number, Closing>()
    const closing = (number: number): Closing => {
      const known = closings.get(number)
      if (known !== undefined) return known
      let resolve = () => {}
      const made = { promise: new Promise<void>((done) => (resolve = done)), resolve: () => resolve() }
      closings.set(number, made)
      return made
    }
    let count = 0
    const server = createServer((request, response) => {
      const number = ++count
      request.socket.once("close", () => closing(number).resolve())
      let body = ""
      request.setEncoding("utf8").on("data", (text: string) => (body += text))
      request.on("end", () => {
        const { method = "", url = "", headers } = request
        const one = read({ method, url, headers, body, atMillis: performance.now() })
        seen.push(one)
        handler(one, response, number, request)
      })
    })
    server.on("connection", (socket) => {
      socket.setMaxListeners(0)
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
    })
    server.listen(0, "127.0.0.1", () => {
      const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
      const stop = () =>
        new Promise<void>((done) => {
          server.close(() => done())
          for (const socket of sockets) socket.destroy()
        })
      resolve({ url: `http://${host}`, host, seen, closed: (number) => closing(number).promise, stop })
    })
  })

/** Serves until the scope closes. `read` converts each request into the form that `handler` and `seen` have. */
export const serveAs = <S>(
  read: (seen: ReceivedRequest) => S,
  handler: (seen: S, response: ServerResponse, number: number, request: IncomingMessage) => void,
): Effect.Effect<Server<S>, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => start(read, handler)),
    (server) => Effect.promise(server.stop),
  )

/** Serves until the scope closes. */
export const serve = (handler: Handler): Effect.Effect<Server, never, Scope.Scope> =>
  serveAs(
    (seen) => seen,
    (_seen, response, number, request) => handler(request, response, number),
  )

/** The n-th handler, or the last one for a greater number. */
export const nth = <H>(handlers: ReadonlyArray<H>, number: number): H | undefined =>
  handlers[Math.min(number, handlers.length) - 1]

/** Answers the n-th request with the n-th handler, and every later request with the last one. */
export const script = (...handlers: ReadonlyArray<Handler>): Effect.Effect<Server, never, Scope.Scope> =>
  serve((request, response, number) => nth(handlers, number)?.(request, response, number))

/** A handler that always sends this response. */
export const reply =
  (status: number, body = "", headers: Readonly<Record<string, string>> = {}): Handler =>
  (_request, response) => {
    response.writeHead(status, headers)
    response.end(body)
  }
