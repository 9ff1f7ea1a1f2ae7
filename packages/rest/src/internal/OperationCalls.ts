/** The calls of one operation: a single value, or a page, a page with its response, and the source of its streams (`PageStream`). */
import * as RestOperation from "@daybook/schema/RestOperation"
import * as Endpoint from "@daybook/transport/Endpoint"
import * as OptionCheck from "@daybook/transport/internal/OptionCheck"
import type { RequestExecutor } from "@daybook/transport/RequestExecutor"
import type { RetryPolicy } from "@daybook/transport/RetryPolicy"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CallOptions, ConditionalOptions, NotModified, PageResponse, StreamOptions } from "../Client.ts"
import type { EncodedQuery, Operation, Page, SingleOperation } from "../Operation.ts"
import { BadRequest, type RestError } from "../RestError.ts"
import { callKinds, conditionalKinds, type Kinds, type Settings, streamKinds } from "./ClientOptions.ts"
import type * as PageStream from "./PageStream.ts"
import * as ReplyDecoder from "./ReplyDecoder.ts"

/** The calls of an operation that responds with one value. */
export interface SingleCalls<Query, A> {
  readonly value: (query: Query, options?: CallOptions) => Effect.Effect<A, RestError>
  readonly response: (query: Query, options?: CallOptions) => Effect.Effect<PageResponse<A>, RestError>
}

/** Options of a call that may have a tag. */
export interface WithTag extends CallOptions, Partial<Pick<ConditionalOptions, "ifNoneMatch">> {}

/** The calls of an operation that responds with pages. */
export interface OperationCalls<Query, Row, P extends Page<Row>> {
  readonly page: (query: Query, options?: CallOptions) => Effect.Effect<P, RestError>
  readonly response: (query: Query, options?: CallOptions) => Effect.Effect<PageResponse<P>, RestError>
  /** `NotModified` only with a tag. */
  readonly withResponse: (query: Query, options?: WithTag) => Effect.Effect<PageResponse<P> | NotModified, RestError>
  readonly source: PageStream.Source<Query, Row, P>
}

/** What the calls of a client share. */
export interface Context {
  readonly settings: Settings
  readonly executor: RequestExecutor
  readonly policy: RetryPolicy
  /** Call options added by a client style. */
  readonly moreKinds: Kinds
}

/** Checks the options of a call; null counts as none. */
export const checkOptions = <A extends CallOptions>(
  endpoint: Endpoint.Endpoint,
  options: A | null | undefined,
  kinds: Kinds,
): Effect.Effect<Partial<A>, BadRequest> =>
  Effect.suspend(() => {
    const checked = Result.flatMap(OptionCheck.members(options, kinds), () =>
      Endpoint.withHeaders(endpoint, options?.headers),
    )
    if (Result.isSuccess(checked)) return Effect.succeed(options ?? {})
    const { expected, option, received } = checked.failure
    return Effect.fail(
      new BadRequest({ host: endpoint.host, what: "option", issue: { path: option, expected, received } }),
    )
  })

const scrubHeaders = (headers: Readonly<Record<string, string>>, scrub: (text: string) => string) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, scrub(value)]))

const spanAttributes = ({ attributes }: Endpoint.Endpoint, { parameters }: EncodedQuery): Record<string, unknown> => {
  const shown = ["chain", "order", "limit"].filter((name) => parameters[name] !== undefined)
  return {
    ...attributes,
    ...Object.fromEntries(shown.map((name) => [`daybook.${name}`, parameters[name]])),
    "daybook.has_cursor": parameters["cursor"] !== undefined,
  }
}

const tagged = (headers: Readonly<Record<string, string>>, tag: string | undefined) =>
  tag === undefined ? headers : { ...headers, "if-none-match": tag }

/** How the calls of an operation are made. */
interface Requests<Query, P> {
  readonly encode: (query: Query) => Effect.Effect<EncodedQuery, BadRequest>
  readonly request: (query: EncodedQuery, options: CallOptions) => Effect.Effect<PageResponse<P>, RestError>
  /** Checks the options of a call, encodes its query and sends it. */
  readonly call: (query: Query, options?: CallOptions) => Effect.Effect<PageResponse<P>, RestError>
  readonly conditional: (query: Query, options?: WithTag) => Effect.Effect<PageResponse<P> | NotModified, RestError>
}

/** Endpoint of a call with the call's own headers, which were checked together with its options. */
export const endpointOf = (endpoint: Endpoint.Endpoint, { headers }: CallOptions): Endpoint.Endpoint =>
  headers === undefined ? endpoint : Result.getOrThrow(Endpoint.withHeaders(endpoint, headers))

/** Encodes a query; its issue becomes the error of a parameter. */
export const encoding =
  <Query>(host: string, encode: SingleOperation<Query, unknown>["encode"]) =>
  (query: Query): Effect.Effect<EncodedQuery, BadRequest> =>
    Effect.suspend(() =>
      Effect.fromResult(Result.mapError(encode(query), (issue) => new BadRequest({ host, what: "parameter", issue }))),
    )

/** Sends queries and decodes their responses. */
const requests = <Query, P>(
  { executor, moreKinds, settings }: Context,
  { contract, encode: encodeQuery }: SingleOperation<Query, P>,
  decode: ReplyDecoder.Decode<P>,
  rowsOf: (page: P) => ReadonlyArray<unknown>,
): Requests<Query, P> => {
  const { endpoint, headers } = settings
  const { host } = endpoint

  const send = (
    { body, parameters, params }: EncodedQuery,
    { headers: own, ifNoneMatch, onBadRow, timeout }: WithTag,
  ) =>
    executor.request<PageResponse<P> | NotModified, ReplyDecoder.ReplyError, never>(
      {
        endpoint: endpointOf(endpoint, { headers: own }),
        path: RestOperation.formatPath(contract, params),
        method: contract.method,
        ...(body === undefined
          ? { query: parameters, headers: tagged(headers, ifNoneMatch), timeout }
          : { query: parameters, headers: { ...headers, "content-type": "application/json" }, timeout, body }),
      },
      (reply) => {
        const facts = {
          indexCoverage: ReplyDecoder.indexCoverage(reply.headers),
          headers: scrubHeaders(reply.headers, reply.scrub),
          requestId: reply.requestId,
          attempts: reply.attempts,
        }
        if (reply.status === 304 && ifNoneMatch !== undefined) return Effect.succeed({ notModified: true, ...facts })
        return Effect.fromResult(
          Result.map(decode(reply, onBadRow !== undefined, parameters), ({ badRows, page }) => ({
            page,
            badRows,
            ...facts,
          })),
        )
      },
    )

  const encode = encoding(host, encodeQuery)

  /** Runs one call in its span, which ends without a value: a tracer that keeps exits would retain whole pages. */
  const trace = (query: EncodedQuery, options: WithTag): Effect.Effect<PageResponse<P> | NotModified, RestError> =>
    Effect.suspend(() => {
      let kept: PageResponse<P> | NotModified | undefined
      const traced = send(query, options).pipe(
        Effect.tap((response) => {
          if (response.notModified === true) return Effect.annotateCurrentSpan("daybook.rows", 0)
          for (const row of response.badRows) options.onBadRow?.(row)
          return Effect.annotateCurrentSpan("daybook.rows", rowsOf(response.page).length)
        }),
        Effect.map((response) => void (kept = response)),
        Effect.tapError(({ _tag }) => Effect.annotateCurrentSpan("error.type", _tag)),
        Effect.withSpan(`RestClient.${contract.name}`, { kind: "client", attributes: spanAttributes(endpoint, query) }),
      )
      // Sound: a successful call has kept its response.
      return Effect.map(traced, () => kept as PageResponse<P> | NotModified)
    })

  // Sound: only a request with a tag can be answered without a page.
  const request = trace as Requests<Query, P>["request"]

  const calling = (kinds: Kinds) => (query: Query, options?: WithTag) =>
    Effect.flatMap(checkOptions(endpoint, options, { ...kinds, ...moreKinds }), (checked) =>
      Effect.flatMap(encode(query), (encoded) => trace(encoded, checked)),
    )

  return {
    encode,
    request,
    // Sound: as for `request`.
    call: calling(callKinds) as Requests<Query, P>["call"],
    conditional: calling(conditionalKinds),
  }
}

/** Makes the calls of an operation that responds with one value. `rowsOf` finds its rows. */
export const single = <Query, A>(
  context: Context,
  operation: SingleOperation<Query, A>,
  rowsOf: (value: A) => ReadonlyArray<unknown>,
): SingleCalls<Query, A> => {
  const { call } = requests(context, operation, ReplyDecoder.single(operation), rowsOf)
  return { value: (query, options) => Effect.map(call(query, options), ({ page }) => page), response: call }
}

/** Makes the calls of an operation that responds with pages. */
export const make = <Query, Row, P extends Page<Row>>(
  context: Context,
  operation: Operation<Query, Row, P>,
  changes: PageStream.Source<Query, Row, P>["changes"],
): OperationCalls<Query, Row, P> => {
  const { endpoint } = context.settings
  const { host } = endpoint
  const { call, conditional, encode, request } = requests(
    context,
    operation,
    ReplyDecoder.make(operation),
    ({ result }: P) => result,
  )

  return {
    page: (query, options) => Effect.map(call(query, options), ({ page }) => page),
    response: call,
    withResponse: conditional,
    source: {
      host,
      operation,
      policy: context.policy,
      encode,
      request,
      checkOptions: (options) =>
        checkOptions<StreamOptions>(endpoint, options, { ...streamKinds, ...context.moreKinds }),
      changes: (query, options) => {
        const events = operation.events?.(query)
        return events && changes(events, options)
      },
    },
  }
}
