/**
 * Address on which the service listens: the key `listen`, and the flag `--listen`.
 */
import { resolve } from "node:path"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as HomePath from "./HomePath.ts"
import * as Loopback from "./Loopback.ts"

/** An address of this machine. Port 0 chooses a free one. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** An address of this machine, or the path of a Unix socket. */
export type Listen = Address | { readonly socket: string }

const maxPort = 65_535

/** The path of the text of a socket. */
const socketOf = (text: string): string | undefined => /^unix:(.+)$/.exec(text)?.[1]

/** Parses `host:port`, `[::1]:port`, or `unix:` and a path. Patterns are not supported: all addresses are `0.0.0.0` or `::`. */
export const parse = (text: string): Listen | undefined => {
  const socket = socketOf(text)
  if (socket !== undefined) return HomePath.isHomePath(socket) ? undefined : { socket }
  const [, bracketed, plain, digits = ""] = /^(?:\[([^[\]\s*]+)\]|([^:[\]\s*]+)):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed ?? plain
  return host === undefined || Number(digits) > maxPort ? undefined : { host, port: Number(digits) }
}

/** Formats text that `parse` reads. */
export const format = (listen: Listen): string => {
  if ("socket" in listen) return `unix:${listen.socket}`
  return `${listen.host.includes(":") ? `[${listen.host}]` : listen.host}:${listen.port}`
}

/** Resolves the path of a socket against a folder. */
export const inFolder = (listen: Listen, folder: string): Listen =>
  "socket" in listen ? { socket: resolve(folder, listen.socket) } : listen

const Port = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxPort }))

const Host = Schema.NonEmptyString.check(
  Schema.makeFilter((host) => !/[*[\]\s]/.test(host) || "Expected a name or an address, without brackets or *"),
)

const AddressSchema = Schema.Struct({ host: Host, port: Port })

const expectedForm = "Expected host:port, or unix: and a path, as in 127.0.0.1:8080 or [::1]:8080"

const Text = Schema.String.check(
  Schema.makeFilter((text) => {
    if (parse(text) !== undefined) return true
    return HomePath.isHomePath(socketOf(text) ?? "")
      ? 'Expected unix: and a path without "~", which only a shell expands'
      : expectedForm
  }),
).pipe(
  Schema.decodeTo(
    Schema.Union([AddressSchema, Schema.Struct({ socket: Schema.String })]),
    // The check above has parsed it.
    SchemaTransformation.transform({ decode: (text) => parse(text)!, encode: format }),
  ),
)

/** The value of the key `listen`. */
export const Listen = Schema.Union([Text, AddressSchema])

/** Warning for an address that others reach by plain HTTP; `undefined` for one of this machine, with TLS, or behind a proxy. */
export const plainTextWarning = ({
  listen,
  tls,
  trustedProxies,
}: {
  readonly listen: Listen
  readonly tls?: object
  readonly trustedProxies: number
}): string | undefined =>
  "socket" in listen || isLoopback(listen) || tls !== undefined || trustedProxies > 0
    ? undefined
    : `API keys are sent as plain text to ${format(listen)}. Configure "tls", or a proxy with TLS and "trustedProxies".`

/** True for an address that only this machine reaches. A socket usually has a proxy in front of it, so it counts as reachable by others. */
export const isLoopback = (listen: Listen): boolean => "host" in listen && Loopback.isLoopback(listen.host)
