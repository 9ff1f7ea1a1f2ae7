/** A server that responds to JSON-RPC with a script and records the calls. */
import * as ScriptedServer from "@daybook/harness/ScriptedServer"
import type { IncomingMessage, ServerResponse } from "node:http"

/** A call as received. */
export interface ReceivedCall {
  readonly jsonrpc: string
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

export interface Seen extends ScriptedServer.ReceivedRequest {
  /** The calls of the request, in order; one for a single call. */
  readonly calls: ReadonlyArray<ReceivedCall>
}

export type Handler = (seen: Seen, response: ServerResponse, number: number, request: IncomingMessage) => void

const callsOf = (text: string): ReadonlyArray<ReceivedCall> => {
  const body: ReceivedCall | ReadonlyArray<ReceivedCall> = JSON.parse(text)
  return "id" in body ? [body] : body
}

/** Span attributes of a host with a port. */
export const addressOf = (host: string) => {
  const { hostname, port } = new URL(`http://${host}`)
  return { "server.address": hostname, "server.port": Number(port) }
}

/** Responds to the n-th request with the n-th handler, and to later ones with the last. */
export const script = (...handlers: ReadonlyArray<Handler>) =>
  ScriptedServer.serveAs(
    (seen): Seen => ({ ...seen, calls: callsOf(seen.body) }),
    (seen, response, number, request) => ScriptedServer.nth(handlers, number)?.(seen, response, number, request),
  )

/** Responds with a status and the text that `body` returns for the calls. */
export const reply =
  (
    body: string | ((calls: ReadonlyArray<ReceivedCall>) => unknown),
    status = 200,
    headers: Record<string, string> = {},
  ): Handler =>
  (seen, response) => {
    const content = typeof body === "string" ? body : body(seen.calls)
    response.writeHead(status, headers)
    response.end(typeof content === "string" ? content : JSON.stringify(content))
  }

/** Responds with these items: an array for a batch, the first item for a single call. */
export const replies =
  (items: (calls: ReadonlyArray<ReceivedCall>) => ReadonlyArray<unknown>): Handler =>
  (seen, response) => {
    const responseItems = items(seen.calls)
    const isAlone = !seen.body.startsWith("[") && responseItems.length === 1
    response.end(JSON.stringify(isAlone ? responseItems[0] : responseItems))
  }

/** A reply with a result. */
export const success = (id: unknown, result: unknown) => ({ jsonrpc: "2.0", id, result })

/** A reply with an error. */
export const failure = (id: unknown, code: number, message: string, data?: unknown) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message, data },
})

/** Responds to a single call with this result. */
export const gives = (result: unknown): Handler => reply(([call]) => success(call?.id, result))

/** Responds to a single call with this error. */
export const refuses = (code: number, message: string, status = 200, data?: unknown): Handler =>
  reply(([call]) => failure(call?.id, code, message, data), status)
