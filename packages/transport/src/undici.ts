/**
 * A `fetch` for Node that costs about two thirds of the platform's: undici's own requests, with answers decompressed.
 * Clients on Node use one by themselves; make one to set how connections are kept, or to close them.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { Agent, type Dispatcher } from "undici"
import type { Fetch, FetchResponse } from "./Http.ts"
import * as OptionCheck from "./OptionCheck.ts"

/**
 * How connections are kept.
 */
export interface Options {
  /** Connections to one server at most. Default: as many as there are requests. */
  readonly connections?: number | undefined
  /** How long a connection without requests is kept, in milliseconds. Default 4,000. */
  readonly keepAliveMillis?: number | undefined
}

/**
 * A `fetch` with connections of its own.
 */
export interface UndiciFetch extends Fetch {
  /** Closes all connections; requests on their way are broken off. */
  readonly close: () => Promise<void>
}

type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

interface Piece {
  readonly done: boolean
  readonly value?: Uint8Array | undefined
}

interface Reader {
  readonly read: () => Promise<Piece>
  readonly cancel: () => Promise<unknown>
}

/** Bytes that wait to be read before the socket is paused. */
const maxWaitingBytes = 1024 * 1024

type Coding = "gzip" | "deflate"

/** Source: RFC 9110 section 8.4.1. */
const codings: Readonly<Record<string, Coding>> = { gzip: "gzip", "x-gzip": "gzip", deflate: "deflate" }

/** Some servers send `deflate` without the header of RFC 1950, whose first byte ends in 8. */
const formatOf = (coding: Coding, first: Uint8Array): Coding | "deflate-raw" =>
  coding === "deflate" && (first[0] ?? 0) % 16 !== 8 ? "deflate-raw" : coding

/** Reads unpacked pieces; giving up closes the socket, not only the unpacking. */
const unpacked = (packed: Reader, coding: Coding): Reader => {
  const open = async (): Promise<Reader> => {
    let piece = await packed.read()
    if (piece.value === undefined) return packed
    const unpacking = new DecompressionStream(formatOf(coding, piece.value))
    const writer = unpacking.writable.getWriter()
    const feed = async () => {
      for (; piece.value !== undefined; piece = await packed.read()) await writer.write(piece.value)
      await writer.close()
    }
    feed().catch((error: unknown) => writer.abort(error).catch(() => undefined))
    return unpacking.readable.getReader()
  }
  let opened: Promise<Reader> | undefined
  return {
    read: async () => (await (opened ??= open())).read(),
    cancel: async () => {
      await packed.cancel()
      await opened?.then((reader) => reader.cancel())
    },
  }
}

const responseOf = (status: number, headers: Headers, plain: Reader): FetchResponse => {
  const encoding = headers["content-encoding"]
  const coding = typeof encoding === "string" ? codings[encoding.toLowerCase()] : undefined
  return {
    status,
    headers: {
      forEach: (visit) => {
        for (const [name, value] of Object.entries(headers)) {
          if (value !== undefined) visit(typeof value === "string" ? value : value.join(", "), name)
        }
      },
    },
    body: { getReader: () => (coding === undefined ? plain : unpacked(plain, coding)) },
  }
}

/** Sends one request and hands its pieces on as they come, without a stream in between. */
const dispatch = (agent: Agent, options: Dispatcher.DispatchOptions, signal: AbortSignal): Promise<FetchResponse> =>
  new Promise((resolve, reject) => {
    const pieces: Array<Uint8Array> = []
    let waitingBytes = 0
    let end: { readonly error?: unknown } | undefined
    let reading: { readonly resolve: (piece: Piece) => void; readonly reject: (error: unknown) => void } | undefined
    let controller: Dispatcher.DispatchController | undefined

    const stop = (error: unknown): void => {
      if (end !== undefined) return
      finish({ error })
      controller?.abort(error instanceof Error ? error : new Error("aborted"))
    }
    const onAbort = () => stop(signal.reason)
    const finish = (how: { readonly error?: unknown }): void => {
      if (end !== undefined) return
      end = how
      signal.removeEventListener("abort", onAbort)
      const { error } = how
      if (error !== undefined) {
        pieces.length = 0
        reject(error)
        reading?.reject(error)
      } else reading?.resolve({ done: true })
      reading = undefined
    }
    const read = (): Promise<Piece> => {
      const value = pieces.shift()
      if (value !== undefined) {
        waitingBytes -= value.length
        if (controller?.paused === true && waitingBytes < maxWaitingBytes) controller.resume()
        return Promise.resolve({ done: false, value })
      }
      if (end === undefined) return new Promise((onPiece, onError) => (reading = { resolve: onPiece, reject: onError }))
      return end.error === undefined ? Promise.resolve({ done: true }) : Promise.reject(end.error)
    }
    const cancel = async () => stop(new Error("cancelled"))

    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener("abort", onAbort)
    agent.dispatch(options, {
      onRequestStart: (started) => {
        controller = started
        if (end !== undefined) started.abort(new Error("aborted"))
      },
      onResponseStart: (_, status, headers) => {
        if (status >= 200) resolve(responseOf(status, headers, { read, cancel }))
      },
      onResponseData: (own, piece) => {
        if (end !== undefined) return
        if (reading !== undefined) {
          reading.resolve({ done: false, value: piece })
          reading = undefined
          return
        }
        pieces.push(piece)
        waitingBytes += piece.length
        if (waitingBytes >= maxWaitingBytes) own.pause()
      },
      onResponseEnd: () => finish({}),
      onResponseError: (_, error) => finish({ error }),
    })
  })

/**
 * Makes a `fetch` over undici. Its connections close by themselves when unused; `close` closes them now.
 *
 * **Errors**
 * - Throws `InvalidOption` when an option makes no sense.
 *
 * **Example** (Talking through undici)
 *
 * ```ts
 * import { Exchange } from "@daybook/transport"
 * import * as undici from "@daybook/transport/undici"
 *
 * const fetch = undici.makeUnsafe({ connections: 8 })
 * export const exchange = Exchange.makeUnsafe({ fetch })
 * await fetch.close()
 * ```
 */
export const makeUnsafe = (options: Options = {}): UndiciFetch => {
  Result.getOrThrow(OptionCheck.members(options, { connections: "count", keepAliveMillis: "count" }))
  const { connections, keepAliveMillis } = options
  const agent = new Agent({
    ...(connections === undefined ? {} : { connections }),
    ...(keepAliveMillis === undefined ? {} : { keepAliveTimeout: keepAliveMillis }),
    // Deadlines are the clients' own.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  let last = { url: "", origin: "", path: "" }
  /** Most requests of a client go to the URL of the one before. */
  const parse = (url: string) => {
    if (url !== last.url) {
      const { origin, pathname, search } = new URL(url)
      last = { url, origin, path: `${pathname}${search}` }
    }
    return last
  }
  const fetch: Fetch = (url, { method, headers, body, signal }) => {
    const { origin, path } = parse(url)
    // Some gateways refuse a request that does not say what sends it; Node's own fetch says "node".
    const sent = { "user-agent": "node", "accept-encoding": "gzip, deflate", ...headers }
    return dispatch(agent, { origin, path, method, headers: sent, ...(body === undefined ? {} : { body }) }, signal)
  }
  return Object.assign(fetch, { close: () => agent.destroy() })
}

/**
 * Makes a `fetch` over undici whose connections close with the scope.
 */
export const make = (options: Options = {}): Effect.Effect<UndiciFetch, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => makeUnsafe(options)),
    (fetch) => Effect.promise(() => fetch.close()),
  )
