/**
 * Where requests go and what they carry to be let in: a base URL, extra path segments and headers, any of which may hold a key.
 * All of it is `Redacted` until a request is written; only the host is there to be shown.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { InvalidOption } from "./ClientError.ts"
import * as OptionCheck from "./OptionCheck.ts"
import { fromKey, type Key, scrubber } from "./Redaction.ts"

/**
 * One server and the credentials for it.
 */
export interface Endpoint {
  /** Host and port for display, as in `node.example:8545`. */
  readonly host: string
  /** The base URL with its keys, without user, password and fragment. */
  readonly url: Redacted.Redacted<string>
  /** Headers sent with each request: the given ones, and `authorization` when the URL held a user. */
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  /** Replaces every key of this endpoint in a text. */
  readonly scrub: (text: string) => string
}

/**
 * What an endpoint is made of.
 */
export interface Options {
  /** Base URL, http or https. May hold `user:password@`, and keys in its path and query. */
  readonly url: Key | URL
  /** Segments put after the URL's path, percent-encoded here; wrap a key in `Redacted`. */
  readonly path?: ReadonlyArray<Key>
  /** Headers of each request; values are kept as secrets. */
  readonly headers?: Readonly<Record<string, Key>>
  /** The option's name in messages. Default `url`. */
  readonly option?: string
}

/**
 * What one request adds to its endpoint.
 */
export interface Target {
  /** Path below the endpoint's, already percent-encoded, as in `/api/v2.2/0x00/verbose`. */
  readonly path?: string
  readonly query?: Readonly<Record<string, string | undefined>>
}

const unusable = (option: string, text: string): InvalidOption => {
  const scheme = /^(wss?|ftp|file|unix|localhost):/i.exec(text.trim())?.[1]?.toLowerCase()
  const received =
    text.trim() === ""
      ? "is empty"
      : scheme === undefined
        ? "is not an http or https URL"
        : scheme === "localhost"
          ? "lacks http:// in front of localhost"
          : `has the scheme ${scheme}:, which is not supported`
  const issue = `${received}. It takes a URL such as https://host/path; what was given is not shown, because it may hold a key.`
  return new InvalidOption({ option, issue })
}

/** Words that stand in public paths; any other segment of six characters or more is taken for a key. */
const publicWords = new Set(
  [
    "amoy api arbitrum archive avalanche base binance bsc chiliz cronos devnet eth ethereum fantom gnosis holesky json jsonrpc linea",
    "mainnet moonbase moonbeam moonriver node optimism polygon public rest rpc sepolia testnet true verbose",
  ].flatMap((line) => line.split(" ")),
)

const mayBeKey = (text: string): boolean =>
  text.length >= 6 && !text.split(/[-_ ]/).every((word) => publicWords.has(word.toLowerCase()))

/** Headers that belong to the connection or follow from the body: the platform writes them, and refuses requests that do. */
const ownOfPlatform = new Set(
  "connection content-length expect keep-alive proxy-connection te trailer transfer-encoding upgrade".split(" "),
)

const headerFault = (name: string): string | undefined => {
  if (ownOfPlatform.has(name.toLowerCase())) return "cannot be given: the platform writes this header itself."
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name)
    ? undefined
    : "cannot be sent: the name of a header takes letters, digits and hyphens."
}

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

const decodePart = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const keyText = (key: Key): string => (typeof key === "string" ? key : Redacted.value(key))

const build = (options: Options): Result.Result<Endpoint, InvalidOption> => {
  const place = options.option ?? "url"
  const given = OptionCheck.text(place, "a URL such as https://host/path", options.url)
  if (Result.isFailure(given)) return Result.fail(given.failure)
  const text = given.success
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return Result.fail(unusable(place, text))
  }

  const secrets = new Set<string>()
  const headers: Record<string, string> = {}
  if (url.username !== "" || url.password !== "") {
    const user = decodePart(url.username)
    const password = decodePart(url.password)
    const credentials = base64(`${user}:${password}`)
    headers["authorization"] = `Basic ${credentials}`
    for (const secret of [user, password, credentials]) secrets.add(secret)
    url.username = ""
    url.password = ""
  }
  const record = OptionCheck.member("headers", "record", options.headers)
  if (Result.isFailure(record)) return Result.fail(record.failure)
  for (const [name, key] of Object.entries(options.headers ?? {})) {
    const option = `headers.${OptionCheck.shownName(name)}`
    const unfit = headerFault(name)
    if (unfit !== undefined) return Result.fail(new InvalidOption({ option, issue: unfit }))
    const read = OptionCheck.text(option, "text", key)
    if (Result.isFailure(read)) return Result.fail(read.failure)
    const value = read.success
    if (!/^[\x20-\x7e\x80-\xff]*$/.test(value)) {
      const issue = `cannot be sent: its value holds a line break or another character that headers do not allow.`
      return Result.fail(new InvalidOption({ option, issue }))
    }
    headers[name.toLowerCase()] = value
    secrets.add(value)
    for (const word of value.split(/\s+/)) if (word.length >= 8) secrets.add(word)
  }
  const base = url.pathname.split("/").filter((segment) => segment !== "")
  for (const segment of base) if (mayBeKey(segment)) secrets.add(segment)
  for (const value of url.searchParams.values()) if (mayBeKey(value)) secrets.add(value)
  for (const segment of options.path ?? []) if (typeof segment !== "string") secrets.add(Redacted.value(segment))
  const added = (options.path ?? []).map((segment) => encodeURIComponent(keyText(segment)))
  url.pathname = `/${[...base, ...added].join("/")}`
  url.hash = ""
  if (url.search !== "") secrets.add(url.search.slice(1))

  const scrub = scrubber(secrets)
  return Result.succeed({ host: url.host, url: Redacted.make(url.href), headers: Redacted.make(headers), scrub })
}

/**
 * Makes an endpoint from a URL and its credentials.
 *
 * **Errors**
 * - `InvalidOption`: the URL is not an http or https URL, or a header cannot be sent. The message never shows the text given.
 */
export const make = (options: Options): Effect.Effect<Endpoint, InvalidOption> =>
  Effect.suspend(() => Effect.fromResult(build(options)))

/**
 * Makes an endpoint, or throws the `InvalidOption` that `make` fails with. For callers outside Effect.
 */
export const makeUnsafe = (options: Options): Endpoint => Result.getOrThrow(build(options))

/**
 * The whole URL of one request: the endpoint's, the path below it and the query, the endpoint's own query first.
 */
export const resolve = (endpoint: Endpoint, target: Target = {}): Redacted.Redacted<string> => {
  if ((target.path ?? "") === "" && target.query === undefined) return endpoint.url
  const url = new URL(Redacted.value(endpoint.url))
  if (target.path !== undefined && target.path !== "") {
    url.pathname = `${url.pathname.replace(/\/+$/, "")}/${target.path.replace(/^\/+/, "")}`
  }
  for (const [name, value] of Object.entries(target.query ?? {}))
    if (value !== undefined) url.searchParams.append(name, value)
  return fromKey(url.href)
}

/**
 * Text that is equal for endpoints with the same URL and credentials. It holds them: keep it to yourself.
 */
export const identity = (endpoint: Endpoint): Redacted.Redacted<string> =>
  Redacted.make(`${Redacted.value(endpoint.url)} ${JSON.stringify(Redacted.value(endpoint.headers))}`)
