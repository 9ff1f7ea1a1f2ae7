/**
 * A `fetch` for Node over its modules `http` and `https`, at a fraction of the cost of the global one: no web streams, and no undici to
 * load before the first request. Clients on Node use one by default. Make one to configure how connections are kept alive, or to close
 * them.
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

/** Reads the chunks of a stream, starting with the first read. The source is paused while nothing is read. */
const chunksOf = (stream: IncomingMessage | Decompression): Reader => {
  // The reader reports the error, including when the connection breaks before the first read.
  stream.on("error", () => {})
  const chunks: AsyncIterator<Uint8Array, undefined> = stream[Symbol.asyncIterator]()
  const read = async (): Promise<Chunk> => {
    const { done = false, value } = await chunks.next()
    return { done, value }
  }
  return { read, cancel: async () => stream.destroy() }
}

/** Makes the decompressor for a body from its first bytes; undefined if this version of Node lacks it. */
type Coding = (zlib: Zlib, first: Uint8Array) => Decompression | undefined

const gzip: Coding = (zlib) => zlib.createGunzip()

/**
 * Supported content codings, including ones that were not requested, since caches send them. Source: RFC 9110 section 8.4.1, RFC 7932, RFC
 * 8878.
 */
const codings: Readonly<Record<string, Coding>> = {
  gzip,
  "x-gzip": gzip,
  // Some servers send `deflate` without the header of RFC 1950, whose first byte ends in 8.
  deflate: (zlib, [first = 0]) => (first % 16 === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
  br: (zlib) => zlib.createBrotliDecompress(),
  zstd: (zlib) => zlib.createZstdDecompress?.(),
}

/** Maximum number of codings of one body; each one needs memory of its own. */
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

/** Headers of a response; Node has already put their names in lower case. */
const headersOf = ({ headers }: IncomingMessage): ReadonlyMap<string, string> =>
  new Map(Object.entries(headers).map(([name, value]) => [name, String(value)]))

/** Parses a header that is a list of names. */
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

/** Sends requests of one protocol over kept-alive connections. */
interface Protocol {
  readonly agent: InstanceType<Http["Agent"]>
  readonly request: Http["request"]
}

const builtin = { "http:": "node:http", "https:": "node:https" } as const

/** The error that Node reports when a connection ends before a response. */
const closedEarly = () =>
  Object.assign(new Error("the connection was closed before a response"), { code: "ECONNRESET" })

/** Reason in an error text of OpenSSL, which otherwise consists of addresses and file names. */
const openSslReason = /\berror:[0-9A-F]+:SSL routines:[^:]*:([^:]+):/

/** The error of a request, with the reason alone if it is an error of OpenSSL. */
const readable = (error: NodeJS.ErrnoException): Error => {
  const reason = openSslReason.exec(error.message)?.[1]
  if (reason === undefined) return error
  const noTls = "the server does not use TLS at this port; an http URL may be needed"
  return Object.assign(new Error(reason === "wrong version number" ? noTls : reason), { code: error.code })
}

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
    // Only a URL puts an IPv6 address in brackets.
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
    // Importing `node:http` would also load what it exports for the web, including Node's own undici, at many times the cost.
    const { Agent, request } = process.getBuiltinModule(builtin[name])
    // The agent's timeout applies to idle connections; the clients have deadlines of their own.
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
      // The request option `signal` does the same at several times the cost.
      let incoming: IncomingMessage | undefined
      // Once the response has ended, the request has returned its connection, and an error there would be unhandled.
      const abort = () => (incoming ?? outgoing).destroy(signal.reason)
      const settled = () => signal.removeEventListener("abort", abort)
      signal.addEventListener("abort", abort)
      outgoing.on("error", (error) => {
        settled()
        reject(readable(error))
      })
      // Node closes a connection without an error when the server wants to switch to another protocol on it.
      outgoing.on("close", () => {
        // The stack of an error costs more than the rest of this function.
        if (incoming === undefined) reject(closedEarly())
      })
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
