/** A server that answers JSON-RPC by a script and notes the calls that it saw. */
import * as ScriptedServer from "@daybook/testkit/ScriptedServer"
import type { IncomingMessage, ServerResponse } from "node:http"

/** A call as the server reads it. */
export interface CallContext {
  readonly jsonrpc: string
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

export interface Seen extends ScriptedServer.ReceivedRequest {
  /** The calls of the request, in order; one for a single call. */
  readonly calls: ReadonlyArray<CallContext>
}

export type Handler = (seen: Seen, response: ServerResponse, number: number, request: IncomingMessage) => void

const callsOf = (text: string): ReadonlyArray<CallContext> => {
  const body: CallContext | ReadonlyArray<CallContext> = JSON.parse(text)
  return "id" in body ? [body] : body
}

/** Answers the n-th request with the n-th handler, and further ones with the last. */
export const script = (...handlers: ReadonlyArray<Handler>) =>
  ScriptedServer.serveAs(
    (seen): Seen => ({ ...seen, calls: callsOf(seen.body) }),
    (seen, response, number, request) => ScriptedServer.nth(handlers, number)?.(seen, response, number, request),
  )

/** Answers with a status and the text that `body` makes of the calls. */
export const reply =
  (
    body: string | ((calls: ReadonlyArray<CallContext>) => unknown),
    status = 200,
    headers: Record<string, string> = {},
  ): Handler =>
  (seen, response) => {
    const made = typeof body === "string" ? body : body(seen.calls)
    response.writeHead(status, headers)
    response.end(typeof made === "string" ? made : JSON.stringify(made))
  }

/** Answers with these items: as an array to a batch, and a single one alone to a call that was sent alone. */
export const replies =
  (items: (calls: ReadonlyArray<CallContext>) => ReadonlyArray<unknown>): Handler =>
  (seen, response) => {
    const made = items(seen.calls)
    const isAlone = !seen.body.startsWith("[") && made.length === 1
    response.end(JSON.stringify(isAlone ? made[0] : made))
  }

/** A reply with a result. */
export const success = (id: unknown, result: unknown) => ({ jsonrpc: "2.0", id, result })

/** A reply with an error. */
export const failure = (id: unknown, code: number, message: string, data?: unknown) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
})

/** Gives this result to a single call. */
export const gives = (result: unknown): Handler => reply(([call]) => success(call?.id, result))

/** Gives this error to a single call. */
export const refuses = (code: number, message: string, status = 200, data?: unknown): Handler =>
  reply(([call]) => failure(call?.id, code, message, data), status)
