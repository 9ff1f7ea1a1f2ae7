/**
 * The last block that the nodes of a chain consider final. An unresponsive node must not delay others that have none, unless it has
 * returned one before: then no other node is used, because a final block remains final.
 *
 * Source: decision 0022.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as NodeEndpoint from "./NodeEndpoint.ts"
import type { NodeError } from "./NodeError.ts"

/** A final block; `null` if the nodes have none, or do not know the tag. */
type Found = NodeEndpoint.Header | null

/** The nodes of a chain. */
export interface Nodes {
  /** The nodes with their indexes. */
  readonly endpoints: () => ReadonlyArray<readonly [number, NodeEndpoint.NodeEndpoint]>
  /** Calls the nodes at these indexes in sequence, until one returns a block. */
  readonly ask: (
    question: (endpoint: NodeEndpoint.NodeEndpoint) => Effect.Effect<Found, CallError>,
    among: ReadonlyArray<number>,
  ) => Effect.Effect<Found, NodeError>
}

/** Nodes that have not returned a final block yet, while they are being called. */
interface Lookup {
  readonly found: Fiber.Fiber<Found, NodeError>
  /** Completed once a node has none. */
  readonly none: Deferred.Deferred<null>
}

/** Time for other nodes to return a final block after one has none. */
const promptMillis = 2_000

/**
 * Makes the query for the last final block, which is run anew each time.
 */
export const make = ({ ask, endpoints }: Nodes): Effect.Effect<Found, NodeError> => {
  let lookup: Lookup | undefined

  /** Calls several nodes until all have responded, so that a slow one is then known to have a final block. */
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
