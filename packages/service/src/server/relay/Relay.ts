/**
 * The JSON-RPC proxy, `POST /rpc/<chain>/<apiKey>`: relays the methods of the contract to the nodes of a chain, one call or a batch.
 * The text of a result is passed on as the node wrote it; the envelope is written here.
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3, docs/interface.md#5; decisions 0016 to 0018.
 */
import * as JsonRpc from "@daybook/schema/JsonRpc"
import * as RestApi from "@daybook/schema/RestApi"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as ChainRegistry from "../../config/ChainRegistry.ts"
import type { ServedChain } from "../../config/ServedChain.ts"
import type { KeyGrant } from "../../store/ApiKeys.ts"
import { Engine } from "../../store/Engine.ts"
import { Authentication } from "../Authentication.ts"
import { readText } from "../Request.ts"
import * as Response from "../Response.ts"
import * as Routes from "../Routes.ts"
import * as JsonRpcEnvelope from "./JsonRpcEnvelope.ts"
import * as RelayCall from "./RelayCall.ts"
import { type CachedChain, RelayCache, type ResultText } from "./RelayCache.ts"
import * as RelayError from "./RelayError.ts"
import * as Upstream from "./Upstream.ts"

/** A served chain, its index and its nodes. */
interface RelayedChain extends ServedChain, Pick<CachedChain, "reader" | "upstream"> {}

/** What the handler needs. */
interface Options {
  readonly authentication: Authentication["Service"]
  readonly cache: RelayCache["Service"]
  readonly chains: ReadonlyArray<RelayedChain>
}

/** Maximum size of a request body. */
export const maxBodyBytes = 1024 * 1024

/** Calls of a batch that are relayed at the same time. */
const concurrency = 8

/** The parameters of the path. */
interface Path {
  readonly chain: string
  readonly apiKey: string
}

const authenticate = Effect.fnUntraced(function* (
  authentication: Authentication["Service"],
  key: string,
): Effect.fn.Return<KeyGrant, RelayError.RelayError> {
  const grant = yield* authentication.grant(Redacted.make(key, { label: "apiKey" })).pipe(
    Effect.catch((error) =>
      error.isRetryable
        ? Effect.fail(
            new RelayError.RelayError({
              code: RelayError.code.unavailable,
              message: "API keys cannot be read now. Retry later.",
              reason: "unavailable",
              headers: { "retry-after": "1" },
            }),
          )
        : Effect.die(error),
    ),
  )
  if (grant !== null) return grant
  return yield* new RelayError.RelayError({
    code: RelayError.code.unauthorized,
    message: "Unknown API key. Send it in the path: /rpc/<chain>/<apiKey>.",
    reason: "unauthorized",
  })
})

const readBody = (request: HttpServerRequest): Effect.Effect<JsonRpcEnvelope.Body, RelayError.RelayError> =>
  readText(request, maxBodyBytes).pipe(
    Effect.map(JsonRpcEnvelope.read),
    Effect.mapError(({ _tag }) => {
      const code = JsonRpc.code.invalidRequest
      return _tag === "BodyTooLarge"
        ? new RelayError.RelayError({
            code,
            message: `Request body too large. Send at most ${maxBodyBytes} bytes.`,
            reason: "payload_too_large",
          })
        : new RelayError.RelayError({
            code,
            message: "Request body incomplete. Send it again.",
            reason: "bad_request",
          })
    }),
  )

/** Takes the calls of a body from the rate limit of a key; gives the headers that report what is left. */
const takeCalls = Effect.fnUntraced(function* (
  authentication: Authentication["Service"],
  grant: KeyGrant,
  body: JsonRpcEnvelope.Body,
): Effect.fn.Return<Response.Headers, RelayError.RelayError> {
  const calls = body._tag === "Batch" ? body.items.length : 1
  if (calls > authentication.burst) {
    return yield* new RelayError.RelayError({
      code: JsonRpc.code.invalidRequest,
      message: `Batch too large: ${calls} calls. Send at most ${authentication.burst}.`,
      reason: "payload_too_large",
    })
  }
  const decision = yield* authentication.take(grant, calls)
  if (decision.isAllowed) return decision.headers
  return yield* new RelayError.RelayError({
    code: RelayError.code.limitExceeded,
    message: authentication.limitMessage(decision),
    reason: "rate_limited",
    id: body._tag === "Single" ? body.item.id : undefined,
    headers: decision.headers,
  })
})

const textOf = (result: ResultText): string => (typeof result === "string" ? result : Buffer.from(result).toString())

const write = (id: string, outcome: RelayCall.Outcome): string =>
  outcome._tag === "Success"
    ? JsonRpcEnvelope.success(id, textOf(outcome.result))
    : JsonRpcEnvelope.failure(id, outcome.failure)

const respondToOne = Effect.fnUntraced(function* (
  id: string | undefined,
  outcome: RelayCall.Outcome,
  headers: Response.Headers,
): Effect.fn.Return<HttpServerResponse, RelayError.RelayError> {
  if (id === undefined) return Response.empty(headers)
  if (outcome._tag === "Success") {
    return Response.jsonBytes(JsonRpcEnvelope.successBytes(id, outcome.result), headers)
  }
  if (outcome._tag === "Failure") return Response.json(write(id, outcome), { headers })
  return yield* new RelayError.RelayError({
    ...outcome.failure,
    reason: "unavailable",
    id,
    headers: { ...headers, "retry-after": String(outcome.retryAfterSeconds) },
  })
})

/** Makes the handler of the endpoint. */
const make = ({ authentication, cache, chains }: Options) => {
  const find = ChainRegistry.finder(chains)

  const respond = Effect.fnUntraced(function* (
    body: JsonRpcEnvelope.Body,
    chain: RelayedChain,
    grant: KeyGrant,
    headers: Response.Headers,
  ): Effect.fn.Return<HttpServerResponse, RelayError.RelayError> {
    const run = (item: JsonRpcEnvelope.Item) => RelayCall.run(cache, item, chain, grant)
    switch (body._tag) {
      case "Invalid":
        return Response.json(JsonRpcEnvelope.failure(undefined, body.failure), { headers })
      case "Single":
        return yield* respondToOne(body.item.id, yield* run(body.item), headers)
      case "Batch": {
        const outcomes = yield* Effect.forEach(body.items, run, { concurrency })
        const responses = body.items.flatMap(({ id }, at) => (id === undefined ? [] : [write(id, outcomes[at]!)]))
        return responses.length === 0 ? Response.empty(headers) : Response.json(`[${responses.join(",")}]`, { headers })
      }
    }
  })

  const answer = Effect.fnUntraced(
    function* (path: Path, request: HttpServerRequest) {
      const grant = yield* authenticate(authentication, path.apiKey)
      const chain = yield* Effect.mapError(
        Effect.fromResult(find(path.chain)),
        ({ code: reason, message }) => new RelayError.RelayError({ code: JsonRpc.code.invalidParams, message, reason }),
      )
      const body = yield* readBody(request)
      const headers = yield* takeCalls(authentication, grant, body)
      return yield* respond(body, chain, grant, headers)
    },
    Effect.catchTag("RelayError", RelayError.toResponse),
  )

  return ({ params, request }: { readonly params: Path; readonly request: HttpServerRequest }) =>
    Routes.onDefect(answer(params, request), { respond: RelayError.internal, secrets: ["chain", "apiKey"] })
}

const api = HttpApi.make("daybook-relay").add(RestApi.Relay)

/**
 * The routes of the relay.
 *
 * **Errors**
 * - `InvalidOption`: the URL of a node cannot be used; the message does not show it.
 */
export const layer = (served: ReadonlyArray<ServedChain>) => {
  const relay = HttpApiBuilder.group(
    api,
    "relay",
    Effect.fnUntraced(function* (handlers) {
      const authentication = yield* Authentication
      const cache = yield* RelayCache
      const database = yield* Engine
      const chains = yield* Effect.forEach(served, (chain) =>
        Effect.map(Upstream.make(chain), (upstream) => ({
          ...chain,
          reader: database.chain(chain).reader,
          upstream,
        })),
      )
      return handlers.handleRaw("call", make({ authentication, cache, chains }))
    }),
  )
  return HttpApiBuilder.layer(api).pipe(Layer.provide(relay))
}
