/**
 * JSON-RPC node over real sockets that replies by a function of the call: with a result, an error, the text of either, or a whole response
 * that replaces all replies to the request. For a node that fails by script see `HostileNode`.
 */
import * as FaultyServer from "./FaultyServer.ts"

/** A call of a request. */
export interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** The calls of a request. */
export interface Calls {
  readonly isBatch: boolean
  readonly calls: ReadonlyArray<Call>
}

/** The reply to a call; `member` is the text of a member `result` or `error`, sent verbatim. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: unknown }
  | { readonly member: string }
  | FaultyServer.Response

/** A reply that breaks the connection. */
export const disconnect: Reply = { body: "", delivery: { kind: "closedBefore" } }

/** A reply with a status code and no JSON-RPC. */
export const status = (code: number): Reply => ({ status: code, body: "{}" })

/** The reply of a node that lacks a method. */
export const missing: Reply = { error: { code: -32601, message: "the method does not exist" } }

/** The calls of a body. Throws on text that is not JSON. */
export const callsOf = (body: string): Calls => {
  const parsed: unknown = JSON.parse(body)
  // Sound: each member of a call is checked.
  const calls = ([parsed].flat() as ReadonlyArray<Partial<Call>>).map((call) => ({
    id: call.id,
    method: String(call.method),
    params: Array.isArray(call.params) ? call.params : [],
  }))
  return { isBatch: Array.isArray(parsed), calls }
}

/** The reply of another node to a call. */
export const forward = async (url: string, { method, params }: Omit<Call, "id">): Promise<Reply> => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
  // Sound: a node sends one of the two members.
  const { error, result } = (await response.json()) as { readonly error?: unknown; readonly result?: unknown }
  return error === undefined ? { result } : { error }
}

const textOf = (id: unknown, reply: Exclude<Reply, FaultyServer.Response>): string =>
  "member" in reply
    ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${reply.member}}`
    : JSON.stringify({ jsonrpc: "2.0", id, ...reply })

/** Starts a node; call `stop` to end it. A body that is not JSON closes its connection. */
export const start = (replyTo: (call: Call, request: Calls) => Reply | Promise<Reply>): Promise<FaultyServer.Server> =>
  FaultyServer.start(async ({ body }) => {
    const request = callsOf(body)
    const replies = await Promise.all(request.calls.map(async (call) => replyTo(call, request)))
    const whole = replies.find((reply) => "body" in reply)
    if (whole !== undefined) return whole
    const items = replies.flatMap((reply, at) => ("body" in reply ? [] : [textOf(request.calls[at]?.id, reply)]))
    return { body: request.isBatch ? `[${items.join(",")}]` : (items[0] ?? "") }
  })
