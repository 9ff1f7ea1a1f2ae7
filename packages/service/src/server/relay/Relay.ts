/**
 * The relay: `POST /rpc/<chain>/<apiKey>`. Forwards the methods of the contract, one call or several, to the chain's nodes.
 * The result's text goes through as the node wrote it; the envelope is ours.
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3, docs/interface.md#5; decisions 0016 to 0018.
 */
import * as JsonRpc from "@daybook/schema/JsonRpc"
import { describe, quote } from "@daybook/schema/Issue"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { Config } from "../../config/Config.ts"
import type { ServedChain } from "../../config/ServedChain.ts"
import type { KeyGrant } from "../../store/ApiKeys.ts"
import * as Authentication from "../Authentication.ts"
import * as Response from "../Response.ts"
import * as Chains from "../../config/ChainRegistry.ts"
import * as JsonRpcEnvelope from "./JsonRpcEnvelope.ts"
import { type Request, segmentText } from "../Request.ts"
import type { Headers } from "../ErrorResponse.ts"
import type { CachedChain, RelayCache, ResultText } from "./RelayCache.ts"

/** A chain, what is indexed of it, and the way to its nodes. */
export interface RelayedChain extends ServedChain, Pick<CachedChain, "reader" | "upstream"> {}

/** What the relay works with. */
export interface Options {
  readonly config: Pick<Config, "rateLimit">
  readonly chains: ReadonlyArray<RelayedChain>
  readonly authentication: Authentication.Authentication
  readonly cache: RelayCache
}

/** Bytes of a body at most. */
export const maxBodyBytes = 1024 * 1024

/** Calls of a batch that are forwarded at the same time. */
const concurrency = 8

/** Codes of refusals that the standard does not name: EIP-1474 or EIP-1193 where they have one, else of the range left to servers. */
const code = { unauthorized: 4100, limitExceeded: -32005, unavailable: -32002 } as const

/** A request that is answered with an HTTP status other than 200. */
const refuse = (
  request: Request,
  status: number,
  failure: { readonly code: number; readonly message: string },
  reason: string,
  options: { readonly id?: string | undefined; readonly headers?: Headers } = {},
): HttpServerResponse =>
  Response.json(JsonRpcEnvelope.failure(options.id, { ...failure, data: { code: reason, requestId: request.id } }), {
    status,
    headers: options.headers ?? {},
  })

const format = SchemaIssue.makeFormatterStandardSchemaV1()
type Decode = (params: ReadonlyArray<unknown>) => Result.Result<unknown, Schema.SchemaError>
const decoderOf = (params: Schema.Codec<ReadonlyArray<unknown>, unknown>): Decode => Schema.decodeUnknownResult(params)
const decoders = new Map(Object.values(RpcMethod.all).map(({ name, params }) => [name as string, decoderOf(params)]))

/** What is wrong with the parameters of a method; undefined when they fit. */
const paramsProblem = (name: RpcMethod.Name, params: ReadonlyArray<unknown>): string | undefined => {
  const decoded = decoders.get(name)?.(params)
  if (decoded === undefined || Result.isSuccess(decoded)) return undefined
  const [first] = format(decoded.failure.issue).issues
  const at = first?.path?.[0]
  const position = typeof at === "object" ? at.key : at
  const where = position === undefined ? "params" : `params[${String(position)}]`
  const value = position === undefined ? undefined : params[Number(position)]
  const received = value === undefined ? "missing" : typeof value === "string" ? quote(value) : describe(value)
  if (first === undefined || Number(position) >= params.length) {
    return `${where} of ${name} is missing.`
  }
  return /excess|unexpected/i.test(first.message)
    ? `${where} of ${name} is one too many; accepted: ${String(position)} of them.`
    : `${where} of ${name} is ${received}; accepted: ${first.message.replace(/^Expected /, "").replace(/, (?:got|actual) .*$/s, "")}.`
}

const isExposed = (name: RpcMethod.Name, grant: KeyGrant): boolean =>
  RpcMethod.all[name].exposure === "public" || grant.operator

/** How a call ended, before it is written. */
type Outcome =
  | { readonly _tag: "Result"; readonly text: ResultText }
  | { readonly _tag: "Failed"; readonly failure: JsonRpcEnvelope.Failure }
  | { readonly _tag: "Down"; readonly failure: JsonRpcEnvelope.Failure; readonly retryAfterSeconds: number }

const failed = (failure: JsonRpcEnvelope.Failure): Outcome => ({ _tag: "Failed", failure })

const perform = Effect.fnUntraced(
  function* (
    cache: RelayCache,
    item: JsonRpcEnvelope.Item,
    chain: RelayedChain,
    grant: KeyGrant,
  ): Effect.fn.Return<Outcome> {
    if (item._tag === "Wrong") return failed(item.failure)
    const { method, params } = item
    if (!RpcMethod.isName(method) || !isExposed(method, grant)) {
      const message = RpcMethod.isName(method)
        ? `${quote(method)} is not open to this key; a key made with --operator may call it.`
        : `${quote(method)} is not a method of this service; the README of @daybook/service lists them.`
      return failed({ code: JsonRpc.code.methodNotFound, message })
    }
    yield* Effect.annotateCurrentSpan({ "rpc.method": method, "daybook.chain": chain.name })
    const issue = paramsProblem(method, params)
    if (issue !== undefined) return failed({ code: JsonRpc.code.invalidParams, message: issue })
    if (item.id === undefined) return { _tag: "Result", text: "null" }
    return yield* cache.call(chain, method, params).pipe(
      Effect.match({
        onSuccess: (text): Outcome => ({ _tag: "Result", text }),
        onFailure: (error): Outcome =>
          error._tag === "RpcError"
            ? failed({ code: error.code, message: error.message, data: error.data })
            : {
                _tag: "Down",
                failure: { code: code.unavailable, message: error.message },
                retryAfterSeconds: error.retryAfterSeconds,
              },
      }),
    )
  },
  // A stack would show this line.
  Effect.withSpan("Relay.call", {}, { captureStackTrace: false }),
)

const textOf = (text: ResultText): string => (typeof text === "string" ? text : Buffer.from(text).toString())

const write = (id: string, outcome: Outcome): string =>
  outcome._tag === "Result"
    ? JsonRpcEnvelope.success(id, textOf(outcome.text))
    : JsonRpcEnvelope.failure(id, outcome.failure)

/** Makes the handler of the relay; the segments are those of the path. It answers every request. */
export const make = (options: Options) => {
  const { authentication, cache, chains, config } = options
  const find = Chains.finder(chains)

  const single = Effect.fnUntraced(function* (
    request: Request,
    item: JsonRpcEnvelope.Item,
    chain: RelayedChain,
    grant: KeyGrant,
    headers: Headers,
  ): Effect.fn.Return<HttpServerResponse> {
    const outcome = yield* perform(cache, item, chain, grant)
    const { id } = item
    if (id === undefined) return Response.empty(headers)
    if (outcome._tag === "Result") return Response.jsonBytes(JsonRpcEnvelope.successBytes(id, outcome.text), headers)
    if (outcome._tag !== "Down") return Response.json(write(id, outcome), { headers })
    const retry = { ...headers, "retry-after": String(outcome.retryAfterSeconds) }
    return refuse(request, 503, outcome.failure, "unavailable", { id, headers: retry })
  })

  const batch = Effect.fnUntraced(function* (
    items: ReadonlyArray<JsonRpcEnvelope.Item>,
    chain: RelayedChain,
    grant: KeyGrant,
    headers: Headers,
  ): Effect.fn.Return<HttpServerResponse> {
    const texts = yield* Effect.forEach(
      items,
      (item) =>
        Effect.map(perform(cache, item, chain, grant), (outcome) =>
          item.id === undefined ? [] : [write(item.id, outcome)],
        ),
      { concurrency },
    )
    const answers = texts.flat()
    return answers.length === 0 ? Response.empty(headers) : Response.json(`[${answers.join(",")}]`, { headers })
  })

  return Effect.fnUntraced(function* (
    request: Request,
    chainSegment: string,
    keySegment: string,
  ): Effect.fn.Return<HttpServerResponse> {
    const found = yield* Effect.result(authentication.grant(segmentText(keySegment)))
    if (Result.isFailure(found)) {
      if (!found.failure.isRetryable) return yield* Effect.die(found.failure)
      const message = "The keys cannot be read now; try again."
      return refuse(request, 503, { code: code.unavailable, message }, "unavailable", {
        headers: { "retry-after": "1" },
      })
    }
    const grant = found.success
    if (grant === null) {
      const message = "The key is not known; accepted: a key of this service, as in /rpc/<chain>/<apiKey>."
      return refuse(request, 401, { code: code.unauthorized, message }, "unauthorized")
    }
    const chain = find(segmentText(chainSegment) ?? chainSegment)
    if (Result.isFailure(chain)) {
      const { code: reason, message } = chain.failure
      return refuse(request, 400, { code: JsonRpc.code.invalidParams, message }, reason)
    }
    const text = yield* Effect.result(request.text(maxBodyBytes))
    if (Result.isFailure(text)) {
      const isLarge = text.failure._tag === "BodyTooLarge"
      const message = isLarge ? `The body is too large; accepted: ${maxBodyBytes} bytes.` : "The body broke off."
      const failure = { code: JsonRpc.code.invalidRequest, message }
      return refuse(request, isLarge ? 413 : 400, failure, isLarge ? "payload_too_large" : "bad_request")
    }
    const body = JsonRpcEnvelope.read(text.success)
    const calls = body._tag === "Batch" ? body.items.length : 1
    if (calls > authentication.burst) {
      const message = `The batch has ${calls} calls; accepted: ${authentication.burst}.`
      return refuse(request, 413, { code: JsonRpc.code.invalidRequest, message }, "payload_too_large")
    }
    const { headers, isAllowed, retryAfterSeconds } = yield* authentication.take(grant, calls)
    if (!isAllowed) {
      const message = Authentication.limitMessage(config.rateLimit, retryAfterSeconds)
      const id = body._tag === "Single" ? body.item.id : undefined
      return refuse(request, 429, { code: code.limitExceeded, message }, "rate_limited", { id, headers })
    }
    switch (body._tag) {
      case "Wrong":
        return Response.json(JsonRpcEnvelope.failure(undefined, body.failure), { headers })
      case "Single":
        return yield* single(request, body.item, chain.success, grant, headers)
      case "Batch":
        return yield* batch(body.items, chain.success, grant, headers)
    }
  })
}
