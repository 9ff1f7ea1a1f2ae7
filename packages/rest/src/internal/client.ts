/** The REST client itself, without the service and the configuration around it, so that the Promise face carries neither. */
import type { WalletPage } from "@daybook/schema/WalletPage"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import { InvalidOption } from "@daybook/transport/ClientError"
import * as Endpoint from "@daybook/transport/Endpoint"
import * as RequestExecutor from "@daybook/transport/RequestExecutor"
import * as OptionCheck from "@daybook/transport/internal/OptionCheck"
import * as Retry from "@daybook/transport/internal/Retry"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { CallOptions, Client, Options, RowsReverted, StreamOptions, WalkPage, WalletResponse } from "../Client.ts"
import * as Query from "../Query.ts"
import { BadRequest, type RestError } from "../RestError.ts"
import * as Pages from "./pages.ts"
import * as Reply from "./reply.ts"

const apiPath = "/api/v2.2"

/** The base URL without the path of the operation, which is easily copied along. */
const baseOf = (url: string): Redacted.Redacted<string> => Redacted.make(url.replace(/\/api\/v2\.2\/?(?=$|[?#])/, ""))

const endpointOf = Effect.fnUntraced(function* (
  options: Partial<Options>,
): Effect.fn.Return<Endpoint.Endpoint, InvalidOption> {
  const expectedUrl = "the URL before /api/v2.2, such as https://host"
  const baseUrl = yield* Effect.fromResult(OptionCheck.baseUrl("baseUrl", expectedUrl, options.baseUrl))
  const expected = "the API key of the server"
  const apiKey = (yield* Effect.fromResult(OptionCheck.text("apiKey", expected, options.apiKey))).trim()
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    const received =
      apiKey === "" ? "an empty string" : "a text with a space or another character that headers do not allow"
    return yield* Effect.fail(new InvalidOption({ option: "apiKey", expected, received }))
  }
  return yield* Endpoint.make({
    url: baseOf(baseUrl),
    option: "baseUrl",
    headers: { ...options.headers, "X-API-Key": Redacted.make(apiKey) },
  })
})

const scrubbed = (headers: Readonly<Record<string, string>>, scrub: (text: string) => string) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, scrub(value)]))

const userAgentOf = (given: string | undefined): Result.Result<string | undefined, InvalidOption> => {
  if (given !== undefined && !/^[\x20-\x7e]*$/.test(given)) {
    const expected = "printable ASCII characters on one line"
    return Result.fail(new InvalidOption({ option: "userAgent", expected, received: "another character" }))
  }
  // A browser names itself, and would ask the server for permission to be named otherwise.
  const isBrowser = globalThis.navigator?.userAgent?.startsWith("Mozilla/") ?? false
  return Result.succeed(given === "" ? undefined : (given ?? (isBrowser ? undefined : "daybook-rest")))
}

const optionKinds = {
  baseUrl: "any",
  apiKey: "any",
  timeout: "duration",
  retry: "any",
  maxBytes: "count",
  fetch: "function",
  headers: "record",
  userAgent: "text",
  onEvent: "function",
} as const satisfies Readonly<Record<keyof Options, OptionCheck.Kind>>

const { deadline: _deadline, ...retryKinds } = Retry.optionKinds

const callKinds = { timeout: "duration", onBadRow: "function" } as const satisfies Readonly<
  Record<keyof CallOptions, OptionCheck.Kind>
>

const streamKinds = {
  ...callKinds,
  maxRows: "count",
  prefetch: "boolean",
  resume: "text",
  onStaleCursor: "any",
  onProgress: "function",
} as const satisfies Readonly<Record<keyof StreamOptions, OptionCheck.Kind>>

type Kinds = Readonly<Record<string, OptionCheck.Kind>>

/** The client, and the walk under its streams for the Promise face. */
export interface Made {
  readonly client: Client
  readonly steps: (query: Query.Query, options?: StreamOptions) => Stream.Stream<Pages.Step, RestError>
}

/** `more` are the options of calls that a face adds. */
export const make = Effect.fnUntraced(function* (
  given: Options | undefined,
  more: Kinds = {},
): Effect.fn.Return<Made, InvalidOption> {
  yield* Effect.fromResult(OptionCheck.members(given, optionKinds))
  const options: Partial<Options> = given ?? {}
  yield* Effect.fromResult(OptionCheck.members(options.retry, retryKinds, "retry"))
  const endpoint = yield* endpointOf(options)
  const { host } = endpoint
  const { timeout } = options
  const userAgent = yield* Effect.fromResult(userAgentOf(options.userAgent))
  const requestHeaders = { accept: "application/json", ...(userAgent === undefined ? {} : { "user-agent": userAgent }) }
  const executor = yield* RequestExecutor.make({
    policy: { ...options.retry, deadline: timeout },
    maxBytes: options.maxBytes,
    fetch: options.fetch,
    onEvent: options.onEvent,
  })

  const written = (query: Query.Query): Effect.Effect<Query.Written, BadRequest> =>
    Effect.suspend(() =>
      Effect.fromResult(
        Result.mapError(Query.write(query), (issue) => new BadRequest({ host, what: "parameter", issue })),
      ),
    )

  const ask = (query: Query.Written, call: CallOptions = {}): Effect.Effect<WalletResponse, RestError> =>
    executor.request<WalletResponse, Reply.ReplyError, never>(
      {
        endpoint,
        path: `${apiPath}/${query.address}/verbose`,
        query: query.parameters,
        headers: requestHeaders,
        timeout: call.timeout,
      },
      (reply) =>
        Effect.fromResult(
          Result.map(Reply.decode(reply, call.onBadRow !== undefined), ({ badRows, page }) => ({
            page,
            badRows,
            indexCoverage: Reply.indexCoverage(reply.headers),
            headers: scrubbed(reply.headers, reply.scrub),
            requestId: reply.requestId,
            attempts: reply.attempts,
          })),
        ),
    )

  /** One call in its span, which ends without a value: a tracer that keeps exits would keep whole pages alive. */
  const traced = (query: Query.Written, call?: CallOptions): Effect.Effect<WalletResponse, RestError> =>
    Effect.suspend(() => {
      let kept: WalletResponse | undefined
      const { chain, cursor, limit, order } = query.parameters
      const asked = ask(query, call).pipe(
        Effect.tap(({ badRows, page }) => {
          for (const bad of badRows) call?.onBadRow?.(bad)
          return Effect.annotateCurrentSpan("daybook.rows", page.result.length)
        }),
        Effect.map((response) => void (kept = response)),
        Effect.withSpan("RestClient.walletTransactions", {
          kind: "client",
          attributes: {
            "server.address": host,
            ...(chain === undefined ? {} : { "daybook.chain": chain }),
            ...(order === undefined ? {} : { "daybook.order": order }),
            ...(limit === undefined ? {} : { "daybook.limit": limit }),
            "daybook.has_cursor": cursor !== undefined,
          },
        }),
      )
      // Sound: a call that succeeds has kept its response.
      return Effect.map(asked, () => kept as WalletResponse)
    })

  /** The options of a call as far as they fit; nothing at all counts as none. */
  const checked = <A extends object>(call: A | null | undefined, kinds: Kinds): Effect.Effect<Partial<A>, BadRequest> =>
    Effect.suspend(() => {
      const fits = OptionCheck.members(call, { ...kinds, ...more })
      if (Result.isSuccess(fits)) return Effect.succeed(call ?? {})
      const { expected, option, received } = fits.failure
      return Effect.fail(new BadRequest({ host, what: "option", issue: { path: option, expected, received } }))
    })

  const withResponse = (query: Query.Query, call?: CallOptions): Effect.Effect<WalletResponse, RestError> =>
    Effect.flatMap(checked(call, callKinds), (own) => Effect.flatMap(written(query), (asked) => traced(asked, own)))

  const steps = (query: Query.Query, options?: StreamOptions) =>
    Stream.unwrap(
      Effect.map(checked(options, streamKinds), (own) => Pages.steps({ host, written, ask: traced }, query, own)),
    )

  const rowsStream = (
    query: Query.Query,
    options?: StreamOptions,
  ): Stream.Stream<WalletTransaction | RowsReverted, RestError> =>
    Stream.flatMap(steps(query, options), (step): Stream.Stream<WalletTransaction | RowsReverted> =>
      Pages.isVoid(step) ? Stream.succeed(step) : Stream.fromArray(step.page.page.result),
    )

  const pagesStream = (
    query: Query.Query,
    options?: StreamOptions,
  ): Stream.Stream<WalkPage | RowsReverted, RestError> =>
    Stream.map(steps(query, options), (step) => (Pages.isVoid(step) ? step : step.page))

  return {
    steps,
    client: {
      walletTransactions: (query, call) => Effect.map(withResponse(query, call), ({ page }): WalletPage => page),
      walletTransactionsWithResponse: withResponse,
      // Sound: a stream that does not restart has no marker in it.
      walletTransactionsStream: rowsStream as Client["walletTransactionsStream"],
      walletPagesStream: pagesStream as Client["walletPagesStream"],
    },
  }
})
