/** A service that has indexed a scenario chain of anvil, and the node, which also supports the methods of Otterscan. */
import { Anvil, Scenario } from "@daybook/chain"
import { Effect, type Scope } from "effect"
import { caughtUp, start as startIndexer } from "../../indexer/chain.ts"
import * as service from "../service.ts"

/** A JSON-RPC response. */
export interface Response {
  readonly result?: service.Json
  readonly error?: { readonly code: number; readonly message: string }
}

/** A service with the key of an operator and the key of a client, and the node itself. The service may use a proxy of the node. */
export const follow = Effect.fnUntraced(function* (
  front: (url: string) => Effect.Effect<string, never, Scope.Scope> = Effect.succeed,
) {
  const node = yield* Anvil.make({ chainId: 1 })
  const world = yield* Scenario.run(node, { seed: 4, blobs: false, blocks: 12 })
  const last = Number(yield* node.call<string>("eth_blockNumber"))
  const started = yield* service.start({ chains: { eth: { config: { rpc: [yield* front(node.url)] } } } })
  const indexer = yield* startIndexer(started.stores["eth"]!, [node.url], { checks: "full" })
  yield* indexer.until(caughtUp(last))
  const operator = yield* started.addKey({ name: "operator", operator: true })
  const post = (url: string, method: string, params: ReadonlyArray<unknown>) =>
    Effect.map(
      service.request(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      }),
      ({ json }) => json as Response,
    )
  return {
    ...started,
    node,
    world,
    last,
    operator,
    /** Calls the service with the key of the operator. */
    ask: (method: string, ...params: ReadonlyArray<unknown>) =>
      post(`${started.url}/rpc/eth/${operator}`, method, params),
    /** Calls the service with the key of the client. */
    askAsClient: (method: string, ...params: ReadonlyArray<unknown>) =>
      post(`${started.url}/rpc/eth/${started.key}`, method, params),
    /** Calls the node directly. */
    oracle: (method: string, ...params: ReadonlyArray<unknown>) => post(node.url, method, params),
  }
})

/** A service that uses the node directly. */
export const start = follow()

/** Result of `start`. */
export type Indexed = Effect.Success<typeof start>
