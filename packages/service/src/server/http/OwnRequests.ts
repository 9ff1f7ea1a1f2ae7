/**
 * Requests that the service sends to itself on behalf of a caller, over a connection within the process. They use the same routes, with the
 * caller's key, address and limits.
 *
 * Source: decision 0074.
 */
import { createServer, request as send, type IncomingMessage, type RequestListener } from "node:http"
import { duplexPair } from "node:stream"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as ApiHeader from "@daybook/schema/ApiHeader"
import type { Fetch, Response } from "@daybook/transport/Fetch"
import * as Context from "effect/Context"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { keyIn } from "./ApiKeyHeader.ts"

/** Sends requests on behalf of the caller of a received request. */
export class OwnRequests extends Context.Service<
  OwnRequests,
  {
    /** A `fetch` whose requests are those of the caller; the host of a URL is ignored. */
    readonly fetchFor: (received: HttpServerRequest) => Fetch
  }
>()("@daybook/service/server/OwnRequests") {}

/** Headers that identify a caller besides its key: its browser, and the proxies in front of the service. */
const callerHeaders = [
  "host",
  "origin",
  "sec-fetch-site",
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "via",
  "traceparent",
] as const

const headersOf = ({ headers }: HttpServerRequest, httpVersion: string) => {
  const key = keyIn(headers)
  const stated = callerHeaders.flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const kept: Record<string, string> = Object.fromEntries(stated)
  if (key !== undefined) kept[ApiHeader.apiKey.toLowerCase()] = key
  // An HTTP/1.0 request comes from a proxy, which would be unknown in the request that replaces it.
  if (httpVersion !== "1.1") kept["via"] = `${httpVersion} proxy`
  return kept
}

/** Continues with what was requested when a request has a turn. */
type InTurn = (request: Pick<IncomingMessage, "headers" | "socket" | "url">, resume: () => void) => void

const responseOf = (message: IncomingMessage, onClose: () => void, whenWhole: () => Promise<void>): Response => {
  message.on("close", onClose)
  // Its reader reports the error.
  message.on("error", () => {})
  const chunks: AsyncIterator<Uint8Array, undefined> = message[Symbol.asyncIterator]()
  const read = async () => {
    const { done = false, value } = await chunks.next()
    // The reader of the response decodes all of it next.
    if (done) await whenWhole()
    return { done, value }
  }
  return {
    // Sound: a response has a status.
    status: message.statusCode!,
    headers: new Map(Object.entries(message.headers).map(([name, value]) => [name, String(value)])),
    body: { getReader: () => ({ read, cancel: async () => message.destroy() }) },
  }
}

const closedEarly = () =>
  Object.assign(new Error("the connection was closed before a response"), { code: "ECONNRESET" })

/** Makes the service, whose responses are read in turns; `serve` sets the handler. */
export const make = (
  inTurn: InTurn,
): OwnRequests["Service"] & { readonly serve: (handler: RequestListener) => void } => {
  // It does not listen anywhere: its connections are made below.
  const server = createServer()
  const fetchFor = (received: HttpServerRequest): Fetch => {
    const incoming = NodeHttpServerRequest.toIncomingMessage(received)
    const { localAddress, localPort, remoteAddress, remotePort } = incoming.socket
    const own = headersOf(received, incoming.httpVersion)
    const isKey = (name: string) => name.toLowerCase() === ApiHeader.apiKey.toLowerCase()
    return (url, { body, headers, method, signal }) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted()
        const [near, far] = duplexPair()
        server.emit("connection", Object.assign(far, { localAddress, localPort, remoteAddress, remotePort }))
        const { pathname, search } = new URL(url)
        const given = Object.fromEntries(Object.entries(headers).filter(([name]) => !isKey(name)))
        const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
        const outgoing = send({
          createConnection: () => near,
          path: `${pathname}${search}`,
          method,
          headers: { ...given, ...own, ...length, connection: "close" },
        })
        let response: IncomingMessage | undefined
        const abort = () => (response ?? outgoing).destroy(signal.reason as Error)
        const settled = () => {
          signal.removeEventListener("abort", abort)
          near.destroy()
          far.destroy()
        }
        signal.addEventListener("abort", abort)
        outgoing.on("error", (error) => {
          settled()
          reject(error)
        })
        outgoing.on("close", () => reject(closedEarly()))
        outgoing.on("response", (message) => {
          response = message
          resolve(responseOf(message, settled, async () => await new Promise((next) => inTurn(incoming, next))))
        })
        outgoing.end(body)
      })
  }
  return { fetchFor, serve: (handler) => server.on("request", handler) }
}
