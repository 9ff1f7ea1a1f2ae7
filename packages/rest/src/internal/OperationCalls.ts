/** The calls of one operation: one value, or a page, a page with its response, and the source of its streams (`PageStream`). */
import * as RestOperation from "@daybook/schema/RestOperation"
import * as Endpoint from "@daybook/transport/Endpoint"
import * as OptionCheck from "@daybook/transport/internal/OptionCheck"
import type { RequestExecutor } from "@daybook/transport/RequestExecutor"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CallOptions, PageResponse, StreamOptions } from "../Client.ts"
import type { EncodedQuery, Operation, Page, SingleOperation } from "../Operation.ts"
import { BadRequest, type RestError } from "../RestError.ts"
import { callKinds, type Kinds, type Settings, streamKinds } from "./ClientOptions.ts"
import type * as PageStream from "./PageStream.ts"
import * as ReplyDecoder from "./ReplyDecoder.ts"

/** The calls of an operation that responds with one value. */
export interface SingleCalls<Query, A> {
  readonly value: (query: Query, options?: CallOptions) => Effect.Effect<A, RestError>
}

/** The calls of an operation that responds with pages. */
export interface OperationCalls<Query, Row, P extends Page<Row>> {
  readonly page: (query: Query, options?: CallOptions) => Effect.Effect<P, RestError>
  readonly withResponse: (query: Query, options?: CallOptions) => Effect.Effect<PageResponse<P>, RestError>
  readonly source: PageStream.Source<Query, Row, P>
}

/** What the calls of a client share. */
export interface Context {
  readonly settings: Settings
  readonly executor: RequestExecutor
  /** Options of calls that a style of the client adds. */
  readonly moreKinds: Kinds
}

/** The options of a call after the checks; null counts as none. */
const checkOptions = <A extends CallOptions>(
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
  const { chain, cursor, limit, order } = parameters
  return {
    ...attributes,
    ...(chain === undefined ? {} : { "daybook.chain": chain }),
    ...(order === undefined ? {} : { "daybook.order": order }),
    ...(limit === undefined ? {} : { "daybook.limit": limit }),
    "daybook.has_cursor": cursor !== undefined,
  }
}

/** How the calls of an operation are made. */
interface Requests<Query, P> {
  readonly encode: (query: Query) => Effect.Effect<EncodedQuery, BadRequest>
  readonly request: (query: EncodedQuery, options: CallOptions) => Effect.Effect<PageResponse<P>, RestError>
  /** Checks the options of a call, encodes its query and sends it. */
  readonly call: (query: Query, options?: CallOptions) => Effect.Effect<PageResponse<P>, RestError>
}

/** Sends queries and decodes their responses. */
const requests = <Query, P>(
  { executor, moreKinds, settings }: Context,
  { contract, encode: encodeQuery }: SingleOperation<Query, P>,
  decode: ReplyDecoder.Decode<P>,
  rowsOf: (page: P) => ReadonlyArray<unknown>,
): Requests<Query, P> => {
  const { endpoint, headers } = settings
  const { host } = endpoint

  const send = ({ body, parameters, params }: EncodedQuery, { headers: own, onBadRow, timeout }: CallOptions) =>
    executor.request<PageResponse<P>, ReplyDecoder.ReplyError, never>(
      {
        // Sound: the headers were checked with the options of the call.
        endpoint: own === undefined ? endpoint : Result.getOrThrow(Endpoint.withHeaders(endpoint, own)),
        path: RestOperation.formatPath(contract, params),
        method: contract.method,
        ...(body === undefined
          ? { query: parameters, headers, timeout }
          : { query: parameters, headers: { ...headers, "content-type": "application/json" }, timeout, body }),
      },
      (reply) =>
        Effect.fromResult(
          Result.map(decode(reply, onBadRow !== undefined), ({ badRows, page }) => ({
            page,
            badRows,
            indexCoverage: ReplyDecoder.indexCoverage(reply.headers),
            headers: scrubHeaders(reply.headers, reply.scrub),
            requestId: reply.requestId,
            attempts: reply.attempts,
          })),
        ),
    )

  const encode = (query: Query): Effect.Effect<EncodedQuery, BadRequest> =>
    Effect.suspend(() =>
      Effect.fromResult(
        Result.mapError(encodeQuery(query), (issue) => new BadRequest({ host, what: "parameter", issue })),
      ),
    )

  /** One call in its span, which ends without a value: a tracer that keeps exits would keep whole pages alive. */
  const request = (query: EncodedQuery, options: CallOptions): Effect.Effect<PageResponse<P>, RestError> =>
    Effect.suspend(() => {
      let kept: PageResponse<P> | undefined
      const traced = send(query, options).pipe(
        Effect.tap(({ badRows, page }) => {
          for (const row of badRows) options.onBadRow?.(row)
          return Effect.annotateCurrentSpan("daybook.rows", rowsOf(page).length)
        }),
        Effect.map((response) => void (kept = response)),
        Effect.tapError(({ _tag }) => Effect.annotateCurrentSpan("error.type", _tag)),
        Effect.withSpan(`RestClient.${contract.name}`, { kind: "client", attributes: spanAttributes(endpoint, query) }),
      )
      // Sound: a call that succeeds has kept its response.
      return Effect.map(traced, () => kept as PageResponse<P>)
    })

  const call = (query: Query, options?: CallOptions): Effect.Effect<PageResponse<P>, RestError> =>
    Effect.flatMap(checkOptions(endpoint, options, { ...callKinds, ...moreKinds }), (checked) =>
      Effect.flatMap(encode(query), (encoded) => request(encoded, checked)),
    )

  return { encode, request, call }
}

/** Makes the calls of an operation that responds with one value, in which `rowsOf` finds the rows. */
export const single = <Query, A>(
  context: Context,
  operation: SingleOperation<Query, A>,
  rowsOf: (value: A) => ReadonlyArray<unknown>,
): SingleCalls<Query, A> => {
  const { call } = requests(context, operation, ReplyDecoder.single(operation), rowsOf)
  return { value: (query, options) => Effect.map(call(query, options), ({ page }) => page) }
}

/** Makes the calls of an operation that responds with pages. */
export const make = <Query, Row, P extends Page<Row>>(
  context: Context,
  operation: Operation<Query, Row, P>,
): OperationCalls<Query, Row, P> => {
  const { endpoint } = context.settings
  const { host } = endpoint
  const { call, encode, request } = requests(
    context,
    operation,
    ReplyDecoder.make(operation),
    ({ result }: P) => result,
  )

  return {
    page: (query, options) => Effect.map(call(query, options), ({ page }) => page),
    withResponse: call,
    source: {
      host,
      operation,
      encode,
      request,
      checkOptions: (options) =>
        checkOptions<StreamOptions>(endpoint, options, { ...streamKinds, ...context.moreKinds }),
    },
  }
}
