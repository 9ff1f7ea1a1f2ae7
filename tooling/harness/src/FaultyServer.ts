/**
 * HTTP server on 127.0.0.1 that delivers a response in any broken way: truncated, stalled, slowly, or not at all.
 *
 * The hostile node and the hostile REST server are built on it. It records every request and which side ended it. What a
 * response contains is decided by `respond`.
 */
import { once } from "node:events"
import type { ServerResponse } from "node:http"
import * as LocalServer from "./LocalServer.ts"

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

/** A response with status 200 whose pieces are written one at a time, as the client reads them. */
export interface Pieces {
  readonly pieces: Iterable<string>
}

/** A request with its complete body. */
export type Request = LocalServer.Request

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
export interface Server extends LocalServer.Server {
  /** Requests received so far, in order of arrival. */
  readonly exchanges: () => ReadonlyArray<Exchange>
  /** How the request with this number ended. */
  readonly ended: (number: number) => Ended
  /** Resolves when the request with this number has ended, even if it has not arrived yet. */
  readonly whenEnded: (number: number) => Promise<Ended>
  /** Resolves to true once no request is open, or to false after `withinMillis`. */
  readonly settled: (withinMillis: number) => Promise<boolean>
}

interface Entry {
  end: End
  endedAtMillis: number | undefined
  readonly done: Promise<void>
  readonly finish: (end: End) => void
}

const makeEntry = (): Entry => {
  const { promise: done, resolve } = LocalServer.signal()
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
    const created = makeEntry()
    entries.set(number, created)
    return created
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

/** Number of characters of pieces that are written at once. */
const writtenCharacters = 500_000

const writePieces = async ({ pieces }: Pieces, response: ServerResponse): Promise<void> => {
  response.writeHead(200, { "content-type": "application/json" })
  const closed = once(response, "close")
  let text = ""
  for (const piece of pieces) {
    text += piece
    if (text.length < writtenCharacters) continue
    if (!response.write(text)) await Promise.race([once(response, "drain"), closed])
    if (response.destroyed) return
    text = ""
  }
  response.end(text)
}

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

/** Starts a server. `respond` is called once per request; if it throws or rejects, the socket is closed. */
export const start = async (
  respond: (request: Request) => Response | Pieces | Promise<Response | Pieces>,
): Promise<Server> => {
  const log = makeLog()
  const server = await LocalServer.start((request, response, { socket }) => {
    const entry = log.entryOf(request.number)
    log.requests.push(request)
    const closeSocket = () => {
      entry.finish("closedByServer")
      socket.destroy()
    }
    response.once("finish", () => entry.finish("sent"))
    response.once("close", () => entry.finish(response.writableFinished ? "sent" : "closedByClient"))
    if (socket.destroyed) return entry.finish("closedByClient")
    const answer = async () => {
      const given = await respond(request)
      if ("pieces" in given) return writePieces(given, response)
      deliver(given, response, closeSocket)
    }
    void answer().catch(closeSocket)
  })
  return {
    ...server,
    exchanges: log.exchanges,
    ended: log.ended,
    whenEnded: (number) => log.entryOf(number).done.then(() => log.ended(number)),
    settled: async (withinMillis) => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMillis)))
      await Promise.race([Promise.all(log.open().map(({ done }) => done)), late])
      clearTimeout(timer)
      return log.open().length === 0
    },
    stop: () => {
      for (const entry of log.open()) entry.finish("closedByServer")
      return server.stop()
    },
  }
}
