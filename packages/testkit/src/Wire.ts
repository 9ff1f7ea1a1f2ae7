/**
 * A real HTTP server on 127.0.0.1 that can send an answer in every bad way: cut, stalled, dripping, never.
 *
 * The hostile servers stand on it. It keeps a record of each request and of who ended it. It knows nothing of any
 * interface: `respond` decides what is answered.
 */
import { createServer } from "node:http"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { Effect } from "effect"
import type { Scope } from "effect"

/**
 * How an answer goes over the wire.
 *
 * - `whole`: as a good server sends it.
 * - `cut`: the length is announced, half of the body is sent, and the socket is closed.
 * - `stalledHeaders`: nothing is ever sent. `stalledBody`: headers and half of the body, then nothing.
 * - `drip`: the body in eight pieces, one every `everyMillis`. `endless`: the body, then a space every `everyMillis`, for ever.
 * - `closedBefore`: the socket is closed instead of an answer. `closedAfter`: it is closed after the headers.
 */
export type Delivery =
  | { readonly kind: "whole" | "cut" | "stalledHeaders" | "stalledBody" | "closedBefore" | "closedAfter" }
  | { readonly kind: "drip" | "endless"; readonly everyMillis: number }

/** What is answered, and how. */
export interface Answer {
  /** Default 200. */
  readonly status?: number
  /** Default: `content-type: application/json`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Default `whole`. */
  readonly delivery?: Delivery
}

/** A request as it came. */
export interface Incoming {
  /** 1 for the first. */
  readonly number: number
  /** When its last byte was there, by `performance.now()`. */
  readonly atMillis: number
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Who ended a request: the answer was `sent` whole, or one side closed the socket before; `open` while neither happened. */
export type End = "open" | "sent" | "closedByServer" | "closedByClient"

/** What became of a request. */
export interface Ended {
  readonly end: End
  /** By `performance.now()`; undefined while open. */
  readonly endedAtMillis: number | undefined
}

/** A request and what became of it. */
export interface Exchange extends Incoming, Ended {}

/** A running server. */
export interface Server {
  /** Origin, for example `http://127.0.0.1:40123`. */
  readonly url: string
  readonly port: number
  /** Every request so far, in order of arrival. */
  readonly exchanges: () => ReadonlyArray<Exchange>
  /** What became of the request with this number. */
  readonly ended: (number: number) => Ended
  /** Resolves when the request with this number, which may be still to come, has ended. */
  readonly whenEnded: (number: number) => Promise<Ended>
  /** Number of connections that are open now. */
  readonly connections: () => number
  /** True once no request is open; false if one still is after so many milliseconds. */
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

const pieces = 8

const deliver = (answer: Answer, response: ServerResponse, closeSocket: () => void): void => {
  const body = typeof answer.body === "string" ? Buffer.from(answer.body) : Buffer.from(answer.body)
  const delivery = answer.delivery ?? { kind: "whole" }
  const head = (extra: Readonly<Record<string, string>>) =>
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers, ...extra })
  const length = { "content-length": String(body.length) }
  const later = (everyMillis: number, write: () => void) => {
    const timer = setInterval(write, everyMillis)
    response.once("close", () => clearInterval(timer))
  }
  switch (delivery.kind) {
    case "whole":
      head(length).end(body)
      return
    case "cut":
      head(length).write(body.subarray(0, body.length >> 1), closeSocket)
      return
    case "stalledHeaders":
      return
    case "stalledBody":
      head(length).write(body.subarray(0, body.length >> 1))
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
      later(delivery.everyMillis, () => {
        response.write(body.subarray(sent, sent + size))
        sent += size
        if (sent >= body.length && !response.writableEnded) response.end()
      })
      return
    }
    case "endless":
      head({}).write(body)
      later(delivery.everyMillis, () => response.write(" "))
  }
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}

/** Starts a server; `respond` is asked once for each request. A `respond` that throws closes the socket. */
export const start = async (respond: (request: Incoming) => Answer | Promise<Answer>): Promise<Server> => {
  const incoming: Array<Incoming> = []
  const entries = new Map<number, Entry>()
  const sockets = new Set<Socket>()
  const entryOf = (number: number): Entry => {
    const known = entries.get(number)
    if (known !== undefined) return known
    const made = makeEntry()
    entries.set(number, made)
    return made
  }
  let arrived = 0

  const handle = async (message: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(message)
    const number = ++arrived
    const entry = entryOf(number)
    const { method = "", url: path = "", headers, socket } = message
    const request: Incoming = { number, atMillis: performance.now(), method, path, headers, body }
    incoming.push(request)
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

  // A request whose own body never arrives whole has nothing to be answered.
  const server = createServer((message, response) => void handle(message, response).catch(() => message.destroy()))
  server.keepAliveTimeout = 60_000
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.once("close", () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo

  const ended: Server["ended"] = (number) => {
    const { end, endedAtMillis } = entryOf(number)
    return { end, endedAtMillis }
  }
  const openOnes = () => incoming.filter(({ number }) => entryOf(number).end === "open")
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    exchanges: () => incoming.map((request) => Object.assign({}, request, ended(request.number))),
    ended,
    whenEnded: async (number) => {
      await entryOf(number).done
      return ended(number)
    },
    connections: () => sockets.size,
    settled: async (withinMillis) => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMillis)))
      await Promise.race([Promise.all(openOnes().map(({ number }) => entryOf(number).done)), late])
      clearTimeout(timer)
      return openOnes().length === 0
    },
    stop: () =>
      new Promise((resolve) => {
        for (const { number } of openOnes()) entryOf(number).finish("closedByServer")
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Runs a server for as long as the scope lives. */
export const make = <S extends { readonly stop: () => Promise<void> }>(
  starting: () => Promise<S>,
): Effect.Effect<S, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(starting), (server) => Effect.promise(server.stop))

/** Decompressed bytes of white space in a gzip bomb: 64 MiB. */
export const bombBytes = 64 * 1024 * 1024

/** Bytes of white space in front of an oversize body: 8 MiB. */
export const oversizeBytes = 8 * 1024 * 1024

let bombPrefix: Buffer | undefined

/** A right JSON body behind 64 MiB of white space, in about 64 KiB of gzip. */
export const bomb = (body: string): Uint8Array => {
  bombPrefix ??= gzipSync(Buffer.alloc(bombBytes, " "))
  return Buffer.concat([bombPrefix, gzipSync(body)])
}

let padding: Buffer | undefined

/** A right JSON body behind 8 MiB of white space. */
export const oversize = (body: string): Uint8Array => {
  padding ??= Buffer.alloc(oversizeBytes, " ")
  return Buffer.concat([padding, Buffer.from(body)])
}

/** A page as a gateway shows it to people. */
export const html = (title: string): string =>
  `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`
