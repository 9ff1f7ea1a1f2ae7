/**
 * Sends a message to the URL of a webhook: to a checked address, without following redirects or reading the body of the response.
 *
 * Source: decision 0073.
 */
import { request as httpRequest, type IncomingHttpHeaders } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { visibleStart } from "@daybook/schema/VisibleText"
import * as RetryAfter from "@daybook/transport/internal/RetryAfter"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as NameLookups from "./NameLookups.ts"
import * as PublicAddress from "./PublicAddress.ts"

/** Which URLs are allowed. */
export interface Allowed {
  /** Whether addresses of any network, and http, are allowed. */
  readonly allowPrivate: boolean
}

/** What may be reached, and how names are looked up. */
export interface Options extends Allowed {
  readonly lookUp: NameLookups.LookUp
}

/** What was received. */
export type Received =
  /** A response, with the wait that it requests, in milliseconds; 0 for none. */
  | { readonly _tag: "Status"; readonly status: number; readonly waitMillis: number }
  | { readonly _tag: "Failed"; readonly reason: string }

/** Time limit for the headers of the response, including the name lookup, in milliseconds. */
const timeoutMillis = 20_000

/** Maximum number of informational responses, such as early hints, before the response of an attempt. A receiver could send any number. */
const maxInformational = 10

/** Why a URL is rejected before a name lookup; `null` if it is not. */
export const issueOf = (text: string, { allowPrivate }: Allowed): string | null => {
  if (text.length > 2_000 || !URL.canParse(text)) return "a URL of at most 2,000 characters"
  const { hostname, password, protocol, username } = new URL(text)
  if (protocol !== "https:" && !(allowPrivate && protocol === "http:")) return "a URL with https"
  if (username !== "" || password !== "") return "a URL without a user"
  const literal = hostname.replace(/^\[(.*)\]$/, "$1")
  if (!allowPrivate && isIP(literal) !== 0 && !PublicAddress.isPublic(literal))
    return "an address of the public internet"
  return null
}

/** The name in a URL that must be looked up; `null` for an address. */
const nameOf = ({ hostname }: URL): string | null =>
  isIP(hostname.replace(/^\[(.*)\]$/, "$1")) === 0 ? hostname : null

/** Whether each address of a name is public: the owner of a name may choose among its addresses for each lookup. */
const arePublic = (addresses: NameLookups.Addresses): boolean =>
  addresses.every(({ address }) => PublicAddress.isPublic(address))

/** Time limit for the start of a name lookup before a webhook is created, and then for its end, in milliseconds. */
const lookupMillis = 3_000

/** Other lookups did not end in time. */
export class LookupsBusy extends Data.TaggedError("LookupsBusy") {}

/**
 * Why a URL is rejected, by its text and the addresses of its name; `null` if it is not. A name that does not exist yet is not rejected.
 *
 * **Errors**
 * - `LookupsBusy`: the lookup could not start.
 */
export const check = Effect.fnUntraced(function* (
  text: string,
  options: Options,
): Effect.fn.Return<string | null, LookupsBusy> {
  const issue = issueOf(text, options)
  if (issue !== null || options.allowPrivate) return issue
  const name = nameOf(new URL(text))
  if (name === null) return null
  const begun = yield* Effect.timeoutOption(options.lookUp(name), lookupMillis)
  if (Option.isNone(begun)) return yield* new LookupsBusy()
  const known = yield* begun.value.pipe(
    Effect.timeoutOption(lookupMillis),
    Effect.orElseSucceed(() => Option.none<NameLookups.Addresses>()),
  )
  const isRefused = Option.isSome(known) && !arePublic(known.value)
  return isRefused ? "a name that resolves only to addresses of the public internet" : null
})

const failed = (reason: string): Received => ({ _tag: "Failed", reason })

/** Wait requested by a response, in milliseconds, at most one day. */
const requestedWait = ({ date = "", "retry-after": retryAfter = "" }: IncomingHttpHeaders): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    Duration.toMillis(RetryAfter.fromHeaders({ date, "retry-after": retryAfter }, now) ?? Duration.zero),
  )

/** Sends a message to one of the addresses of its name. */
const post = (
  target: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  addresses: NameLookups.Addresses,
): Effect.Effect<Received> =>
  Effect.callback((resume) => {
    const lookup: LookupFunction = (_name, options, done) => {
      // Sound: nothing is sent to a name without addresses.
      const { address, family } = addresses[0]!
      if (options.all === true) done(null, [...addresses])
      else done(null, address, family)
    }
    const request = target.protocol === "https:" ? httpsRequest : httpRequest
    const outgoing = request(target, {
      method: "POST",
      agent: false,
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      lookup,
    })
    const fail = (reason: string) => resume(Effect.succeed(failed(reason)))
    // The receiver controls parts of it, such as the names in its certificate.
    outgoing.on("error", ({ message }) => fail(visibleStart(message, 200)))
    // A protocol upgrade is neither a response nor an error.
    outgoing.on("close", () => fail("The connection was closed without a response."))
    let informational = 0
    outgoing.on("information", () => {
      informational++
      if (informational <= maxInformational) return
      fail(`More than ${maxInformational} informational responses (1xx).`)
      outgoing.destroy()
    })
    outgoing.on("response", (response) => {
      const { statusCode: status = 0, headers } = response
      resume(Effect.map(requestedWait(headers), (waitMillis) => ({ _tag: "Status", status, waitMillis })))
      response.destroy()
    })
    outgoing.end(body)
    return Effect.sync(() => void outgoing.destroy())
  })

/** Sends a message. */
export const send = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  options: Options,
): Effect.Effect<Received> =>
  Effect.suspend(() => {
    const issue = issueOf(url, options)
    if (issue !== null) return Effect.succeed(failed(`The URL is refused: expected ${issue}.`))
    const target = new URL(url)
    const name = nameOf(target)
    let awaited = "response to the name lookup"
    const attempt = Effect.gen(function* () {
      const begun = name === null ? Effect.succeed([]) : yield* options.lookUp(name)
      awaited = "response"
      const addresses = yield* begun
      const isAllowed = options.allowPrivate || arePublic(addresses)
      if (name !== null && (addresses.length === 0 || !isAllowed))
        return failed("The name resolves to an address outside the public internet.")
      return yield* post(target, headers, body, addresses)
    })
    return attempt.pipe(
      Effect.catchTag("LookupFailed", ({ message }) => Effect.succeed(failed(visibleStart(message, 200)))),
      Effect.timeoutOption(timeoutMillis),
      Effect.map(Option.getOrElse(() => failed(`No ${awaited} within 20 seconds.`))),
    )
  })
