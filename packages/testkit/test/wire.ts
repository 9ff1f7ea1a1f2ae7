/** A plain HTTP client on node:http that tells what came over the wire, also when the answer breaks off. */
import { request } from "node:http"
import type { IncomingHttpHeaders } from "node:http"

export interface Received {
  /** Undefined when no headers came. */
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  /** What came of the body, as it came. */
  readonly body: Buffer
  readonly text: string
  /** Milliseconds from the start at which pieces of the body came. */
  readonly piecesAtMillis: ReadonlyArray<number>
  /** `whole`, `broken` by the server, or given up by us after `patienceMillis`. */
  readonly end: "whole" | "broken" | "given up"
}

export interface Options {
  readonly body?: unknown
  /** Default 2000. */
  readonly patienceMillis?: number
  readonly headers?: Readonly<Record<string, string>>
}

export const ask = (url: string, options: Options = {}): Promise<Received> =>
  new Promise((resolve) => {
    const began = performance.now()
    const pieces: Array<Buffer> = []
    const piecesAtMillis: Array<number> = []
    let status: number | undefined
    let headers: IncomingHttpHeaders = {}
    const method = options.body === undefined ? "GET" : "POST"
    const sent = request(url, { method, agent: false, headers: { ...options.headers } }, (response) => {
      status = response.statusCode
      headers = response.headers
      response.on("data", (piece: Buffer) => {
        pieces.push(piece)
        piecesAtMillis.push(performance.now() - began)
      })
      response.on("error", () => finish("broken"))
      response.on("close", () => finish(response.complete ? "whole" : "broken"))
    })
    const timer = setTimeout(() => {
      finish("given up")
      sent.destroy()
    }, options.patienceMillis ?? 2_000)
    const finish = (end: Received["end"]) => {
      clearTimeout(timer)
      const body = Buffer.concat(pieces)
      resolve({ status, headers, body, text: body.toString("utf8"), piecesAtMillis, end })
    }
    sent.on("error", () => finish("broken"))
    sent.end(options.body === undefined ? undefined : JSON.stringify(options.body))
  })
