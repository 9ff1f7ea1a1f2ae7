/** A real HTTP server on a free port of 127.0.0.1 that plays a script and notes what it saw. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Effect } from "effect"

export type Handler = (request: IncomingMessage, response: ServerResponse, number: number) => void

export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
  readonly atMillis: number
}

export interface Server {
  readonly url: string
  readonly host: string
  readonly seen: ReadonlyArray<Seen>
  /** Resolves when the client has closed the connection of the request with this number (1 is the first). */
  readonly closed: (number: number) => Promise<void>
}

export const serve = (handler: Handler) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Server & { readonly stop: () => Promise<void> }>((resolve) => {
          const seen: Array<Seen> = []
          const sockets = new Set<Socket>()
          const closings = new Map<number, { readonly promise: Promise<void>; readonly resolve: () => void }>()
          const closing = (number: number) => {
            const known = closings.get(number)
            if (known !== undefined) return known
            let resolve = () => {}
            const made = { promise: new Promise<void>((done) => (resolve = done)), resolve: () => resolve() }
            closings.set(number, made)
            return made
          }
          let count = 0
          const server = createServer((request, response) => {
            const number = ++count
            request.socket.once("close", () => closing(number).resolve())
            let body = ""
            request.setEncoding("utf8").on("data", (text: string) => (body += text))
            request.on("end", () => {
              const { method = "", url = "", headers } = request
              seen.push({ method, url, headers, body, atMillis: performance.now() })
              handler(request, response, number)
            })
          })
          server.on("connection", (socket) => {
            socket.setMaxListeners(0)
            sockets.add(socket)
            socket.on("close", () => sockets.delete(socket))
          })
          server.listen(0, "127.0.0.1", () => {
            const { port } = server.address() as AddressInfo
            const host = `127.0.0.1:${port}`
            const stop = () =>
              new Promise<void>((done) => {
                server.close(() => done())
                for (const socket of sockets) socket.destroy()
              })
            resolve({ url: `http://${host}`, host, seen, closed: (number) => closing(number).promise, stop })
          })
        }),
    ),
    (server) => Effect.promise(server.stop),
  )

/** A server that answers the n-th request with the n-th handler, and the last one for ever. */
export const script = (...handlers: ReadonlyArray<Handler>) =>
  serve((request, response, number) => handlers[Math.min(number, handlers.length) - 1]?.(request, response, number))

export const reply =
  (status: number, body = "", headers: Record<string, string> = {}): Handler =>
  (_request, response) => {
    response.writeHead(status, headers)
    response.end(body)
  }
