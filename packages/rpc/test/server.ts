/** A real HTTP server on a free port of 127.0.0.1 that answers JSON-RPC by a script and notes what it saw. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Effect } from "effect"

/** A call as the server reads it. */
export interface Asked {
  readonly jsonrpc: string
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

export interface Seen {
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly text: string
  /** The calls of the request, in order; one for a single call. */
  readonly calls: ReadonlyArray<Asked>
}

export type Handler = (seen: Seen, response: ServerResponse, number: number, request: IncomingMessage) => void

export interface Server {
  readonly url: string
  readonly host: string
  readonly seen: ReadonlyArray<Seen>
  /** Resolves when the client has closed the connection of the request with this number (1 is the first). */
  readonly closed: (number: number) => Promise<void>
}

const callsOf = (text: string): ReadonlyArray<Asked> => {
  const body: Asked | ReadonlyArray<Asked> = JSON.parse(text)
  return "id" in body ? [body] : body
}

export const serve = (handler: Handler) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Server & { readonly stop: () => Promise<void> }>((resolve) => {
          const seen: Array<Seen> = []
          const sockets = new Set<Socket>()
          const closings = new Map<number, Promise<void>>()
          let count = 0
          const server = createServer((request, response) => {
            const number = ++count
            closings.set(number, new Promise((done) => void request.socket.once("close", () => done())))
            let text = ""
            request.setEncoding("utf8").on("data", (part: string) => (text += part))
            request.on("end", () => {
              const { url = "", headers } = request
              const one: Seen = { url, headers, text, calls: callsOf(text) }
              seen.push(one)
              handler(one, response, number, request)
            })
          })
          server.on("connection", (socket) => {
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
            resolve({ url: `http://${host}`, host, seen, closed: async (number) => closings.get(number), stop })
          })
        }),
    ),
    (server) => Effect.promise(server.stop),
  )

/** Answers the n-th request with the n-th handler, and further ones with the last. */
export const script = (...handlers: ReadonlyArray<Handler>) =>
  serve((seen, response, number, request) =>
    handlers[Math.min(number, handlers.length) - 1]?.(seen, response, number, request),
  )

/** Answers with a status and the text that `body` makes of the calls. */
export const reply =
  (
    body: string | ((calls: ReadonlyArray<Asked>) => unknown),
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
  (items: (calls: ReadonlyArray<Asked>) => ReadonlyArray<unknown>): Handler =>
  (seen, response) => {
    const made = items(seen.calls)
    const isAlone = !seen.text.startsWith("[") && made.length === 1
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
