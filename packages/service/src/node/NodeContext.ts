/**
 * Context of the calls to the nodes of one chain: the nodes, what is known about the chain, and how to call the nodes in turn.
 */
import type * as EndpointPool from "@daybook/rpc/EndpointPool"
import type { CallError } from "@daybook/rpc/RpcError"
import type { Fetch } from "@daybook/transport/Fetch"
import * as Effect from "effect/Effect"
import type { BlockRef } from "../block/BlockRows.ts"
import type { TraceSource } from "../block/Traces.ts"
import type { TraceLimits } from "../config/Limits.ts"
import type * as NodeConfig from "../config/NodeConfig.ts"
import type * as BlockReceipts from "./BlockReceipts.ts"
import * as HeadTracker from "./HeadTracker.ts"
import type * as NodeEndpoint from "./NodeEndpoint.ts"
import type * as NodeError from "./NodeError.ts"
import * as NodeVerdict from "./NodeVerdict.ts"
import type * as TimedFetch from "./TimedFetch.ts"

/**
 * How to connect to the nodes of a chain.
 */
export interface Options {
  /** URLs in order of preference, which may hold keys; each may have limits for calls to it. */
  readonly urls: ReadonlyArray<NodeConfig.NodeConfig>
  /** EIP-155 id required of every node. */
  readonly chainId: number
  /** `auto` uses the tracer of the nodes, `off` none. Default `auto`. */
  readonly traces?: "auto" | "off"
  /** Default: that of `RpcClient`. */
  readonly fetch?: Fetch | undefined
  /** Bounds on traces. Default: as configured. */
  readonly traceLimits?: TraceLimits | undefined
  /** Current limits of calls to a node that is shared with others. Default: the node's own. */
  readonly limitsOf?: ((node: NodeConfig.NodeOptions) => NodeConfig.CallLimits) | undefined
  /** Receives each request with its node's position. */
  readonly onRequest?: ((node: number, ...request: Parameters<TimedFetch.OnRequest>) => void) | undefined
  /** Configuration key of the URLs, for messages: `chains.eth.rpc`. */
  readonly where?: string
}

/** The nodes, and which of them to call. */
export type Pool = EndpointPool.EndpointPool<NodeEndpoint.NodeEndpoint, CallError | NodeError.WrongChain>

/** The nodes, or some of them, and what is known about the chain. */
export interface Context {
  readonly pool: Pool
  /** Indexes of the endpoints to call. */
  readonly among: ReadonlyArray<number>
  readonly options: Options
  /** Trace source of all nodes, if these are only some of them: a node without a tracer is not representative. */
  readonly sourceOfAll: Effect.Effect<TraceSource, NodeError.NodeError> | undefined
  heads: HeadTracker.HeadTracker
  /** `undefined` until detected. */
  source: TraceSource | undefined
  /** The tracer was found missing and has never returned traces: it is detected again at the next poll, not within a turn. */
  isDoubtful: boolean
  /** Last traced block. */
  traced: BlockRef | undefined
  /** Whether the previous block was stored without its traces. */
  tracingAbandoned: boolean
}

/** Where the nodes are configured, for messages. */
export const whereOf = ({ options }: Context): string => options.where ?? "the configuration"

/** The nodes to call, with their indexes. */
export const endpointsOf = ({ among, pool }: Context): ReadonlyArray<readonly [number, NodeEndpoint.NodeEndpoint]> =>
  among.flatMap((index) => {
    const endpoint = pool.endpoints[index]
    return endpoint === undefined ? [] : [[index, endpoint]]
  })

/** What the pool remembers about an endpoint. */
export const supportOf = ({ pool }: Context, index: number): BlockReceipts.Support => ({
  isUnsupported: (method) => pool.state().endpoints[index]?.unsupportedMethods.has(method) ?? false,
  note: (unsupportedMethod) =>
    pool.note({ _tag: "Judged", index, verdict: { _tag: "Declined", unsupportedMethod }, now: 0 }),
})

/** Calls the nodes in turn until one returns a result. */
export const ask = <A>(
  context: Context,
  task: NodeError.Task,
  question: (endpoint: NodeEndpoint.NodeEndpoint, index: number) => Effect.Effect<A, CallError>,
  number?: number,
  among = context.among,
): Effect.Effect<A, NodeError.NodeError> => {
  const { heads, pool } = context
  const isSpread = number !== undefined && HeadTracker.isSettled(heads, number)
  return pool
    .ask({
      ...(isSpread ? { strategy: "spread", key: number } : { strategy: "sticky" }),
      among,
      // At startup this waits for a single response of a distant node instead of two.
      besideVerification: task.isHead,
      question,
      verdict: (outcome) => NodeVerdict.fromOutcome(outcome, among.length === 1),
    })
    .pipe(
      Effect.mapError((error) =>
        error._tag === "AllEndpointsFailed"
          ? NodeVerdict.errorOf(
              error.failures.map((failure) => failure.error),
              whereOf(context),
              task,
            )
          : NodeVerdict.errorOf([error], whereOf(context), task),
      ),
    )
}
