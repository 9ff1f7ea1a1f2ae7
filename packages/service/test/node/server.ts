/** A JSON-RPC node over a real socket whose every answer a test writes. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

/** An answer: a result, an error object, an HTTP status without a body of JSON-RPC, or a connection that breaks. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly status: number }
  | "break"

export type Response = (params: ReadonlyArray<unknown>) => Reply | Promise<Reply>

/** Answers every method that has no answer of its own. */
export type Fallback = (method: string, params: ReadonlyArray<unknown>) => Reply | Promise<Reply>

export const missing = (): Reply => ({ error: { code: -32601, message: "the method does not exist" } })
export const failing: Response = () => ({ status: 503 })

/** A node: methods without an answer are missing. `calls` are the names and parameters of all calls so far. */
export interface Server {
  readonly url: string
  readonly host: string
  readonly calls: Array<readonly [method: string, params: ReadonlyArray<unknown>]>
  /** Number of calls of each request so far. */
  readonly requests: Array<number>
  /** Requests with more calls are refused as too large. */
  refuseAbove: number
  readonly answers: Record<string, Response>
}

/** Asks another node. */
export const forward =
  (url: string): Fallback =>
  async (method, params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
    const { result, error } = (await response.json()) as {
      readonly result?: unknown
      readonly error?: { readonly code: number; readonly message: string }
    }
    return error === undefined ? { result } : { error }
  }

interface RequestedBound {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** Starts a node; the end of the scope stops it. */
export const start = Effect.fnUntraced(function* (answers: Record<string, Response>, fallback: Fallback = missing) {
  const calls: Server["calls"] = []
  const requests: Array<number> = []
  const made = { url: "", host: "", calls, requests, answers, refuseAbove: Infinity }
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    const replyTo = async ({ id, method, params }: RequestedBound) => {
      calls.push([method, params])
      return { id, reply: await (answers[method]?.(params) ?? fallback(method, params)) }
    }
    const answer = async () => {
      const asked = JSON.parse(body) as RequestedBound | ReadonlyArray<RequestedBound>
      const replies = await Promise.all([asked].flat().map((one) => replyTo(one)))
      requests.push(replies.length)
      if (replies.length > made.refuseAbove) return void response.writeHead(413).end("{}")
      if (replies.some(({ reply }) => reply === "break")) return void request.socket.destroy()
      response.setHeader("content-type", "application/json")
      const failed = replies.map(({ reply }) => reply).find((reply) => typeof reply === "object" && "status" in reply)
      if (typeof failed === "object" && "status" in failed) return void response.writeHead(failed.status).end("{}")
      const texts = replies.map(({ id, reply }) => JSON.stringify({ jsonrpc: "2.0", id, ...(reply as object) }))
      response.end(Array.isArray(asked) ? `[${texts.join(",")}]` : texts[0])
    }
    request.on("end", () => void answer().catch(() => request.socket.destroy()))
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.promise(() => {
        server.closeAllConnections()
        return new Promise((resolve) => server.close(resolve))
      }),
  )
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  made.url = `http://${host}/`
  made.host = host
  return made
})
