/**
 * Etherscan's API, version 2, at `/api` and `/v2/api`: the parameters of a request include its module, its action and its key.
 *
 * Source: decision 0070.
 */
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { ServedChain } from "../../config/ServedChain.ts"
import * as IndexedChain from "../../query/IndexedChain.ts"
import type { KeyGrant } from "../../store/ApiKeys.ts"
import { Engine } from "../../store/Engine.ts"
import { Authentication } from "../admission/Authentication.ts"
import { Bounds } from "../admission/Bounds.ts"
import * as FairQueue from "../admission/FairQueue.ts"
import { ChainContracts } from "../chain/ChainContracts.ts"
import { ChainEns } from "../chain/ChainEns.ts"
import { RequestFacts } from "../http/RequestFacts.ts"
import * as Response from "../http/Response.ts"
import * as Routes from "../http/Routes.ts"
import { RelayCache } from "../relay/RelayCache.ts"
import { RelayChains } from "../relay/RelayChains.ts"
import * as RequestBody from "../relay/RequestBody.ts"
import * as PageResponse from "../rest/PageResponse.ts"
import * as AccountActions from "./AccountActions.ts"
import type { Actions, Chain } from "./Action.ts"
import * as Caller from "./Caller.ts"
import * as BlockActions from "./BlockActions.ts"
import * as ContractActions from "./ContractActions.ts"
import * as Envelope from "./Envelope.ts"
import * as Form from "./Form.ts"
import * as Lists from "./Lists.ts"
import * as GasActions from "./GasActions.ts"
import * as HoldingActions from "./HoldingActions.ts"
import * as LogActions from "./LogActions.ts"
import * as NodeCalls from "./NodeCalls.ts"
import * as Parameters from "./Parameters.ts"
import * as ProxyActions from "./ProxyActions.ts"
import * as ServiceActions from "./ServiceActions.ts"
import * as TokenActions from "./TokenActions.ts"
import * as UnknownActions from "./UnknownActions.ts"

/** Maximum number of bytes of a form, which is read before its key is known. */
const maxFormBytes = 64 * 1024

/** Log pages of a process: one per key at a time, so that a key with many of them only delays itself. */
const queueBounds: FairQueue.Options = { concurrency: 4, maxWaitingPerCaller: 16, maxWaiting: 1_024 }

/** Holder to which a form counts while it is read: the forms of all clients share the bounds per address and process. */
const unknownCaller: KeyGrant = { name: "", operator: false, empty: null }

const queryOf = (url: string): string => {
  const at = url.indexOf("?")
  return at < 0 ? "" : url.slice(at + 1)
}

const refusal = (refused: Envelope.Refused): HttpServerResponse =>
  Response.json(Envelope.refusalOf(refused), { headers: refused.headers ?? {} })

const unsupportedChain = () =>
  Envelope.notOk(
    "Missing or unsupported chainid parameter (required for v2 api), please see chainlist for the list of supported chainids",
  )

/** Chain of a request; optional if the service has a single chain. */
const chainIn = (chains: ReadonlyArray<Chain>, parameters: Parameters.Parameters) => {
  const sent = parameters.get("chainid")
  const found = sent === undefined && chains.length === 1 ? chains[0] : chains.find(({ id }) => sent === String(id))
  return found === undefined ? Effect.fail(unsupportedChain()) : Effect.succeed(found)
}

/** Makes the handler of both paths. */
const make = Effect.fnUntraced(function* (served: ReadonlyArray<ServedChain>) {
  const authentication = yield* Authentication
  const bounds = yield* Bounds
  const contracts = yield* ChainContracts
  const database = yield* Engine
  const relayed = yield* RelayChains
  const calls = NodeCalls.make(yield* RelayCache, bounds.turns)
  const chains = served.map((chain): Chain => ({
    ...IndexedChain.fromDatabase(database)(chain),
    relayed: relayed.find(({ id }) => id === chain.id),
  }))
  const decoder = KnownSignatures.decoder()
  const actions: Actions = {
    ...AccountActions.make({ contracts, decoder, calls, readList: Lists.make(bounds.turns, calls) }),
    ...BlockActions.make(calls),
    ...ContractActions.make(contracts, bounds.turns),
    ...GasActions.make(calls),
    ...HoldingActions.make({ calls, sumsOf: bounds.sums }),
    ...LogActions.make({ calls, queue: FairQueue.make(queueBounds, bounds.turns.shares), turns: bounds.turns }),
    ...ProxyActions.make(calls),
    ...ServiceActions.make({ authentication, contracts, ensOf: yield* ChainEns }),
    ...TokenActions.make(calls),
    ...UnknownActions.actions,
  }
  const modules = new Set(Object.keys(actions).map((name) => name.slice(0, name.indexOf("/"))))
  const send = PageResponse.make(bounds)
  const formBounds = { ...bounds, limits: { ...bounds.limits, bodyBytes: maxFormBytes } }

  /** The form of a request by POST. */
  const formOf = (request: HttpServerRequest): Effect.Effect<Form.Form, Envelope.Refused> =>
    request.method !== "POST"
      ? Effect.succeed([])
      : RequestBody.read(request, unknownCaller, { authentication, bounds: formBounds }).pipe(
          Effect.mapError(({ headers = {}, message }) => Envelope.notOk(`Error! ${message}`, headers)),
          Effect.flatMap(({ bytes }) => Form.read(bytes, request.headers["content-type"] ?? "")),
        )

  const respond = Effect.fnUntraced(function* (parameters: Parameters.Parameters, request: HttpServerRequest) {
    const { grant, headers } = yield* Caller.authenticate(authentication, request, parameters.get("apikey"))
    const module = (parameters.get("module") ?? "").toLowerCase()
    const name = `${module}/${(parameters.get("action") ?? "").toLowerCase()}`
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined
    if (action === undefined) return yield* modules.has(module) ? Envelope.unknownAction() : Envelope.unknownModule()
    const chain = yield* chainIn(chains, parameters)
    const facts = yield* RequestFacts
    facts.chain = chain.name
    yield* Caller.checkScope(grant, chain, action.operation)
    const read = Effect.map(action.answer({ chain, parameters, grant }), (answer): PageResponse.Body => {
      if (answer._tag === "JsonRpc") return PageResponse.ofBytes(answer.bytes, headers)
      if (answer._tag === "Result") return PageResponse.json(Envelope.ofSuccess(answer.result), headers)
      return PageResponse.lazyJson(() => Envelope.bodyOf(answer), answer.bytes, { ...answer.headers, ...headers })
    })
    return yield* send(grant, read).pipe(
      Effect.catchTag("ErrorResponse", ({ headers: own, message }) => Effect.fail(Envelope.busy(message, own))),
    )
  })

  const answer = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    let key: string | undefined
    const answered = formOf(request).pipe(
      Effect.flatMap((form) => {
        const parameters = Parameters.parse(queryOf(request.url), form)
        key = parameters.get("apikey")
        return respond(parameters, request)
      }),
      Effect.catchTag("Refused", (refused) => Effect.succeed(refusal(refused))),
    )
    return yield* Routes.onDefect(answered, {
      respond: (id) => refusal(Envelope.notOk(`Error! Internal server error. The server log has details under ${id}.`)),
      keys: () => [key],
    })
  })
  const chainList = ServiceActions.chainList(chains)
  return { answer, chainList: Effect.sync(() => Response.json(chainList)) }
})

/** The routes of Etherscan's API. */
export const layer = (options: { readonly chains: ReadonlyArray<ServedChain> }) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const { answer, chainList } = yield* make(options.chains)
      yield* router.addAll([
        ...(["/api", "/api/", "/v2/api", "/v2/api/"] as const).flatMap((path) =>
          (["GET", "POST"] as const).map((method) => HttpRouter.route(method, path, answer)),
        ),
        HttpRouter.route("GET", "/v2/chainlist", chainList),
      ])
    }),
  )
