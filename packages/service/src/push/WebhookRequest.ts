/**
 * Sends a message to the URL of a webhook: to an address that was checked, without following a redirect, and without reading the body of the
 * response.
 *
 * Source: decision 0073.
 */
import { lookup as dnsLookup, type LookupAddress } from "node:dns"
import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { visibleStart } from "@daybook/schema/VisibleText"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as PublicAddress from "./PublicAddress.ts"

/** Resolves a name to all of its addresses. */
export type Resolve = (
  name: string,
  done: (error: Error | null, addresses: ReadonlyArray<LookupAddress>) => void,
) => void

/** What may be reached. */
export interface Options {
  /** Addresses of any network, and http, are allowed. */
  readonly allowPrivate: boolean
  /** Default: that of the platform. */
  readonly resolve?: Resolve | undefined
}

/** What was received. */
export type Received =
  | { readonly _tag: "Status"; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly _tag: "Failed"; readonly reason: string }

/** Resolves a name by the platform. */
export const platformResolve: Resolve = (name, done) => dnsLookup(name, { all: true }, done)

/** Time until the headers of the response, in milliseconds. */
const timeoutMillis = 20_000

/** Why a URL is refused before a name is looked up; `null` for none. */
export const issueOf = (text: string, { allowPrivate }: Options): string | null => {
  if (text.length > 2_000 || !URL.canParse(text)) return "a URL of at most 2,000 characters"
  const { hostname, password, protocol, username } = new URL(text)
  if (protocol !== "https:" && !(allowPrivate && protocol === "http:")) return "a URL with https"
  if (username !== "" || password !== "") return "a URL without a user"
  const literal = hostname.replace(/^\[(.*)\]$/, "$1")
  if (!allowPrivate && isIP(literal) !== 0 && !PublicAddress.isPublic(literal))
    return "an address of the public internet"
  return null
}

/** A lookup that gives only addresses that may be reached, so that the connection is to one that was checked. */
const checkedLookup =
  ({ allowPrivate, resolve = platformResolve }: Options): LookupFunction =>
  (name, options, done) =>
    resolve(name, (error, addresses) => {
      if (error !== null) return done(error, "")
      const allowed = allowPrivate ? [...addresses] : addresses.filter(({ address }) => PublicAddress.isPublic(address))
      const [first] = allowed
      // A name with one address of this network has no address that may be reached: an answer may be chosen by its owner.
      if (first === undefined || allowed.length < addresses.length) {
        return done(new Error("The name leads to an address that is not of the public internet."), "")
      }
      if (options.all === true) return done(null, allowed)
      return done(null, first.address, first.family)
    })

/** Time for the look-up of a name that is checked before a webhook is made, in milliseconds. */
const lookupMillis = 3_000

/** Why a URL is refused, by its text and by what its name leads to; `null` for none. A name that is not known yet is not refused. */
export const check = (text: string, options: Options): Effect.Effect<string | null> => {
  const issue = issueOf(text, options)
  if (issue !== null || options.allowPrivate) return Effect.succeed(issue)
  const { hostname } = new URL(text)
  if (isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0) return Effect.succeed(null)
  const { resolve = platformResolve } = options
  const looked = Effect.callback<string | null>((resume) =>
    resolve(hostname, (error, addresses) => {
      const isRefused = error === null && !addresses.every(({ address }) => PublicAddress.isPublic(address))
      resume(Effect.succeed(isRefused ? "a name that leads to addresses of the public internet alone" : null))
    }),
  )
  return Effect.map(Effect.timeoutOption(looked, lookupMillis), Option.getOrNull)
}

/** Sends a message. */
export const send = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  options: Options,
): Effect.Effect<Received> =>
  Effect.callback((resume) => {
    const issue = issueOf(url, options)
    if (issue !== null)
      return resume(Effect.succeed({ _tag: "Failed", reason: `The URL is refused: expected ${issue}.` }))
    const target = new URL(url)
    const request = target.protocol === "https:" ? httpsRequest : httpRequest
    const outgoing = request(target, {
      method: "POST",
      agent: false,
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      lookup: checkedLookup(options),
    })
    const fail = (reason: string) => resume(Effect.succeed({ _tag: "Failed", reason }))
    const timer = setTimeout(() => {
      fail("No response within 20 seconds.")
      outgoing.destroy()
    }, timeoutMillis)
    // The receiver chooses parts of it, such as the names of its certificate.
    outgoing.on("error", ({ message }) => fail(visibleStart(message, 200)))
    outgoing.on("close", () => {
      clearTimeout(timer)
      // An upgrade of the connection is neither a response nor an error.
      fail("The connection was closed without a response.")
    })
    outgoing.on("response", (response) => {
      const { "retry-after": retryAfter } = response.headers
      resume(Effect.succeed({ _tag: "Status", status: response.statusCode ?? 0, retryAfter }))
      response.destroy()
    })
    outgoing.end(body)
    return Effect.sync(() => void outgoing.destroy())
  })
