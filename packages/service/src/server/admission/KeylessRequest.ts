/**
 * Which requests need no API key: those of the explorer's own pages, and for `daybook dev` those of local programs and pages. A page from
 * another machine must not read the service through a visitor's browser, whether with cross-origin requests or with a name that resolves to
 * this machine (DNS rebinding). Neither may callers behind a proxy.
 *
 * Source: decision 0058; Fetch Metadata Request Headers, W3C.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Access } from "../../config/Explorer.ts"
import { isLoopback } from "../../config/Loopback.ts"
import type { KeyGrant } from "../../store/ApiKeys.ts"
import * as HostCheck from "./HostCheck.ts"

/** The checked parts of a request. */
export interface Received {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly httpVersion: string
  /** Both ends of the connection, without ports; undefined for another kind of socket, or a closed one. */
  readonly addresses: readonly [local: string | undefined, remote: string | undefined]
}

/** Headers that proxies add. */
const proxyHeaders = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via"]

/** True for a name that no name server resolves. */
const isOfThisMachine = (host: string): boolean => {
  const name = HostCheck.nameOf(host)
  return isLoopback(name) || name.endsWith(".localhost")
}

/**
 * True if the request was sent within this machine, to its own name, and not by a proxy; nginx sends HTTP/1.0 by default. Headers alone are
 * not sufficient: if the service listens on another address, any program can send them.
 */
const isDirect = ({ addresses, headers, httpVersion }: Received): boolean =>
  addresses.every((address) => address !== undefined && isLoopback(address)) &&
  httpVersion === "1.1" &&
  headers["host"] !== undefined &&
  isOfThisMachine(headers["host"]) &&
  proxyHeaders.every((name) => headers[name] === undefined)

/** True if a browser states that a page of the service sent the request; pages cannot set these headers. */
const isOwnPage = ({ headers }: Received): boolean =>
  headers["sec-fetch-site"] === "same-origin" &&
  (headers["origin"] === undefined || headers["origin"].replace(/^https?:\/\//, "") === headers["host"])

/** True for the origin of a page on this machine. */
export const isOriginOfThisMachine = (origin: string): boolean =>
  URL.canParse(origin) && isOfThisMachine(new URL(origin).host)

/** True for a page on this machine, and for a program, which sends neither header. */
const isLocal = ({ headers }: Received): boolean => {
  const { origin } = headers
  if (origin !== undefined) return isOriginOfThisMachine(origin)
  const site = headers["sec-fetch-site"]
  return site === undefined || site === "same-origin" || site === "none"
}

/** True if a request needs no key. */
export const isKeyless = (access: Access, received: Received): boolean => {
  switch (access) {
    case "open":
      return isDirect(received) && isOwnPage(received)
    case "local":
      return isDirect(received) && (isOwnPage(received) || isLocal(received))
    default:
      return false
  }
}

/** Callers without a key share one rate limit. Key names have at least one character. */
const grant: KeyGrant = { name: "", operator: true, empty: null }

/** Makes the function that grants access to a request without a key; `null` if the request needs one. */
export const make =
  (access: Access) =>
  (request: HttpServerRequest): KeyGrant | null => {
    if (access !== "open" && access !== "local") return null
    const { httpVersion, socket } = NodeHttpServerRequest.toIncomingMessage(request)
    const addresses = [socket.localAddress, socket.remoteAddress] as const
    return isKeyless(access, { headers: request.headers, httpVersion, addresses }) ? grant : null
  }
