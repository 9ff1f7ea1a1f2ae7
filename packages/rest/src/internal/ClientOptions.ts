/** Checks the options of a client and of its calls, and makes its endpoint. */
import { InvalidOption } from "@daybook/transport/ClientError"
import * as Endpoint from "@daybook/transport/Endpoint"
import * as OptionCheck from "@daybook/transport/internal/OptionCheck"
import * as Retry from "@daybook/transport/internal/Retry"
import * as UserAgent from "@daybook/transport/internal/UserAgent"
import * as Redacted from "effect/Redacted"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CallOptions, Options, ProofOptions, StreamOptions } from "../Client.ts"

export type Kinds = Readonly<Record<string, OptionCheck.Kind>>

const optionKinds = {
  baseUrl: "any",
  apiKey: "any",
  timeout: "duration",
  retry: "any",
  maxBytes: "count",
  fetch: "function",
  headers: "record",
  userAgent: "headerText",
  onEvent: "function",
  rateLimit: "any",
} as const satisfies Readonly<Record<keyof Options, OptionCheck.Kind>>

const { deadline: _deadline, ...retryKinds } = Retry.optionKinds

export const callKinds = { timeout: "duration", headers: "record", onBadRow: "function" } as const satisfies Readonly<
  Record<keyof CallOptions, OptionCheck.Kind>
>

export const proofKinds = { ...callKinds, onProgress: "function" } as const satisfies Readonly<
  Record<keyof ProofOptions, OptionCheck.Kind>
>

export const conditionalKinds = { ...callKinds, ifNoneMatch: "headerText" } as const

export const streamKinds = {
  ...callKinds,
  maxRows: "count",
  prefetch: "boolean",
  resume: "text",
  follow: "duration",
  from: "any",
  onStaleCursor: "any",
  onProgress: "function",
} as const satisfies Readonly<Record<keyof StreamOptions, OptionCheck.Kind>>

const expectedUrl = "the URL before /api/v2.2, such as https://host"
const expectedKey = "the API key of the server"

/** Removes the API path, which is often copied along with the base URL. */
const withoutApiPath = (url: string): Redacted.Redacted<string> =>
  Redacted.make(url.replace(/\/api\/v2\.2\/?(?=$|[?#])/, ""))

const readApiKey = (given: unknown): Result.Result<string, InvalidOption> =>
  Result.flatMap(OptionCheck.text("apiKey", expectedKey, given), (text) => {
    const apiKey = text.trim()
    if (/^[\x21-\x7e]+$/.test(apiKey)) return Result.succeed(apiKey)
    const received = apiKey === "" ? "an empty string" : "text that headers do not allow"
    return Result.fail(new InvalidOption({ option: "apiKey", expected: expectedKey, received }))
  })

/** Options after the checks. */
export interface Settings {
  readonly options: Partial<Options>
  readonly endpoint: Endpoint.Endpoint
  /** Headers of each request, without keys. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Checks the options of a client.
 *
 * **Errors**
 *
 * - `InvalidOption`: an option is invalid. The message never shows a URL or a key.
 */
export const read = Effect.fnUntraced(function* (
  given: Options | undefined,
): Effect.fn.Return<Settings, InvalidOption> {
  yield* Effect.fromResult(OptionCheck.members(given, optionKinds))
  const options: Partial<Options> = given ?? {}
  yield* Effect.fromResult(OptionCheck.members(options.retry, retryKinds, "retry"))
  const baseUrl = yield* Effect.fromResult(OptionCheck.baseUrl("baseUrl", expectedUrl, options.baseUrl))
  const apiKey = yield* Effect.fromResult(readApiKey(options.apiKey))
  const endpoint = yield* Endpoint.make({
    url: withoutApiPath(baseUrl),
    option: "baseUrl",
    headers: { ...options.headers, "X-API-Key": Redacted.make(apiKey) },
  })
  const headers = { accept: "application/json", ...UserAgent.headers(options.userAgent, "daybook-rest") }
  return { options, endpoint, headers }
})
