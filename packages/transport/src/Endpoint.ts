/**
 * Address and credentials of a server: a base URL, extra path segments and headers, any of which may hold a key.
 * All of them are `Redacted` until a request is written. Only the host and `shownUrl` may be shown.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { InvalidOption } from "./ClientError.ts"
import * as OptionCheck from "./internal/OptionCheck.ts"
import { mark, percentDecode, scrubber } from "./internal/Redaction.ts"

/**
 * A key or URL as the options of a client accept it.
 */
export type Key = string | Redacted.Redacted<string>

/**
 * One server and the credentials for it.
 */
export interface Endpoint {
  /** Host and port for display, as in `node.example:8545`. */
  readonly host: string
  /** Base URL for display, without user, query and any path segment that may be a key. */
  readonly shownUrl: string
  /** Attributes of spans: address and port. Source: OpenTelemetry semantic conventions. */
  readonly attributes: Readonly<Record<string, unknown>>
  /** Base URL with its keys, without user, password and fragment. */
  readonly url: Redacted.Redacted<string>
  /** Headers sent with each request: the given ones, and `authorization` when the URL held a user. */
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  /** Headers of one call, which replace those of the same name; undefined for none. */
  readonly callHeaders?: Redacted.Redacted<Readonly<Record<string, string>>>
  /** Replaces every key of this endpoint in a text. */
  readonly scrub: (text: string) => string
}

/**
 * Options of an endpoint.
 */
export interface Options {
  /** Base URL, http or https. May hold `user:password@`, and keys in its path and query. */
  readonly url: Key | URL
  /** Segments appended to the path of the URL, percent-encoded here; wrap a key in `Redacted`. */
  readonly path?: ReadonlyArray<Key>
  /** Headers of each request; values are treated as secrets. */
  readonly headers?: Readonly<Record<string, Key>> | undefined
  /** Name of the URL option in messages. Default `url`. */
  readonly option?: string
}

/**
 * What one request adds to its endpoint.
 */
export interface Target {
  /** Path below that of the endpoint, percent-encoded, as in `/api/v2.2/0x00/verbose`. */
  readonly path?: string
  readonly query?: Readonly<Record<string, string | undefined>>
}

const expectedUrl = "an http or https URL such as https://host/path"

/** An address or a short name with a port, as in `127.0.0.1:8545` or `node.example:8545`. A user before it is not matched. */
const bareHost =
  /^(?:[^@/\s]*@)?(localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\]|(?:[a-z\d-]{1,24}\.)*[a-z\d-]{1,24}(?=:))(:\d{1,5})?(?:[/?#]|$)/i

const describeUrl = (text: string): string => {
  if (text === "") return "an empty string"
  const scheme = /^(wss?|ftp|file|unix):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme !== undefined) return `a URL with the scheme ${scheme}:`
  if (/^https?:\/\//i.test(text)) return "a URL whose host or port is invalid"
  const [, host, port = ""] = bareHost.exec(text) ?? []
  if (host === undefined) return "text without http:// or https:// before it"
  return `"${host}${port}" without http:// or https:// before it`
}

/** Describes an unusable URL by its host at most, since the rest may hold a key. */
const invalidUrl = (option: string, text: string): InvalidOption =>
  new InvalidOption({ option, expected: expectedUrl, received: describeUrl(text.trim()) })

/** Words of public paths. Any other segment of six characters or more is treated as a key. */
const publicWords = new Set(
  [
    "amoy api arbitrum archive avalanche base binance bsc chiliz cronos devnet eth ethereum fantom gnosis holesky json jsonrpc linea",
    "mainnet moonbase moonbeam moonriver node optimism polygon public rest rpc sepolia testnet true verbose",
  ].flatMap((line) => line.split(" ")),
)

const isPublic = (text: string): boolean => text.split(/[-_ ]/).every((word) => publicWords.has(word.toLowerCase()))

const mayBeKey = (text: string): boolean => text.length >= 6 && !isPublic(text)

/** Headers that belong to the connection or follow from the body. The platform writes them and rejects requests that set them. */
const platformHeaders = new Set(
  "connection content-length expect keep-alive proxy-connection te trailer transfer-encoding upgrade".split(" "),
)

const invalidHeaderName = (name: string): Pick<InvalidOption, "expected" | "received"> | undefined => {
  if (platformHeaders.has(name.toLowerCase()))
    return { expected: "a header that a client may set", received: "a header that the platform writes" }
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name)
    ? undefined
    : { expected: "a header name of letters, digits and hyphens", received: "a name with other characters" }
}

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

/** Headers of an endpoint and the secrets in them. */
interface Credentials {
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: ReadonlyArray<string>
}

/** Credentials in the user part of a URL, as an `authorization` header. */
const fromUser = ({ password, username }: URL): Credentials => {
  if (username === "" && password === "") return { headers: {}, secrets: [] }
  const [name, secret] = [percentDecode(username), percentDecode(password)]
  const encoded = base64(`${name}:${secret}`)
  return { headers: { authorization: `Basic ${encoded}` }, secrets: [name, secret, encoded] }
}

/** Checks headers. Their values, and the longer words in them, are secrets. */
const fromHeaders = (given: Options["headers"]): Result.Result<Credentials, InvalidOption> =>
  Result.gen(function* () {
    yield* OptionCheck.member("headers", "record", given)
    const headers: Record<string, string> = {}
    const secrets: Array<string> = []
    for (const [name, key] of Object.entries(given ?? {})) {
      const option = `headers.${OptionCheck.shownName(name)}`
      const invalidName = invalidHeaderName(name)
      if (invalidName !== undefined) return yield* Result.fail(new InvalidOption({ option, ...invalidName }))
      const value = yield* OptionCheck.text(option, "a string", key)
      if (!/^[\x20-\x7e\x80-\xff]*$/.test(value)) {
        const expected = "a value of Latin-1 characters on one line"
        return yield* Result.fail(new InvalidOption({ option, expected, received: "a value with other characters" }))
      }
      headers[name.toLowerCase()] = value
      secrets.push(value, ...value.split(/\s+/).filter((word) => word.length >= 8))
    }
    return { headers, secrets }
  })

/** Text of a key. Unpaired surrogates, which have no encoding, are replaced. */
const keyText = (key: Key): string =>
  (typeof key === "string" ? key : Redacted.value(key)).replace(/\p{Surrogate}/gu, "\ufffd")

const segmentsOf = ({ pathname }: URL): ReadonlyArray<string> => pathname.split("/").filter((segment) => segment !== "")

/** Parts of a URL that may be keys: unusual path segments and query values, and the query as a whole. */
const secretsOfUrl = (url: URL): ReadonlyArray<string> => [
  ...segmentsOf(url).filter(mayBeKey),
  ...[...url.searchParams.values()].filter(mayBeKey),
  url.search.slice(1),
]

const build = (options: Options | null | undefined): Result.Result<Endpoint, InvalidOption> =>
  Result.gen(function* () {
    const { headers, option = "url", path = [], url: address }: Partial<Options> = options ?? {}
    const text = yield* OptionCheck.text(option, expectedUrl, address)
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
      return yield* Result.fail(invalidUrl(option, text))
    }
    const user = fromUser(url)
    const given = yield* fromHeaders(headers)
    const keys = path.filter((segment) => typeof segment !== "string").map(keyText)
    const secrets = [...user.secrets, ...given.secrets, ...secretsOfUrl(url), ...keys]

    const own = segmentsOf(url)
    const segments = [...own, ...path.map((segment) => encodeURIComponent(keyText(segment)))]
    const shown = segments.map((segment, at) =>
      (at < own.length ? isPublic(segment) : typeof path[at - own.length] === "string") ? segment : mark,
    )
    if (path.length > 0) url.pathname = `${url.pathname.replace(/\/+$/, "")}/${segments.slice(own.length).join("/")}`
    url.username = ""
    url.password = ""
    url.hash = ""
    const port = Number(url.port) || (url.protocol === "http:" ? 80 : 443)
    return {
      host: url.host,
      shownUrl: [url.origin, ...shown].join("/"),
      attributes: { "server.address": url.hostname, "server.port": port },
      url: Redacted.make(url.href),
      headers: Redacted.make({ ...user.headers, ...given.headers }),
      scrub: scrubber(secrets),
    }
  })

/**
 * Makes an endpoint from a URL and its credentials.
 *
 * **Errors**
 *
 * - `InvalidOption`: the URL is not an http or https URL, or a header cannot be sent. The message never shows what was given.
 *
 * **Example** (Making an endpoint)
 *
 * ```ts
 * import * as Endpoint from "@daybook/transport/Endpoint"
 * import * as Effect from "effect/Effect"
 *
 * const endpoint = Effect.runSync(Endpoint.make({ url: "https://user:secret@s.example/v1" }))
 * console.log(endpoint.host) // s.example
 * ```
 */
export const make = (options: Options): Effect.Effect<Endpoint, InvalidOption> =>
  Effect.suspend(() => Effect.fromResult(build(options)))

/**
 * Makes an endpoint, or throws the `InvalidOption` that `make` fails with. For callers outside Effect.
 *
 * **Example** (Making an endpoint outside Effect)
 *
 * ```ts
 * import * as Endpoint from "@daybook/transport/Endpoint"
 *
 * console.log(Endpoint.makeUnsafe({ url: "https://s.example", headers: { "x-api-key": "my-key" } }).host)
 * // s.example
 * ```
 */
export const makeUnsafe = (options: Options): Endpoint => Result.getOrThrow(build(options))

/**
 * Returns the endpoint with additional headers, for one call. It shares the waits that the server requested.
 *
 * **Errors**
 *
 * - `InvalidOption`: a header cannot be sent. The message never shows its value.
 *
 * **Example** (Adding a header for one call)
 *
 * ```ts
 * import * as Endpoint from "@daybook/transport/Endpoint"
 * import * as Result from "effect/Result"
 *
 * const endpoint = Endpoint.makeUnsafe({ url: "https://s.example" })
 * console.log(Result.isSuccess(Endpoint.withHeaders(endpoint, { "x-trace": "5f" }))) // true
 * ```
 */
export const withHeaders = (endpoint: Endpoint, headers: Options["headers"]): Result.Result<Endpoint, InvalidOption> =>
  Result.map(fromHeaders(headers), (own) => {
    const clean = scrubber(own.secrets)
    return { ...endpoint, callHeaders: Redacted.make(own.headers), scrub: (text) => clean(endpoint.scrub(text)) }
  })
