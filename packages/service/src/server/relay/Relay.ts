/**
 * The JSON-RPC proxy, `POST /rpc/<chain>/<apiKey>`, or `/rpc/<chain>` with the key in a header. Relays the methods of the contract to the
 * nodes of a chain, as one call or a batch. A WebSocket at the same paths also offers subscriptions. The text of a result is passed on as
 * written by the node; the envelope is written here.
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3, docs/interface.md#5; decisions 0016, 0020 and 0039.
 */
import * as RestApi from "@daybook/schema/RestApi"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { holderOf, type KeyGrant } from "../../store/ApiKeys.ts"
import { Authentication } from "../admission/Authentication.ts"
import { keyIn } from "../http/ApiKeyHeader.ts"
import { Bounds } from "../admission/Bounds.ts"
import * as InFlight from "../admission/InFlight.ts"
import * as Response from "../http/Response.ts"
import * as Routes from "../http/Routes.ts"
import * as ClientMethods from "./ClientMethods.ts"
import * as JsonRpcEnvelope from "./JsonRpcEnvelope.ts"
import { LocalMethods } from "./LocalMethod.ts"
import * as RelayBatch from "./RelayBatch.ts"
import * as RelayCall from "./RelayCall.ts"
import { RelayCache } from "./RelayCache.ts"
import { type RelayedChain, RelayChains } from "./RelayChains.ts"
import * as RelayCaller from "./RelayCaller.ts"
import * as RelayError from "./RelayError.ts"
import * as RelayResponse from "./RelayResponse.ts"
import * as RequestBody from "./RequestBody.ts"
import * as RequestCheck from "./RequestCheck.ts"
import { WalletStreams } from "./WalletStreams.ts"
import * as WebSockets from "./WebSockets.ts"

/** Dependencies of the handler. */
interface Options {
  readonly admit: RelayCaller.Admit
  readonly authentication: Authentication["Service"]
  readonly bounds: Bounds["Service"]
  readonly answering: RelayCall.Answering
}

/** Makes the handler of the endpoint. */
const make = ({ admit, answering, authentication, bounds }: Options) => {
  const { limits, responses } = bounds

  const respond = Effect.fnUntraced(function* (
    { body, headers }: RequestCheck.Checked,
    chain: RelayedChain,
    grant: KeyGrant,
    client: InFlight.Client,
  ): Effect.fn.Return<HttpServerResponse, RelayError.RelayError, HttpServerRequest> {
    const run = (item: JsonRpcEnvelope.Item) => RelayCall.run(answering, item, chain, grant)
    const receiver: RelayResponse.Receiver = { holder: holderOf(grant), headers, bounds }
    switch (body._tag) {
      case "Invalid":
        return Response.json(JsonRpcEnvelope.failure(undefined, body.failure), { headers })
      case "Single":
        return yield* RelayResponse.single(body.item.id, yield* run(body.item), receiver)
      case "Batch":
        return yield* RelayResponse.batch(yield* RelayBatch.run(body.items, run, client, bounds), receiver)
    }
  })

  const answer = Effect.fnUntraced(
    function* (target: RelayCaller.Target, request: HttpServerRequest) {
      const { chain, grant } = yield* admit(target, request)
      const client = InFlight.clientOf(request, holderOf(grant))
      yield* Effect.mapError(responses.room(client), RelayError.fromBound)
      const body = yield* RequestBody.read(request, grant, { authentication, bounds })
      return yield* respond(yield* RequestCheck.check(body, grant, authentication, limits), chain, grant, client)
    },
    Effect.catchTag("RelayError", RelayError.toResponse),
  )

  return (target: RelayCaller.Target, request: HttpServerRequest) =>
    Routes.onDefect(answer(target, request), { respond: RelayError.internal, secrets: ["chain", "apiKey"] })
}

/** The target of a request. A path without a key may end with a slash. */
const targetOf = (
  { apiKey, chain }: { readonly chain: string; readonly apiKey?: string | undefined },
  { headers }: HttpServerRequest,
): RelayCaller.Target => ({ chain, apiKey: apiKey === undefined || apiKey === "" ? keyIn(headers) : apiKey })

/** Answers requests to a path that is not in the contract. */
const routeOf = <R>(
  method: "GET" | "POST",
  path: HttpRouter.PathInput,
  respond: (target: RelayCaller.Target, request: HttpServerRequest) => Effect.Effect<HttpServerResponse, never, R>,
) =>
  HttpRouter.route(
    method,
    path,
    Effect.gen(function* () {
      const request = yield* HttpServerRequest
      const { apiKey, chain = "" } = yield* HttpRouter.params
      return yield* respond(targetOf({ chain, apiKey }, request), request)
    }),
  )

const api = HttpApi.make("daybook-relay").add(RestApi.Relay)

/** The routes of the relay. */
export const layer = () => {
  const relay = HttpApiBuilder.group(
    api,
    "relay",
    Effect.fnUntraced(function* (handlers) {
      const authentication = yield* Authentication
      const bounds = yield* Bounds
      const answering = {
        cache: yield* RelayCache,
        local: new Map([...ClientMethods.methods, ...(yield* LocalMethods)]),
        turns: bounds.turns,
      }
      const chains = yield* RelayChains
      const admit = RelayCaller.make(authentication, chains)
      const call = make({ admit, answering, authentication, bounds })
      const streams = yield* WalletStreams
      const connect = yield* WebSockets.make({ admit, answering, authentication, bounds, chains, streams })
      // HTTP clients with a base URL, such as axios and got, add a slash to its end.
      const path = "/rpc/:chain/:apiKey/"
      yield* (yield* HttpRouter.HttpRouter).addAll([routeOf("POST", path, call), routeOf("GET", path, connect)])
      return handlers
        .handleRaw("call", ({ params, request }) => call(targetOf(params, request), request))
        .handleRaw("callByHeader", ({ params, request }) => call(targetOf(params, request), request))
        .handleRaw("connect", ({ params, request }) => connect(targetOf(params, request), request))
        .handleRaw("connectByHeader", ({ params, request }) => connect(targetOf(params, request), request))
    }),
  )
  return HttpApiBuilder.layer(api).pipe(Layer.provide(relay))
}
