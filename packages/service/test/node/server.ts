/** A JSON-RPC node on a real socket whose responses a test defines by method. */
import { FakeNode, LocalServer } from "@daybook/harness"
import { Effect } from "effect"

export type Reply = FakeNode.Reply

export type Response = (params: ReadonlyArray<unknown>) => Reply | Promise<Reply>

/** Responds to every method without a response of its own. */
export type Fallback = (method: string, params: ReadonlyArray<unknown>) => Reply | Promise<Reply>

export const missing = (): Reply => FakeNode.missing
export const failing: Response = () => FakeNode.status(503)

/** A running node, which reports methods without a response as missing. `calls` contains the method and parameters of all calls. */
export interface Server {
  readonly url: string
  readonly host: string
  readonly calls: Array<readonly [method: string, params: ReadonlyArray<unknown>]>
  /** Number of calls in each request. */
  readonly requests: Array<number>
  /** Requests with more calls are rejected as too large. */
  refuseAbove: number
  readonly answers: Record<string, Response>
}

/** Forwards calls to another node. */
export const forward =
  (url: string): Fallback =>
  (method, params) =>
    FakeNode.forward(url, { method, params })

/** Starts a node; the end of the scope stops it. */
export const start = Effect.fnUntraced(function* (answers: Record<string, Response>, fallback: Fallback = missing) {
  const server: Server = { url: "", host: "", calls: [], requests: [], answers, refuseAbove: Infinity }
  const { host } = yield* LocalServer.scoped(() =>
    FakeNode.start((call, request) => {
      const { method, params } = call
      server.calls.push([method, params])
      if (call === request.calls[0]) server.requests.push(request.calls.length)
      if (request.calls.length > server.refuseAbove) return FakeNode.status(413)
      return answers[method]?.(params) ?? fallback(method, params)
    }),
  )
  return Object.assign(server, { url: `http://${host}/`, host })
})
