/**
 * The socket of the HTTP server: an address of this machine or a Unix socket, plain or with TLS.
 */
import { chmodSync, existsSync, readFileSync, statSync, unlinkSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { connect } from "node:net"
import { dirname } from "node:path"
import { createSecureContext } from "node:tls"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { InvalidConfig } from "../config/InvalidConfig.ts"
import * as Listen from "../config/Listen.ts"
import * as Certificate from "./Certificate.ts"
import * as Upgrade from "./http/Upgrade.ts"
import * as ErrorCode from "../config/ErrorCode.ts"

/** Paths of a certificate chain and its key, both in PEM. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

/** How to listen. */
export interface Options {
  readonly listen: Listen.Listen
  readonly tls?: TlsFiles
  /** Configuration key of the address, for messages. Default: `listen`. */
  readonly key?: string
}

/** Where the server listens. */
export interface Address {
  readonly host: string
  readonly port: number
  /** The base URL, without a trailing slash; `unix:` and the path for a socket. */
  readonly url: string
}

/** The server cannot listen; the message states the address and the reason. */
export class ListenError extends Data.TaggedError("ListenError")<{
  readonly problem: string
  /** What to change. */
  readonly remedy: string
}> {
  override get message(): string {
    return `${this.problem} ${this.remedy}`
  }
}

/** Node closes a connection that exceeds one of them within `connectionsCheckingInterval`. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
}

/** `Connections` ends handshakes earlier, in batches. This ends those of a peer without an address. */
const handshakeTimeout = 15_000

/** A request for another protocol is answered like any other. */
const upgrades = { shouldUpgradeCallback: Upgrade.isAcceptable }

/** Permissions of a socket: its owner and the group, to which a proxy may belong. */
const socketMode = 0o660

/** Maximum number of bytes of a socket path, excluding the terminator. */
const maxSocketBytes = process.platform === "linux" ? 107 : 103

/** Status of a file, if this process can access it. */
const fileAt = (path: string) => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const failedAt =
  ({ listen }: Pick<Options, "listen">) =>
  (reason: string, remedy: string) =>
    new ListenError({ problem: `Cannot listen on ${Listen.format(listen)}: ${reason}.`, remedy })

const noFolder = (key: string) =>
  ["there is no such folder", `Create it, or change "${key}" in the configuration.`] as const

const listenError = (cause: unknown, options: Options): ListenError => {
  const { key = "listen", listen } = options
  const isSocket = "socket" in listen
  const failed = failedAt(options)
  switch (ErrorCode.of(cause)) {
    case "EADDRINUSE":
      return failed(
        isSocket ? "another process listens there" : "the port is in use",
        `Stop the other program, or change "${key}" in the configuration.`,
      )
    case "EACCES":
      // Node reports a missing folder as a permission error.
      if (isSocket && !existsSync(dirname(listen.socket))) return failed(...noFolder(key))
      return failed(
        "permission denied",
        isSocket
          ? "Give this user write access to the folder."
          : `Use a port above 1023 in "${key}" of the configuration.`,
      )
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return failed("this machine has no such address", `Correct "${key}" in the configuration.`)
    case "ENOENT":
      return failed(...noFolder(key))
    default:
      return failed(ErrorCode.of(cause), `Check "${key}" in the configuration.`)
  }
}

/**
 * Checks that a socket can be created at its path.
 *
 * **Errors**
 * - `InvalidConfig`: the path is too long, or a file that is not a socket is there.
 */
export const checkSocket = (options: Pick<Options, "key" | "listen">): Effect.Effect<void, InvalidConfig> => {
  const { key = "listen", listen } = options
  if (!("socket" in listen)) return Effect.void
  const failed = (reason: string, remedy: string) =>
    new InvalidConfig({ found: [{ path: key, message: failedAt(options)(reason, remedy).message }] })
  const bytes = Buffer.byteLength(listen.socket)
  if (bytes > maxSocketBytes) {
    const reason = `the path of a socket has at most ${maxSocketBytes} bytes, and this one has ${bytes}`
    return Effect.fail(failed(reason, `Shorten it in "${key}" of the configuration.`))
  }
  if (fileAt(listen.socket)?.isSocket() === false) {
    const remedy = `Move it away, or change "${key}" in the configuration.`
    return Effect.fail(failed("a file that is not a socket is there", remedy))
  }
  return Effect.void
}

/**
 * Reads a certificate and its key.
 *
 * **Errors**
 * - `InvalidConfig`: a file cannot be read, or they do not belong together. The message names the files without showing their contents.
 */
export const readTls = ({ cert, key }: TlsFiles) =>
  Effect.try({
    try: () => {
      const read = { cert: readFileSync(cert), key: readFileSync(key) }
      createSecureContext(read)
      return read
    },
    catch: (cause) => {
      const files = `${cert} and ${key} (${ErrorCode.of(cause)})`
      const message = `Cannot use the certificate of "tls": ${files}. Give a certificate and its key as PEM.`
      return new InvalidConfig({ found: [{ path: "tls", message }] })
    },
  })

/** Reads a certificate and its key. Logs an invalid certificate, and a replaced one. */
const readReported = Effect.fnUntraced(function* (files: TlsFiles, before?: Uint8Array) {
  const read = yield* readTls(files)
  const { isValid, text } = Certificate.validityAt(yield* Clock.currentTimeMillis, read.cert)
  if (!isValid) yield* Effect.logWarning(text)
  else if (before !== undefined && !read.cert.equals(before)) yield* Effect.logInfo(text)
  return read
})

/** Removes a socket left by a killed process; one that is in use is left for `listen` to report. */
const removeStale = (listen: Listen.Listen): Effect.Effect<void> => {
  if (!("socket" in listen) || fileAt(listen.socket) === undefined) return Effect.void
  const { socket: path } = listen
  return Effect.callback<void>((resume) => {
    const socket = connect(path, () => {
      socket.destroy()
      resume(Effect.void)
    })
    socket.on("error", (cause) => {
      if (ErrorCode.of(cause) === "ECONNREFUSED") unlinkSync(path)
      resume(Effect.void)
    })
  })
}

/** A listening server. */
export interface Listener {
  readonly node: Server
  readonly address: Address
  /** Reads the certificate files again; returns an effect that uses them for subsequent connections. */
  readonly prepareTls: Effect.Effect<Effect.Effect<void>, InvalidConfig>
}

const addressOf = ({ listen, tls }: Options, port: number): Address => {
  if ("socket" in listen) return { host: listen.socket, port: 0, url: Listen.format(listen) }
  const { host } = listen
  return { host, port, url: `${tls === undefined ? "http" : "https"}://${Listen.format({ host, port })}` }
}

/**
 * Listens until the scope ends; the handler is added later. A client that ends its side of a connection after a request still receives the
 * response (`httpAllowHalfOpen`).
 *
 * **Errors**
 * - `ListenError`: the address is in use, not an address of this machine, or not allowed.
 * - `InvalidConfig`: the certificate cannot be used, or no socket can be created at its path.
 */
export const open = Effect.fn("Listener.open")(function* (
  options: Options,
): Effect.fn.Return<Listener, ListenError | InvalidConfig, Scope.Scope> {
  const { listen, tls } = options
  let files = tls === undefined ? null : yield* readReported(tls)
  const secure = files === null ? null : createTlsServer({ ...timeouts, ...upgrades, handshakeTimeout, ...files })
  const node = secure ?? createServer({ ...timeouts, ...upgrades })
  Object.assign(node, { httpAllowHalfOpen: true })
  yield* checkSocket(options)
  yield* removeStale(listen)
  const at = "socket" in listen ? { path: listen.socket } : listen
  yield* NodeHttpServer.make(() => node, { ...at, disablePreemptiveShutdown: true }).pipe(
    Effect.mapError(({ cause }) => listenError(cause, options)),
  )
  if ("socket" in listen) chmodSync(listen.socket, socketMode)
  const bound = node.address()
  const prepareTls =
    secure === null || tls === undefined
      ? Effect.succeed(Effect.void)
      : Effect.map(
          Effect.suspend(() => readReported(tls, files?.cert)),
          (read) =>
            Effect.sync(() => {
              files = read
              secure.setSecureContext(read)
            }),
        )
  const port = typeof bound === "object" && bound !== null ? bound.port : 0
  return { node, prepareTls, address: addressOf(options, port) }
})
