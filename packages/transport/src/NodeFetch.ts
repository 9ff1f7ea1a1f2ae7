/**
 * A `fetch` for Node over its modules `http` and `https`, at a fraction of the cost of the global one: no web streams, and no undici to
 * load before the first request. Clients on Node use one by default. Make one to configure how connections are kept, or to close them.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
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
export interface NodeFetch extends Fetch {
  /** Closes all connections; requests in flight fail. */
  readonly close: () => Promise<void>
}

type Http = ReturnType<typeof process.getBuiltinModule<"node:http">>
type IncomingMessage = InstanceType<Http["IncomingMessage"]>

interface Chunk {
  readonly done: boolean
  readonly value?: Uint8Array | undefined
}

interface Reader {
  readonly read: () => Promise<Chunk>
  readonly cancel: () => Promise<unknown>
}

type Zlib = ReturnType<typeof process.getBuiltinModule<"node:zlib">>
type Decompression = ReturnType<Zlib["createGunzip"]> | ReturnType<Zlib["createBrotliDecompress"]>

/** Reads the chunks of a stream from the first read on; its source waits while nothing is read. */
const chunksOf = (stream: IncomingMessage | Decompression): Reader => {
  // Its reader reports it, also where the connection breaks before the first read.
  stream.on("error", () => {})
  const chunks: AsyncIterator<Uint8Array, undefined> = stream[Symbol.asyncIterator]()
  const read = async (): Promise<Chunk> => {
    const { done = false, value } = await chunks.next()
    return { done, value }
  }
  return { read, cancel: async () => stream.destroy() }
}

/** Makes the decompression of a body by its first bytes; undefined in a version of Node without it. */
type Coding = (zlib: Zlib, first: Uint8Array) => Decompression | undefined

const gzip: Coding = (zlib) => zlib.createGunzip()

/** Codings of bodies, also of those that were not asked for: caches send them. Source: RFC 9110 section 8.4.1, RFC 7932, RFC 8878. */
const codings: Readonly<Record<string, Coding>> = {
  gzip,
  "x-gzip": gzip,
  // Some servers send `deflate` without the header of RFC 1950, whose first byte ends in 8.
  deflate: (zlib, [first = 0]) => (first % 16 === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
  br: (zlib) => zlib.createBrotliDecompress(),
  zstd: (zlib) => zlib.createZstdDecompress?.(),
}

/** Codings of one body, as each has its own memory. */
const maxCodings = 5

/** Reads decompressed chunks. Cancelling also closes the socket. */
const decompressed = (compressed: Reader, coding: Coding): Reader => {
  const open = async (): Promise<Reader> => {
    let chunk = await compressed.read()
    if (chunk.value === undefined) return compressed
    const decompression = coding(process.getBuiltinModule("node:zlib"), chunk.value)
    if (decompression === undefined) throw new Error("the content coding of the body is not supported")
    const write = (bytes: Uint8Array) =>
      new Promise<void>((resolve, reject) => {
        decompression.write(bytes, (error) => (error ? reject(error) : resolve()))
      })
    const feed = async () => {
      for (; chunk.value !== undefined; chunk = await compressed.read()) await write(chunk.value)
      decompression.end()
    }
    const reader = chunksOf(decompression)
    feed().catch((error: Error) => decompression.destroy(error))
    return reader
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

/** Headers of a response, whose names Node has put in lower case. */
const headersOf = ({ headers }: IncomingMessage): ReadonlyMap<string, string> =>
  new Map(Object.entries(headers).map(([name, value]) => [name, String(value)]))

/** The names of a header that is a list. */
const listOf = (value = ""): ReadonlyArray<string> =>
  value
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())

const responseOf = (message: IncomingMessage, onClose: () => void): Response => {
  const headers = headersOf(message)
  message.on("close", onClose)
  // The last coding was applied last.
  const names = listOf(headers.get("content-encoding")).filter((name) => Object.hasOwn(codings, name))
  const plain = chunksOf(message)
  const body =
    names.length > maxCodings
      ? { ...plain, read: () => Promise.reject(new Error(`the body has more than ${maxCodings} content codings`)) }
      : // Sound: the names are those of codings.
        names.reduceRight((reader, name) => decompressed(reader, codings[name]!), plain)
  return {
    // Sound: a response has a status.
    status: message.statusCode!,
    headers,
    body: { getReader: () => body },
  }
}

/** Sends requests of one protocol, on connections that are kept. */
interface Protocol {
  readonly agent: InstanceType<Http["Agent"]>
  readonly request: Http["request"]
}

const builtin = { "http:": "node:http", "https:": "node:https" } as const

/** The error of Node for a connection that ends before a response. */
const closedEarly = () =>
  Object.assign(new Error("the connection was closed before a response"), { code: "ECONNRESET" })

/** Where a request goes. */
interface Target {
  readonly protocol: keyof typeof builtin
  readonly hostname: string
  readonly port: string
  readonly path: string
}

const targetOf = (url: string): Target => {
  const { hostname, pathname, port, protocol, search } = new URL(url)
  return {
    // Sound: endpoints have one of these protocols.
    protocol: protocol as Target["protocol"],
    // An address of IPv6 is in brackets in a URL alone.
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    path: `${pathname}${search}`,
  }
}

/**
 * Makes a `fetch` over the modules `http` and `https` of Node. Idle connections close by themselves; `close` closes all of them now.
 *
 * **Errors**
 *
 * - Throws `InvalidOption`: an option is invalid.
 *
 * **Example** (Limiting the connections to a server)
 *
 * ```ts
 * import { RequestExecutor } from "@daybook/transport"
 * import * as NodeFetch from "@daybook/transport/NodeFetch"
 *
 * const fetch = NodeFetch.makeUnsafe({ connections: 8 })
 * export const executor = RequestExecutor.makeUnsafe({ fetch })
 * await fetch.close()
 * ```
 */
export const makeUnsafe = (options: Options = {}): NodeFetch => {
  Result.getOrThrow(OptionCheck.members(options, { connections: "count", keepAliveMillis: "count" }))
  const { connections = Number.POSITIVE_INFINITY, keepAliveMillis = 4_000 } = options
  const closing = new AbortController()
  const protocols = new Map<Target["protocol"], Protocol>()
  const protocolOf = (name: Target["protocol"]): Protocol => {
    const known = protocols.get(name)
    if (known !== undefined) return known
    // An import of `node:http` would also load what it exports for the web, Node's own undici among it, at many times the cost.
    const { Agent, request } = process.getBuiltinModule(builtin[name])
    // The timeout of an agent is that of idle connections; the clients have deadlines of their own.
    const agent = new Agent({ keepAlive: true, maxSockets: connections, timeout: keepAliveMillis })
    const made = { agent, request }
    protocols.set(name, made)
    return made
  }
  const fetch: Fetch = (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      closing.signal.throwIfAborted()
      signal.throwIfAborted()
      const target = targetOf(url)
      const { agent, request } = protocolOf(target.protocol)
      // Some gateways reject a request without a user agent; the global fetch of Node sends "node".
      const sent: Record<string, string | number> = {
        "user-agent": "node",
        "accept-encoding": "gzip, deflate",
        ...headers,
      }
      if (body !== undefined) sent["content-length"] = Buffer.byteLength(body)
      const outgoing = request({ ...target, agent, method, headers: sent })
      // The option `signal` of a request does the same at several times the cost.
      let incoming: IncomingMessage | undefined
      // A request whose response has ended has given its connection back: an error there would be one that nothing handles.
      const abort = () => (incoming ?? outgoing).destroy(signal.reason)
      const settled = () => signal.removeEventListener("abort", abort)
      signal.addEventListener("abort", abort)
      outgoing.on("error", (error) => {
        settled()
        reject(error)
      })
      // Node closes a connection that the server would speak another protocol on, without an error.
      outgoing.on("close", () => reject(closedEarly()))
      outgoing.on("response", (message) => {
        incoming = message
        resolve(responseOf(message, settled))
      })
      outgoing.end(body)
    })
  const close = async () => {
    closing.abort(new Error("closed"))
    for (const { agent } of protocols.values()) agent.destroy()
  }
  return Object.assign(fetch, { close })
}

/**
 * Makes a `fetch` over the modules `http` and `https` of Node whose connections close with the scope.
 *
 * **Example** (Bounding the connections of a client)
 *
 * ```ts
 * import * as NodeFetch from "@daybook/transport/NodeFetch"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const fetch = yield* NodeFetch.make()
 *   return typeof fetch // pass it as the option `fetch` of a client; it is closed with the scope
 * })
 * console.log(await Effect.runPromise(Effect.scoped(program))) // function
 * ```
 */
export const make = (options: Options = {}): Effect.Effect<NodeFetch, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => makeUnsafe(options)),
    (fetch) => Effect.promise(() => fetch.close()),
  )
