/**
 * HTTP server on a free port of 127.0.0.1 whose responses a test writes itself, request by request.
 *
 * It records the requests. For the faults of a JSON-RPC node or of the wallet operation see `HostileNode` and `HostileRest`.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect, type Scope } from "effect"
import * as LocalServer from "./LocalServer.ts"

/** A request with its complete body. */
export type ReceivedRequest = LocalServer.Request

/** Responds to a request, or leaves it without a response. `number` counts from 1. */
export type Handler = (request: IncomingMessage, response: ServerResponse, number: number) => void

/** A running server. */
export interface Server<S = ReceivedRequest> extends LocalServer.Server {
  /** Requests received so far, in order of arrival. */
  readonly seen: ReadonlyArray<S>
  /** Resolves when the client has closed the connection of the request with this number. */
  readonly closed: (number: number) => Promise<void>
}

/** Serves until the scope closes. `read` converts each request into the form that `handler` and `seen` have. */
export const serveAs = <S>(
  read: (request: ReceivedRequest) => S,
  handler: (seen: S, response: ServerResponse, number: number, request: IncomingMessage) => void,
): Effect.Effect<Server<S>, never, Scope.Scope> => {
  const seen: Array<S> = []
  const closings = new Map<number, LocalServer.Signal>()
  const closing = (number: number): LocalServer.Signal => {
    const signal = closings.get(number) ?? LocalServer.signal()
    closings.set(number, signal)
    return signal
  }
  const handle: LocalServer.Handler = (request, response, message) => {
    const { resolve } = closing(request.number)
    if (message.socket.destroyed) resolve()
    else message.socket.once("close", resolve)
    const one = read(request)
    seen.push(one)
    handler(one, response, request.number, message)
  }
  return Effect.map(
    LocalServer.scoped(() => LocalServer.start(handle)),
    (server) => ({ ...server, seen, closed: (number) => closing(number).promise }),
  )
}

/** Serves until the scope closes. */
export const serve = (handler: Handler): Effect.Effect<Server, never, Scope.Scope> =>
  serveAs(
    (seen) => seen,
    (_seen, response, number, request) => handler(request, response, number),
  )

/** The n-th handler, or the last one for a greater number. */
export const nth = <H>(handlers: ReadonlyArray<H>, number: number): H | undefined =>
  handlers[Math.min(number, handlers.length) - 1]

/** Handles the n-th request with the n-th handler, and every later request with the last one. */
export const script = (...handlers: ReadonlyArray<Handler>): Effect.Effect<Server, never, Scope.Scope> =>
  serve((request, response, number) => nth(handlers, number)?.(request, response, number))

/** A handler that always sends this response. */
export const reply =
  (status: number, body = "", headers: Readonly<Record<string, string>> = {}): Handler =>
  (_request, response) => {
    response.writeHead(status, headers)
    response.end(body)
  }
