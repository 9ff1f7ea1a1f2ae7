/**
 * Which `Host` headers a server accepts. A server that listens on a loopback address rejects the names of other machines: a page under such
 * a name could otherwise read it through a browser on this machine (DNS rebinding).
 *
 * Source: decision 0040; RFC 9112, 3.2.
 */
import { isIP } from "node:net"
import * as Listen from "../../config/Listen.ts"

/** Why a request is rejected. */
export type HostIssue = "repeated" | "not allowed"

/** Checks the raw headers of a request; undefined if it is accepted. */
export type HostCheck = (rawHeaders: ReadonlyArray<string>) => HostIssue | undefined

/** Name in a `Host` header, without its port and in lower case. */
export const nameOf = (host: string): string =>
  host
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase()

/** An address, a name of this machine, or a name without a domain: none that another party's name server can resolve. */
const isLocal = (name: string): boolean => isIP(name) !== 0 || !name.includes(".") || name.endsWith(".localhost")

/** Maximum number of allowed names that are cached. */
const maxKnown = 64

const isHostName = (text: string): boolean => text.length === 4 && text.toLowerCase() === "host"

/** Makes the check for a server from the address on which it listens; `allowedHosts` are further names. */
export const make = (listen: Listen.Listen, allowedHosts: ReadonlyArray<string>): HostCheck => {
  const isBoundToLoopback = Listen.isLoopback(listen)
  const allowed = new Set(allowedHosts.map((name) => name.toLowerCase()))
  const known = new Set<string>()

  const isAllowed = (given: string): boolean => {
    if (!isBoundToLoopback || known.has(given)) return true
    const name = nameOf(given)
    if (!isLocal(name) && !allowed.has(name)) return false
    if (known.size < maxKnown) known.add(given)
    return true
  }

  return (rawHeaders) => {
    let given: string | undefined
    for (let at = 0; at < rawHeaders.length; at += 2) {
      if (!isHostName(rawHeaders[at]!)) continue
      if (given !== undefined) return "repeated"
      given = rawHeaders[at + 1]!
    }
    // HTTP/1.0 has no Host header.
    return given === undefined || isAllowed(given) ? undefined : "not allowed"
  }
}
