/**
 * Minimal JSON-RPC caller over fetch, for a trusted local node.
 *
 * Scenarios send their transactions through it, and tests compare the published clients with it. It shares no code with
 * them, and neither retries nor decodes.
 */
import { Effect, Schema } from "effect"

/** The node could not be reached, or its response is an error object or not JSON-RPC. */
export class RpcFailure extends Schema.TaggedError<RpcFailure>()("RpcFailure", {
  method: Schema.String,
  message: Schema.String,
  /** Code of the error object; absent when there is none. */
  code: Schema.optional(Schema.Number),
  data: Schema.optionalKey(Schema.Unknown),
}) {}

/** One call of a batch. */
export interface Call {
  readonly method: string
  readonly params?: ReadonlyArray<unknown>
}

interface Reply {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code?: number; readonly message?: string; readonly data?: unknown }
}

/** Only a node that hangs takes longer. */
const timeoutMillis = 60_000

const post = (url: string, method: string, body: unknown): Effect.Effect<unknown, RpcFailure> =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMillis)]),
      })
      const value: unknown = await response.json()
      return value
    },
    catch: (cause) =>
      new RpcFailure({
        method,
        message: `${method} at ${url}: ${cause instanceof Error ? cause.message : String(cause)}`,
      }),
  })

const result = (method: string, reply: Reply | undefined): Effect.Effect<unknown, RpcFailure> => {
  if (reply === undefined) return Effect.fail(new RpcFailure({ method, message: `${method}: no reply with this id` }))
  if (reply.error === undefined) return Effect.succeed(reply.result)
  const { code, message, data } = reply.error
  return Effect.fail(
    new RpcFailure({
      method,
      message: `${method}: ${message ?? "error without a message"}`,
      code,
      data,
    }),
  )
}

/**
 * Calls one method. `A` is the result type that the caller expects; it is not checked.
 *
 * **Errors**
 * - `RpcFailure`: no connection, no response within a minute, a response that is not JSON-RPC, or an error object.
 */
export const call = <A = unknown>(
  url: string,
  method: string,
  params: ReadonlyArray<unknown> = [],
): Effect.Effect<A, RpcFailure> =>
  post(url, method, { jsonrpc: "2.0", id: 1, method, params }).pipe(
    Effect.flatMap((reply) => result(method, reply as Reply)),
    Effect.map((value) => value as A),
  )

/**
 * Sends all calls in one HTTP request and returns the results in the order of the calls.
 *
 * **Errors**
 * - `RpcFailure`: as for `call`; the first failed call fails the whole batch.
 */
export const batch = <A = unknown>(
  url: string,
  calls: ReadonlyArray<Call>,
): Effect.Effect<ReadonlyArray<A>, RpcFailure> => {
  const [first] = calls
  if (first === undefined) return Effect.succeed([])
  const request = calls.map(({ method, params = [] }, id) => ({ jsonrpc: "2.0", id, method, params }))
  return post(url, first.method, request).pipe(
    Effect.flatMap((body) => {
      if (!Array.isArray(body)) return result(first.method, body as Reply).pipe(Effect.map(() => []))
      const byId = new Map((body as ReadonlyArray<Reply>).map((reply) => [reply.id, reply]))
      return Effect.forEach(calls, ({ method }, id) => result(method, byId.get(id)))
    }),
    Effect.map((values) => values as ReadonlyArray<A>),
  )
}
