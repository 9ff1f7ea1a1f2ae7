/** HTTP client on node:http that reports what was received over the wire, also when the response breaks off. */
import { request } from "node:http"
import type { IncomingHttpHeaders } from "node:http"

export interface Received {
  /** Undefined when no headers were received. */
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  /** The bytes of the body that were received, not decompressed. */
  readonly body: Buffer
  readonly text: string
  /** Number of chunks in which the body was received. */
  readonly chunks: number
  /** `whole`, `broken` by the server, or ended by the client after `timeoutMillis`. */
  readonly end: "whole" | "broken" | "timed out"
}

export interface Options {
  readonly body?: unknown
  /** Default 2000. */
  readonly timeoutMillis?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends one request on a separate connection: POST with a body, otherwise GET. */
export const send = (url: string, options: Options = {}): Promise<Received> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    let status: number | undefined
    let headers: IncomingHttpHeaders = {}
    const timeout = AbortSignal.timeout(options.timeoutMillis ?? 2_000)
    const finish = (end: Received["end"]) => {
      const body = Buffer.concat(chunks)
      resolve({ status, headers, body, text: body.toString("utf8"), chunks: chunks.length, end })
    }
    const broken = () => finish(timeout.aborted ? "timed out" : "broken")
    const method = options.body === undefined ? "GET" : "POST"
    const init = { method, agent: false as const, headers: { ...options.headers }, signal: timeout }
    const sent = request(url, init, (response) => {
      status = response.statusCode
      headers = response.headers
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", broken)
      response.on("close", () => (response.complete ? finish("whole") : broken()))
    })
    sent.on("error", broken)
    sent.end(options.body === undefined ? undefined : JSON.stringify(options.body))
  })
