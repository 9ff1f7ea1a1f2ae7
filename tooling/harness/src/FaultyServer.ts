/**
 * HTTP server on 127.0.0.1 that delivers a response in any broken way: truncated, stalled, slowly, or not at all.
 *
 * The hostile node and the hostile REST server are built on it. It records every request and which side ended it. What a
 * response contains is decided by `respond`.
 */
import { createServer } from "node:http"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Effect } from "effect"
import type { Scope } from "effect"

/**
 * How a response is delivered.
 *
 * **Details**
 * - `whole`: complete, as a correct server sends it.
 * - `truncated`: announces the length, sends half of the body, and closes the socket.
 * - `stalledHeaders`: sends nothing and keeps the socket open. `stalledBody`: sends headers and half of the body, then nothing.
 * - `closedBefore`: closes the socket without a response. `closedAfter`: closes it after the headers.
 * - `drip`: sends the body in eight pieces, one every `everyMillis`.
 * - `endless`: sends the body, then a space every `everyMillis` without end.
 */
export type Delivery =
  | { readonly kind: "whole" | "truncated" | "stalledHeaders" | "stalledBody" | "closedBefore" | "closedAfter" }
  | { readonly kind: "drip" | "endless"; readonly everyMillis: number }

/** A response and how it is delivered. */
export interface Response {
  /** Default 200. */
  readonly status?: number
  /** Default: `content-type: application/json`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Default `whole`. */
  readonly delivery?: Delivery
}

/** A request with its complete body. */
export interface Request {
  /** Order of arrival, from 1. */
  readonly number: number
  /** Time at which the last byte was received, by `performance.now()`. */
  readonly atMillis: number
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How a request ended: the response was `sent` completely, or one side closed the socket first; `open` until then. */
export type End = "open" | "sent" | "closedByServer" | "closedByClient"

/** End of a request and its time. */
export interface Ended {
  readonly end: End
  /** By `performance.now()`; undefined while open. */
  readonly endedAtMillis: number | undefined
}

/** A request and how it ended. */
export interface Exchange extends Request, Ended {}

/** A running server. */
export interface Server {
  /** Origin, for example `http://127.0.0.1:40123`. */
  readonly url: string
  readonly port: number
  /** Requests received so far, in order of arrival. */
  readonly exchanges: () => ReadonlyArray<Exchange>
  /** How the request with this number ended. */
  readonly ended: (number: number) => Ended
  /** Resolves when the request with this number has ended, even if it has not arrived yet. */
  readonly whenEnded: (number: number) => Promise<Ended>
  /** Number of open connections. */
  readonly connections: () => number
  /** Resolves to true once no request is open, or to false after `withinMillis`. */
  readonly settled: (withinMillis: number) => Promise<boolean>
  /** Closes every socket and frees the port. */
  readonly stop: () => Promise<void>
}

interface Entry {
  end: End
  endedAtMillis: number | undefined
  readonly done: Promise<void>
  readonly finish: (end: End) => void
}

const makeEntry = (): Entry => {
  let resolve = () => {}
  const done = new Promise<void>((release) => (resolve = release))
  const entry: Entry = {
    end: "open",
    endedAtMillis: undefined,
    done,
    finish: (end) => {
      if (entry.end !== "open") return
      entry.end = end
      entry.endedAtMillis = performance.now()
      resolve()
    },
  }
  return entry
}

/** Requests by number, and how each ended. */
const makeLog = () => {
  const requests: Array<Request> = []
  const entries = new Map<number, Entry>()
  const entryOf = (number: number): Entry => {
    const known = entries.get(number)
    if (known !== undefined) return known
    const made = makeEntry()
    entries.set(number, made)
    return made
  }
  const ended = (number: number): Ended => {
    const { end, endedAtMillis } = entryOf(number)
    return { end, endedAtMillis }
  }
  return {
    requests,
    entryOf,
    ended,
    open: () => requests.map(({ number }) => entryOf(number)).filter(({ end }) => end === "open"),
    exchanges: () => requests.map((request) => Object.assign({}, request, ended(request.number))),
  }
}

const pieces = 8

const deliver = (answer: Response, response: ServerResponse, closeSocket: () => void): void => {
  const body = typeof answer.body === "string" ? Buffer.from(answer.body) : Buffer.from(answer.body)
  const delivery = answer.delivery ?? { kind: "whole" }
  const head = (extra: Readonly<Record<string, string>>) =>
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers, ...extra })
  const length = { "content-length": String(body.length) }
  const half = body.subarray(0, body.length >> 1)
  const repeat = (everyMillis: number, write: () => void) => {
    const timer = setInterval(write, everyMillis)
    response.once("close", () => clearInterval(timer))
  }
  switch (delivery.kind) {
    case "whole":
      head(length).end(body)
      return
    case "truncated":
      head(length).write(half, closeSocket)
      return
    case "stalledHeaders":
      return
    case "stalledBody":
      head(length).write(half)
      return
    case "closedBefore":
      closeSocket()
      return
    case "closedAfter":
      head(length).flushHeaders()
      setImmediate(closeSocket)
      return
    case "drip": {
      head(length).flushHeaders()
      const size = Math.max(1, Math.ceil(body.length / pieces))
      let sent = 0
      repeat(delivery.everyMillis, () => {
        response.write(body.subarray(sent, sent + size))
        sent += size
        if (sent >= body.length && !response.writableEnded) response.end()
      })
      return
    }
    case "endless":
      head({}).write(body)
      repeat(delivery.everyMillis, () => response.write(" "))
  }
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}

/** Starts a server. `respond` is called once per request; if it throws or rejects, the socket is closed. */
export const start = async (respond: (request: Request) => Response | Promise<Response>): Promise<Server> => {
  const log = makeLog()
  const sockets = new Set<Socket>()
  let count = 0

  const handle = async (message: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(message)
    const number = ++count
    const entry = log.entryOf(number)
    const { method = "", url: path = "", headers, socket } = message
    const request: Request = { number, atMillis: performance.now(), method, path, headers, body }
    log.requests.push(request)
    const closeSocket = () => {
      entry.finish("closedByServer")
      socket.destroy()
    }
    response.once("finish", () => entry.finish("sent"))
    response.once("close", () => entry.finish(response.writableFinished ? "sent" : "closedByClient"))
    if (socket.destroyed) return entry.finish("closedByClient")
    try {
      deliver(await respond(request), response, closeSocket)
    } catch {
      closeSocket()
    }
  }

  // A request whose body never arrives completely is dropped without a record.
  const server = createServer((message, response) => void handle(message, response).catch(() => message.destroy()))
  server.keepAliveTimeout = 60_000
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.once("close", () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    exchanges: log.exchanges,
    ended: log.ended,
    whenEnded: (number) => log.entryOf(number).done.then(() => log.ended(number)),
    connections: () => sockets.size,
    settled: async (withinMillis) => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMillis)))
      await Promise.race([Promise.all(log.open().map(({ done }) => done)), late])
      clearTimeout(timer)
      return log.open().length === 0
    },
    stop: () =>
      new Promise((resolve) => {
        for (const entry of log.open()) entry.finish("closedByServer")
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Runs a server until the scope closes. */
export const scoped = <S extends { readonly stop: () => Promise<void> }>(
  starting: () => Promise<S>,
): Effect.Effect<S, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(starting), (server) => Effect.promise(server.stop))
