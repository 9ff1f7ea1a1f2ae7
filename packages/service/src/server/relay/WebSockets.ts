/**
 * WebSockets at the paths of the relay: decides who may open one and how many, and shares one feed per chain among them.
 *
 * Source: decisions 0016 and 0039.
 */
import * as JsonRpc from "@daybook/schema/JsonRpc"
import { type WebSocket, WebSocketServer } from "@effect/platform-node/NodeWS"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import type { RouteContext } from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import { holderOf } from "../../store/ApiKeys.ts"
import * as InFlight from "../admission/InFlight.ts"
import * as OpenCounts from "../admission/OpenCounts.ts"
import * as Response from "../http/Response.ts"
import * as Routes from "../http/Routes.ts"
import * as Upgrade from "../http/Upgrade.ts"
import * as ChainFeed from "./ChainFeed.ts"
import * as JsonRpcEnvelope from "./JsonRpcEnvelope.ts"
import type * as RelayCaller from "./RelayCaller.ts"
import type { RelayedChain } from "./RelayChains.ts"
import * as RelayError from "./RelayError.ts"
import * as RelaySocket from "./RelaySocket.ts"

/** Dependencies of the handler. */
export interface Options extends RelaySocket.Options {
  readonly chains: ReadonlyArray<RelayedChain>
}

/** Opens a WebSocket. */
export type Connect = (
  target: RelayCaller.Target,
  request: HttpServerRequest,
) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest | RouteContext>

/** Seconds after which a client with too many connections may retry. */
const retrySeconds = 10

/** Maximum number of fragments of a message, and of chunks in which the system delivers it. */
const [maxFragments, maxBufferedChunks] = [1_024, 65_536]

/** Response to a request that does not ask for a WebSocket. */
const upgradeRequired = () => {
  const message = Upgrade.isSupported
    ? "Send calls as POST, or open a WebSocket."
    : "Send calls as POST. A WebSocket needs the service on Node 22.21, 24.9 or later."
  return Response.json(JsonRpcEnvelope.failure(undefined, { code: JsonRpc.code.invalidRequest, message }), {
    status: 426,
    headers: { upgrade: "websocket", connection: "upgrade" },
  })
}

/** Makes the function that opens connections; they end with the scope. */
export const make = Effect.fnUntraced(function* ({
  chains,
  ...options
}: Options): Effect.fn.Return<Connect, never, Scope.Scope> {
  const { admit, authentication, bounds } = options
  const { bodyBytes, webSockets, webSocketsPerAddress } = bounds.limits
  const scope = yield* Effect.scope
  const feeds = new Map(chains.map((chain) => [chain.name, ChainFeed.make(chain, bounds.turns, scope)]))
  const byKey = OpenCounts.make("limits.webSockets", webSockets)
  const byAddress = OpenCounts.make("limits.webSocketsPerAddress", webSocketsPerAddress)
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: bodyBytes,
    maxFragments,
    maxBufferedChunks,
  })

  /** Admits one more connection of a client, which costs a call. */
  const admitConnection = Effect.fnUntraced(function* (
    { grant }: RelayCaller.RelayCaller,
    client: InFlight.Client,
  ): Effect.fn.Return<void, RelayError.RelayError> {
    const bound = byKey.reached(client.key) ?? byAddress.reached(client.address)
    if (bound !== undefined) {
      const message = `Too many open WebSocket connections: ${bound} is reached. Close one first.`
      return yield* RelayError.rateLimited(message, { "retry-after": String(retrySeconds) })
    }
    const decision = yield* Effect.mapError(authentication.take(grant, 1), ({ message }) =>
      RelayError.unavailable(message),
    )
    if (!decision.isAllowed) {
      return yield* RelayError.rateLimited(authentication.limitMessage(decision), decision.headers)
    }
  })

  const connect = Effect.fnUntraced(
    function* (
      target: RelayCaller.Target,
      request: HttpServerRequest,
    ): Effect.fn.Return<HttpServerResponse.HttpServerResponse, RelayError.RelayError> {
      const message = NodeHttpServerRequest.toIncomingMessage(request)
      const upgrade = Upgrade.offerOf(message)
      if (upgrade === undefined) return upgradeRequired()
      const caller = yield* admit(target, request)
      const client = InFlight.clientOf(request, holderOf(caller.grant))
      yield* admitConnection(caller, client)
      const { head, onDrain, socket } = upgrade
      Upgrade.accept(upgrade)
      // Calls back at once, or answers an invalid handshake itself.
      let webSocket: WebSocket | undefined
      server.handleUpgrade(upgrade.request, socket, head, (opened) => (webSocket = opened))
      if (webSocket === undefined) return HttpServerResponse.empty({ status: 400 })
      const count = (connections: number) => {
        byKey.add(client.key, connections)
        byAddress.add(client.address, connections)
      }
      count(1)
      webSocket.once("close", () => count(-1))
      // The close code of the connection states the client's error.
      webSocket.on("error", () => undefined)
      // Sound: every chain of a caller is relayed.
      const feed = feeds.get(caller.chain.name)!
      // A message received before the listener is attached would get no response.
      yield* Effect.forkIn(
        RelaySocket.serve(options, { webSocket, socket, target, request, caller, feed, onDrain }),
        scope,
        { startImmediately: true },
      )
      return HttpServerResponse.empty({ status: 101 })
    },
    Effect.catchTag("RelayError", RelayError.toResponse),
  )

  return (target, request) =>
    Routes.onDefect(connect(target, request), { respond: RelayError.internal, secrets: ["chain", "apiKey"] })
})
