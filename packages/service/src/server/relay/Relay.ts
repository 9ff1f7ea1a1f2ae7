/**
 * The JSON-RPC proxy, `POST /rpc/<chain>/<apiKey>`, or `/rpc/<chain>` with the key in a header: relays the methods of the contract to
 * the nodes of a chain, one call or a batch. The text of a result is passed on as the node wrote it; the envelope is written here.
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3, docs/interface.md#5; decisions 0016, 0020 and 0039.
 */
import * as ApiHeader from "@daybook/schema/ApiHeader"
import * as Issue from "@daybook/schema/Issue"
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
import * as Operation from "../../config/Operation.ts"
import { holderOf, type KeyGrant } from "../../store/ApiKeys.ts"
import { Authentication } from "../admission/Authentication.ts"
import { keyIn } from "../http/ApiKeyHeader.ts"
import { Bounds } from "../admission/Bounds.ts"
import * as InFlight from "../admission/InFlight.ts"
import * as KeyLookups from "../admission/KeyLookups.ts"
import * as KeyScope from "../admission/KeyScope.ts"
import { RequestFacts } from "../http/RequestFacts.ts"
import * as Response from "../http/Response.ts"
import * as Routes from "../http/Routes.ts"
import * as JsonRpcEnvelope from "./JsonRpcEnvelope.ts"
import { LocalMethods } from "./LocalMethod.ts"
import * as RelayCall from "./RelayCall.ts"
import { RelayCache } from "./RelayCache.ts"
import { type RelayedChain, RelayChains } from "./RelayChains.ts"
import * as RelayError from "./RelayError.ts"
import * as RelayResponse from "./RelayResponse.ts"
import * as RequestBody from "./RequestBody.ts"
import * as RequestCheck from "./RequestCheck.ts"

/** What the handler needs. */
interface Options {
  readonly authentication: Authentication["Service"]
  readonly bounds: Bounds["Service"]
  readonly answering: RelayCall.Answering
  readonly chains: ReadonlyArray<RelayedChain>
}

/** Calls of a batch that are relayed at the same time. */
const concurrency = 8

/** Whose call goes to which chain. */
interface Target {
  readonly chain: string
  readonly apiKey: string | undefined
}

const authenticate = Effect.fnUntraced(function* (
  authentication: Authentication["Service"],
  key: string | undefined,
  request: HttpServerRequest,
): Effect.fn.Return<KeyGrant, RelayError.RelayError> {
  const grant =
    key === undefined
      ? null
      : yield* authentication.grant(Redacted.make(key, { label: "apiKey" }), request).pipe(
          Effect.catchTags({
            StoreError: (error) =>
              error.isRetryable
                ? Effect.fail(RelayError.unavailable("API keys cannot be read now. Retry later."))
                : Effect.die(error),
            TooManyUnknownKeys: ({ message }) =>
              Effect.fail(RelayError.rateLimited(message, { "retry-after": String(KeyLookups.retrySeconds) })),
          }),
        )
  const admitted = grant === "expired" || grant === null ? authentication.keyless(request, key !== undefined) : grant
  if (admitted !== null) return admitted
  const what = key === undefined ? "Missing" : grant === "expired" ? "Expired" : "Unknown"
  return yield* RelayError.make({
    code: RelayError.code.unauthorized,
    message: `${what} API key. Send it in the path: /rpc/<chain>/<apiKey>, or in the ${ApiHeader.apiKey} header to /rpc/<chain>.`,
    reason: "unauthorized",
  })
})

/** Makes the handler of the endpoint. */
const make = ({ answering, authentication, bounds, chains }: Options) => {
  const find = ChainRegistry.finder(chains)
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
      case "Batch": {
        const outcomes = yield* Effect.acquireUseRelease(
          Effect.sync(() => responses.hold(client)),
          (held) => {
            const within = RelayResponse.bounded(limits.batchBytes, held)
            return Effect.forEach(body.items, (item) => Effect.map(run(item), within), { concurrency })
          },
          ({ release }) => Effect.sync(release),
        )
        const answers = body.items.flatMap(({ id }, at) => (id === undefined ? [] : [{ id, outcome: outcomes[at]! }]))
        return yield* RelayResponse.batch(answers, receiver)
      }
    }
  })

  const answer = Effect.fnUntraced(
    function* ({ apiKey, chain: name }: Target, request: HttpServerRequest) {
      const grant = yield* authenticate(authentication, apiKey, request)
      const chain = yield* Effect.mapError(Effect.fromResult(find(name)), ({ code: reason, issue }) =>
        RelayError.make({ code: JsonRpc.code.invalidParams, message: Issue.format("path parameter", issue), reason }),
      )
      const facts = yield* RequestFacts
      facts.key = grant.name
      facts.chain = chain.name
      const issue = KeyScope.operationIssue(grant, Operation.relay) ?? KeyScope.chainIssue(grant, chain)
      if (issue !== undefined) {
        return yield* RelayError.make({ code: RelayError.code.unauthorized, message: issue, reason: "forbidden" })
      }
      const client = InFlight.clientOf(request, holderOf(grant))
      yield* Effect.mapError(responses.room(client), RelayError.fromBound)
      const body = yield* RequestBody.read(request, grant, { authentication, bounds })
      return yield* respond(yield* RequestCheck.check(body, grant, authentication, limits), chain, grant, client)
    },
    Effect.catchTag("RelayError", RelayError.toResponse),
  )

  return (target: Target, request: HttpServerRequest) =>
    Routes.onDefect(answer(target, request), { respond: RelayError.internal, secrets: ["chain", "apiKey"] })
}

const api = HttpApi.make("daybook-relay").add(RestApi.Relay)

/** The routes of the relay. */
export const layer = () => {
  const relay = HttpApiBuilder.group(
    api,
    "relay",
    Effect.fnUntraced(function* (handlers) {
      const authentication = yield* Authentication
      const bounds = yield* Bounds
      const answering = { cache: yield* RelayCache, local: yield* LocalMethods }
      const call = make({ answering, authentication, bounds, chains: yield* RelayChains })
      return handlers
        .handleRaw("call", ({ params, request }) => call(params, request))
        .handleRaw("callByHeader", ({ params, request }) =>
          call({ ...params, apiKey: keyIn(request.headers) }, request),
        )
    }),
  )
  return HttpApiBuilder.layer(api).pipe(Layer.provide(relay))
}
