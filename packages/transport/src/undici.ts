/**
 * A `fetch` for Node that costs about half of the platform's: undici's own requests, with answers decompressed.
 * Give it to a client as the option `fetch`. It needs `undici`, which is an optional peer of this package.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { Agent, type Dispatcher } from "undici"
import type { Fetch, FetchResponse } from "./Http.ts"
import * as OptionCheck from "./OptionCheck.ts"

/**
 * How connections are kept.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Connections to one server at most. Default: as many as there are requests. */
  readonly connections?: number | undefined
  /** How long a connection without requests is kept, in milliseconds. Default 4,000. */
  readonly keepAliveMillis?: number | undefined
}

/**
 * A `fetch` with connections of its own.
 *
 * @category services
 * @since 0.1.0
 */
export interface UndiciFetch extends Fetch {
  /** Closes all connections; requests on their way are broken off. */
  readonly close: () => Promise<void>
}

type Body = Dispatcher.ResponseData["body"]

/** Source: RFC 9110 section 8.4.1. */
const formats: Readonly<Record<string, "gzip" | "deflate">> = { gzip: "gzip", "x-gzip": "gzip", deflate: "deflate" }

const plainReader = (body: Body) => {
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]()
  return {
    read: async () => {
      const { done = false, value } = await chunks.next()
      return { done, value: done ? undefined : (value as Uint8Array) }
    },
    cancel: async () => void body.destroy(),
  }
}

/** Reads unpacked pieces; giving up closes the socket, not only the unpacking. */
const unpackedReader = (body: Body, format: "gzip" | "deflate") => {
  const unpacking = new DecompressionStream(format)
  const reader = unpacking.readable.getReader()
  const writer = unpacking.writable.getWriter()
  const feed = async () => {
    for await (const chunk of body) await writer.write(chunk as Uint8Array<ArrayBuffer>)
    await writer.close()
  }
  feed().catch((error: unknown) => writer.abort(error).catch(() => undefined))
  return {
    read: (): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> => reader.read(),
    cancel: async () => {
      body.destroy()
      await reader.cancel()
    },
  }
}

const responseOf = ({ statusCode, headers, body }: Dispatcher.ResponseData): FetchResponse => {
  const encoding = headers["content-encoding"]
  const format = typeof encoding === "string" ? formats[encoding.toLowerCase()] : undefined
  return {
    status: statusCode,
    headers: {
      forEach: (visit) => {
        for (const [name, value] of Object.entries(headers)) {
          if (value !== undefined) visit(Array.isArray(value) ? value.join(", ") : value, name)
        }
      },
    },
    body: { getReader: () => (format === undefined ? plainReader(body) : unpackedReader(body, format)) },
    arrayBuffer: () => body.arrayBuffer(),
  }
}

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
 *
 * @category constructors
 * @since 0.1.0
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
  const fetch: Fetch = async (url, { method, headers, body, signal }) => {
    const { origin, path } = parse(url)
    const data = await agent.request({
      origin,
      path,
      method,
      headers: { "accept-encoding": "gzip, deflate", ...headers },
      ...(body === undefined ? {} : { body }),
      signal,
    })
    return responseOf(data)
  }
  return Object.assign(fetch, { close: () => agent.destroy() })
}

/**
 * Makes a `fetch` over undici whose connections close with the scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options = {}): Effect.Effect<UndiciFetch, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => makeUnsafe(options)),
    (fetch) => Effect.promise(() => fetch.close()),
  )
