/**
 * Chains whose calls are relayed, with one connection to the nodes of each, which all APIs of a process share.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InvalidOption } from "@daybook/transport/ClientError"
import type { ServedChain } from "../../config/ServedChain.ts"
import { Engine } from "../../store/Engine.ts"
import { Bounds } from "../admission/Bounds.ts"
import * as LargeResponses from "./LargeResponses.ts"
import * as IndexedChain from "../../query/IndexedChain.ts"
import type { CachedChain } from "./RelayCache.ts"
import * as Upstream from "./Upstream.ts"

/** A served chain with its index and its nodes. */
export interface RelayedChain extends IndexedChain.IndexedChain, Pick<CachedChain, "upstream"> {}

/** Chains whose calls are relayed. */
export class RelayChains extends Context.Service<RelayChains, ReadonlyArray<RelayedChain>>()(
  "@daybook/service/server/RelayChains",
) {}

/** No chains: the process relays no calls. */
export const none: Layer.Layer<RelayChains> = Layer.succeed(RelayChains, [])

/**
 * Connects to the nodes of chains.
 *
 * **Errors**
 * - `InvalidOption`: the URL of a node cannot be used; the message does not show it.
 */
export const layer = (
  served: ReadonlyArray<ServedChain>,
  onNodeCall?: Upstream.OnNodeCall,
): Layer.Layer<RelayChains, InvalidOption, Bounds | Engine> =>
  Layer.effect(
    RelayChains,
    Effect.gen(function* () {
      const bounds = yield* Bounds
      const database = yield* Engine
      const reading = { limits: bounds.limits, sharingOf: LargeResponses.make(bounds) }
      return yield* Effect.forEach(served, (chain) =>
        Effect.map(Upstream.make(chain, reading, onNodeCall), (upstream) => ({
          ...IndexedChain.fromDatabase(database)(chain),
          upstream,
        })),
      )
    }),
  )
