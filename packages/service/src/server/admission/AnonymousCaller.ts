/**
 * Callers without an API key, if the configuration allows them. Their calls and bytes are counted by address: an IPv4 address, or the first
 * 64 bits of an IPv6 address, because one client owns the whole /64. Addresses share a fixed number of rate limits, so a client with many
 * of them uses no more memory, and one further limit applies to all of them together.
 *
 * Source: decision 0065.
 */
import { hash } from "node:crypto"
import { isIPv6 } from "node:net"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import type { Anonymous } from "../../config/Anonymous.ts"
import type { KeyGrant } from "../../store/ApiKeys.ts"

/** Number of rate limits shared by all addresses. */
const maxHolders = 65_536

const [groups, prefixGroups] = [8, 4]

/** Network of a client: its IPv4 address, even if written as IPv6, or the first 64 bits of its IPv6 address. */
export const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address
  const [left = [], right = []] = address
    .replace(/%.*$/, "")
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""))
  const zeros = Array.from({ length: groups - left.length - right.length }, () => "0")
  const prefix = [...left, ...zeros, ...right].slice(0, prefixGroups)
  return prefix.map((group) => Number.parseInt(group, 16).toString(16)).join(":")
}

/** Holder to which calls from an address are counted. Key names have no line break, so no key shares a count with an address. */
export const holderAt = (address: string): string =>
  `\n${hash("sha256", networkOf(address), "buffer").readUInt32BE() % maxHolders}`

/** Holder to which the calls of all callers without a key are counted. */
export const allAnonymous = "\n"

/** True for the grant of a caller that needs no key because of the configuration, as opposed to one of the service's own pages. */
export const is = (grant: KeyGrant): boolean => grant.name === "" && grant.holder !== undefined

/** Makes the function that grants access to the caller of a request. */
export const make = ({ burst, operations, perSecond }: Pick<Anonymous, "burst" | "operations" | "perSecond">) => {
  const rateLimit = { perSecond, burst }
  const options = operations === undefined ? { rateLimit } : { rateLimit, operations }
  return ({ remoteAddress }: Pick<HttpServerRequest, "remoteAddress">): KeyGrant => ({
    name: "",
    operator: false,
    empty: null,
    options,
    holder: holderAt(Option.getOrElse(remoteAddress, () => "")),
  })
}
