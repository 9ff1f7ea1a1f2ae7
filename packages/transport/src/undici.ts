/**
 * A `fetch` for Node at about two thirds of the cost of the global one: requests of undici, with responses decompressed.
 * Clients on Node use one by default. Make one to configure how connections are kept, or to close them.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { Agent, type Dispatcher } from "undici"
import type { Fetch, Response } from "./Fetch.ts"
import * as OptionCheck from "./internal/OptionCheck.ts"

/**
 * Options of the connections.
 */
export interface Options {
  /** Maximum number of connections to one server. Default: one for each concurrent request. */
  readonly connections?: number | undefined
  /** Time that an idle connection is kept, in milliseconds. Default 4,000. */
  readonly keepAliveMillis?: number | undefined
}

/**
 * A `fetch` with its own connections.
 */
export interface UndiciFetch extends Fetch {
  /** Closes all connections; requests in flight fail. */
  readonly close: () => Promise<void>
}

type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

interface Chunk {
  readonly done: boolean
  readonly value?: Uint8Array | undefined
}

interface Reader {
  readonly read: () => Promise<Chunk>
  readonly cancel: () => Promise<unknown>
}

type Coding = "gzip" | "deflate"

/** Source: RFC 9110 section 8.4.1. */
const codings: Readonly<Record<string, Coding>> = { gzip: "gzip", "x-gzip": "gzip", deflate: "deflate" }

/** Some servers send `deflate` without the header of RFC 1950, whose first byte ends in 8. */
const formatOf = (coding: Coding, first: Uint8Array): Coding | "deflate-raw" =>
  coding === "deflate" && (first[0] ?? 0) % 16 !== 8 ? "deflate-raw" : coding

/** Reads decompressed chunks. Cancelling also closes the socket. */
const decompressed = (compressed: Reader, coding: Coding): Reader => {
  const open = async (): Promise<Reader> => {
    let chunk = await compressed.read()
    if (chunk.value === undefined) return compressed
    const decompression = new DecompressionStream(formatOf(coding, chunk.value))
    const writer = decompression.writable.getWriter()
    const feed = async () => {
      for (; chunk.value !== undefined; chunk = await compressed.read()) await writer.write(chunk.value)
      await writer.close()
    }
    feed().catch((error: unknown) => writer.abort(error).catch(() => undefined))
    return decompression.readable.getReader()
  }
  let opened: Promise<Reader> | undefined
  return {
    read: async () => (await (opened ??= open())).read(),
    cancel: async () => {
      await compressed.cancel()
      await opened?.then((reader) => reader.cancel())
    },
  }
}

const responseOf = (status: number, headers: Headers, plain: Reader): Response => {
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
    body: { getReader: () => (coding === undefined ? plain : decompressed(plain, coding)) },
  }
}

/** Bytes that may wait to be read before the socket is paused. */
const maxWaitingBytes = 1024 * 1024

/**
 * Bytes that wait when a paused socket is resumed. Each time it is resumed, undici copies all that the socket has received, so that
 * resuming after each of many short chunks would copy it as many times.
 */
const resumeBytes = maxWaitingBytes / 2

/** Short chunks that wait are read together, up to so many bytes: each alone would keep the buffer of the socket that it is a part of. */
const joinedBytes = 64 * 1024

/** The chunks of a body between the socket and its reader. */
interface ChunkQueue {
  /** Adds a chunk; false when the socket has to pause. */
  readonly push: (chunk: Uint8Array) => boolean
  /** Ends the body, with an error if it is incomplete. The first call counts. */
  readonly end: (how: { readonly error?: unknown }) => void
  readonly isEnded: () => boolean
  readonly read: () => Promise<Chunk>
}

/** Makes a queue. `onDrain` is called when it has room again. */
const makeQueue = (onDrain: () => void): ChunkQueue => {
  const chunks: Array<Uint8Array> = []
  let waitingBytes = 0
  let ended: { readonly error?: unknown } | undefined
  let waiting: { readonly resolve: (chunk: Chunk) => void; readonly reject: (error: unknown) => void } | undefined

  /** The chunks that are read next, as one. */
  const take = (): Uint8Array | undefined => {
    let [count, bytes] = [0, 0]
    while (count < chunks.length && (count === 0 || bytes + chunks[count]!.length <= joinedBytes)) {
      bytes += chunks[count++]!.length
    }
    waitingBytes -= bytes
    return count < 2 ? chunks.shift() : Buffer.concat(chunks.splice(0, count), bytes)
  }

  return {
    isEnded: () => ended !== undefined,
    push: (chunk) => {
      if (waiting !== undefined) {
        waiting.resolve({ done: false, value: chunk })
        waiting = undefined
        return true
      }
      chunks.push(chunk)
      waitingBytes += chunk.length
      return waitingBytes < maxWaitingBytes
    },
    end: (how) => {
      if (ended !== undefined) return
      ended = how
      if (how.error !== undefined) {
        chunks.length = 0
        waiting?.reject(how.error)
      } else waiting?.resolve({ done: true })
      waiting = undefined
    },
    read: () => {
      const value = take()
      if (value !== undefined) {
        if (waitingBytes <= resumeBytes) onDrain()
        return Promise.resolve({ done: false, value })
      }
      if (ended === undefined) return new Promise((resolve, reject) => (waiting = { resolve, reject }))
      return ended.error === undefined ? Promise.resolve({ done: true }) : Promise.reject(ended.error)
    },
  }
}

/** Sends one request and passes its chunks on when they are received, without a stream in between. */
const dispatch = (agent: Agent, options: Dispatcher.DispatchOptions, signal: AbortSignal): Promise<Response> =>
  new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    const queue = makeQueue(() => {
      if (controller?.paused === true) controller.resume()
    })
    const end = (how: { readonly error?: unknown }): void => {
      if (queue.isEnded()) return
      queue.end(how)
      signal.removeEventListener("abort", onAbort)
      if (how.error !== undefined) reject(how.error)
    }
    const stop = (error: unknown): void => {
      if (queue.isEnded()) return
      end({ error })
      controller?.abort(error instanceof Error ? error : new Error("aborted"))
    }
    const onAbort = () => stop(signal.reason)
    const reader: Reader = { read: queue.read, cancel: async () => stop(new Error("cancelled")) }

    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener("abort", onAbort)
    agent.dispatch(options, {
      onRequestStart: (started) => {
        controller = started
        if (queue.isEnded()) started.abort(new Error("aborted"))
      },
      onResponseStart: (_, status, headers) => {
        if (status >= 200) resolve(responseOf(status, headers, reader))
      },
      onResponseData: (own, chunk) => {
        if (!queue.isEnded() && !queue.push(chunk)) own.pause()
      },
      onResponseEnd: () => end({}),
      onResponseError: (_, error) => end({ error }),
    })
  })

/**
 * Makes a `fetch` over undici. Idle connections close by themselves; `close` closes all of them now.
 *
 * **Errors**
 *
 * - Throws `InvalidOption`: an option is invalid.
 *
 * **Example** (Limiting the connections to a server)
 *
 * ```ts
 * import { RequestExecutor } from "@daybook/transport"
 * import * as undici from "@daybook/transport/undici"
 *
 * const fetch = undici.makeUnsafe({ connections: 8 })
 * export const executor = RequestExecutor.makeUnsafe({ fetch })
 * await fetch.close()
 * ```
 */
export const makeUnsafe = (options: Options = {}): UndiciFetch => {
  Result.getOrThrow(OptionCheck.members(options, { connections: "count", keepAliveMillis: "count" }))
  const { connections, keepAliveMillis } = options
  const agent = new Agent({
    ...(connections === undefined ? {} : { connections }),
    ...(keepAliveMillis === undefined ? {} : { keepAliveTimeout: keepAliveMillis }),
    // The clients have deadlines of their own.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  let last = { url: "", origin: "", path: "" }
  /** Most requests of a client have the URL of the previous one. */
  const parse = (url: string) => {
    if (url !== last.url) {
      const { origin, pathname, search } = new URL(url)
      last = { url, origin, path: `${pathname}${search}` }
    }
    return last
  }
  const fetch: Fetch = (url, { method, headers, body, signal }) => {
    const { origin, path } = parse(url)
    // Some gateways reject a request without a user agent; the global fetch of Node sends "node".
    const sent = { "user-agent": "node", "accept-encoding": "gzip, deflate", ...headers }
    return dispatch(agent, { origin, path, method, headers: sent, ...(body === undefined ? {} : { body }) }, signal)
  }
  return Object.assign(fetch, { close: () => agent.destroy() })
}

/**
 * Makes a `fetch` over undici whose connections close with the scope.
 *
 * **Example** (Bounding the connections of a client)
 *
 * ```ts
 * import * as undici from "@daybook/transport/undici"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const fetch = yield* undici.make()
 *   return typeof fetch // pass it as the option `fetch` of a client; it is closed with the scope
 * })
 * console.log(await Effect.runPromise(Effect.scoped(program))) // function
 * ```
 */
export const make = (options: Options = {}): Effect.Effect<UndiciFetch, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => makeUnsafe(options)),
    (fetch) => Effect.promise(() => fetch.close()),
  )
