/** The REST client itself, without the service and the configuration around it, so that the Promise face carries neither. */
import type { WalletPage } from "@daybook/schema/WalletPage"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import { InvalidOption, InvalidResponse } from "@daybook/transport/ClientError"
import * as Endpoint from "@daybook/transport/Endpoint"
import * as Exchange from "@daybook/transport/Exchange"
import type { Key } from "@daybook/transport/Redaction"
import * as RetryPolicy from "@daybook/transport/RetryPolicy"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { CallOptions, Client, Options, WalletResponse } from "../Client.ts"
import * as Query from "../Query.ts"
import { BadRequest, OutOfOrder, type RestError } from "../RestError.ts"
import * as Reply from "./reply.ts"
import * as Walk from "./walk.ts"

const apiPath = "/api/v2.2"

const keyText = (key: Key): string => (typeof key === "string" ? key : Redacted.value(key))

/** The base URL without the path of the operation, which is easily copied along. */
const baseOf = (url: Key): Key => Redacted.make(keyText(url).replace(/\/api\/v2\.2\/?(?=$|[?#])/, ""))

const endpointOf = (options: Options): Effect.Effect<Endpoint.Endpoint, InvalidOption> => {
  const apiKey = keyText(options.apiKey).trim()
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    const came = apiKey === "" ? "is empty" : "holds a space or a character that headers do not allow"
    const problem = `${came}. It takes the key as whoever runs the server gave it; what was given is not shown.`
    return Effect.fail(new InvalidOption({ option: "apiKey", problem }))
  }
  return Endpoint.make({
    url: baseOf(options.baseUrl),
    option: "baseUrl",
    headers: { ...options.headers, "X-API-Key": Redacted.make(apiKey) },
  })
}

const scrubbed = (headers: Readonly<Record<string, string>>, scrub: (text: string) => string) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, scrub(value)]))

interface Step {
  readonly cursor: string | undefined
  /** Fails the walk after the rows that came before the fault were given. */
  readonly fault?: RestError
}

const faultError = (fault: Walk.WalkFault, walk: Walk.Walk, host: string, response: WalletResponse): RestError => {
  const facts = { host, requestId: response.requestId, attempts: response.attempts }
  return fault._tag === "OutOfOrder"
    ? new OutOfOrder({ ...facts, ...fault, order: walk.order })
    : new InvalidResponse({ ...facts, ...fault, reason: "content", status: 200 })
}

export const make = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Client, InvalidOption> {
  const endpoint = yield* endpointOf(options)
  const { host } = endpoint
  const { timeout } = options
  // Checked under its own name, before it becomes the deadline of the policy.
  if (timeout !== undefined) yield* Effect.fromResult(RetryPolicy.withDeadline(RetryPolicy.makeUnsafe(), timeout))
  const exchange = yield* Exchange.make({
    policy: { ...options.retry, deadline: timeout },
    maxBytes: options.maxBytes,
    fetch: options.fetch,
  })

  const written = (query: Query.Query): Effect.Effect<Query.Written, BadRequest> =>
    Effect.suspend(() =>
      Effect.fromResult(Result.mapError(Query.write(query), (problem) => new BadRequest({ host, ...problem }))),
    )

  const ask = (query: Query.Written, call: CallOptions = {}): Effect.Effect<WalletResponse, RestError> =>
    exchange.request<WalletResponse, Reply.ReplyError, never>(
      {
        endpoint,
        path: `${apiPath}/${query.address}/verbose`,
        query: query.parameters,
        headers: { accept: "application/json" },
        timeout: call.timeout,
      },
      (reply) =>
        Effect.fromResult(
          Result.map(Reply.decode(reply), (page) => ({
            page,
            completeness: Reply.completeness(reply.headers),
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
        Effect.tap((response) => Effect.annotateCurrentSpan("daybook.rows", response.page.result.length)),
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

  const withResponse = (query: Query.Query, call?: CallOptions): Effect.Effect<WalletResponse, RestError> =>
    Effect.flatMap(written(query), (checked) => traced(checked, call))

  const walkPages = <A>(
    query: Query.Query,
    call: CallOptions | undefined,
    pick: (response: WalletResponse, rows: ReadonlyArray<WalletTransaction>) => ReadonlyArray<A>,
  ): Stream.Stream<A, RestError> =>
    Stream.unwrap(
      Effect.map(written(query), ({ address, parameters }) => {
        const order = parameters.order ?? "DESC"
        // A first page is asked in the order that will be held against it; a cursor brings its own.
        const asked = parameters.cursor === undefined ? { ...parameters, order } : parameters
        const walk = Walk.make(order, parameters.cursor)
        const first: Step = { cursor: parameters.cursor }
        return Stream.paginate(first, ({ cursor, fault }) =>
          fault !== undefined
            ? Effect.fail(fault)
            : Effect.map(
                traced({ address, parameters: cursor === undefined ? asked : { ...asked, cursor } }, call),
                (response): readonly [ReadonlyArray<A>, Option.Option<Step>] => {
                  const { next, rows } = Walk.take(walk, response.page)
                  const values = pick(response, rows)
                  if (next._tag === "End") return [values, Option.none()]
                  if (next._tag === "Cursor") return [values, Option.some({ cursor: next.cursor })]
                  return [values, Option.some({ cursor, fault: faultError(next, walk, host, response) })]
                },
              ),
        )
      }),
    )

  return {
    walletTransactions: (query, call) => Effect.map(withResponse(query, call), ({ page }): WalletPage => page),
    walletTransactionsWithResponse: withResponse,
    walletTransactionsStream: (query, call) => walkPages(query, call, (_response, rows) => rows),
    walletPagesStream: (query, call) =>
      walkPages(query, call, (response, rows) => [
        rows.length === response.page.result.length
          ? response
          : { ...response, page: Object.assign({}, response.page, { result: rows }) },
      ]),
  }
})
