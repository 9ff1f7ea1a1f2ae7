/**
 * The last block that the nodes of a chain call final. A node that does not respond must not hold up another that has none, unless it has
 * returned one before: then no other is asked, since a block that was final remains so.
 *
 * Source: decision 0022.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as NodeEndpoint from "./NodeEndpoint.ts"
import type { NodeError } from "./NodeError.ts"

/** A block that is final; `null` where the nodes have none, or do not know the tag. */
type Found = NodeEndpoint.Header | null

/** The nodes of a chain. */
export interface Nodes {
  /** The nodes with their indexes. */
  readonly endpoints: () => ReadonlyArray<readonly [number, NodeEndpoint.NodeEndpoint]>
  /** Asks the nodes of these indexes, one after the other, until one responds with more than nothing. */
  readonly ask: (
    question: (endpoint: NodeEndpoint.NodeEndpoint) => Effect.Effect<Found, CallError>,
    among: ReadonlyArray<number>,
  ) => Effect.Effect<Found, NodeError>
}

/** Nodes of which none has returned a final block yet, as they are asked. */
interface Lookup {
  readonly found: Fiber.Fiber<Found, NodeError>
  /** Done once a node has none. */
  readonly none: Deferred.Deferred<null>
}

/** Time in which other nodes may return a block that one has none of. */
const promptMillis = 2_000

/**
 * Makes the question for the last final block, which is asked anew each time.
 */
export const make = ({ ask, endpoints }: Nodes): Effect.Effect<Found, NodeError> => {
  let lookup: Lookup | undefined

  /** Asks several nodes until all have responded: one that is slow is then known to have a final block. */
  const start = Effect.fnUntraced(function* (among: ReadonlyArray<number>) {
    const none = yield* Deferred.make<null>()
    const question = (endpoint: NodeEndpoint.NodeEndpoint) =>
      Effect.tap(NodeEndpoint.finalized(endpoint), (found) =>
        found === null ? Deferred.succeed(none, null) : Effect.void,
      )
    return (lookup = { found: yield* Effect.forkDetach(ask(question, among)), none })
  })

  return Effect.gen(function* () {
    const all = endpoints()
    const knowing = all.filter(([, { knowsFinalizedTag }]) => knowsFinalizedTag === true)
    const among = (knowing.length === 0 ? all : knowing).map(([index]) => index)
    if (among.length === 1 || knowing.length > 0) return yield* ask(NodeEndpoint.finalized, among)
    if (lookup?.found.pollUnsafe() !== undefined) lookup = undefined
    const { found, none } = lookup ?? (yield* start(among))
    return yield* Effect.raceFirst(Fiber.join(found), Effect.delay(Deferred.await(none), promptMillis))
  })
}
