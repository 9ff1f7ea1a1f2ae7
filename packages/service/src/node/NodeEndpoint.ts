/**
 * One node of a chain: its client, its detected capabilities, and the calls that depend on them.
 */
import type { Methods } from "@daybook/rpc/Method"
import * as RpcClient from "@daybook/rpc/RpcClient"
import type { CallError } from "@daybook/rpc/RpcError"
import type { Block, HydratedBlock } from "@daybook/schema/Block"
import type { Issue } from "@daybook/schema/Issue"
import { type InvalidOption, InvalidResponse } from "@daybook/transport/ClientError"
import type { Fetch } from "@daybook/transport/Fetch"
import { platformFetch } from "@daybook/transport/Http"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { defaultTraceLimits, type TraceLimits } from "../config/Limits.ts"
import * as NodeConfig from "../config/NodeConfig.ts"
import type { Traces } from "../block/Traces.ts"
import type { BlockRef } from "../block/BlockRows.ts"
import * as AdaptiveBatchSize from "./AdaptiveBatchSize.ts"
import * as BoundedFetch from "./BoundedFetch.ts"
import * as ConcurrencyLimiter from "./ConcurrencyLimiter.ts"
import * as LenientBlock from "./LenientBlock.ts"
import * as NullRounds from "./NullRounds.ts"
import * as SignedFetch from "./SignedFetch.ts"
import * as TraceBounds from "./TraceBounds.ts"
import * as Tracer from "./Tracer.ts"
import * as HexQuantity from "./HexQuantity.ts"

/**
 * Number, hash and link of a block.
 */
export interface Header extends BlockRef {
  readonly parentHash: string
  /** Seconds since 1970. */
  readonly timestamp?: number
}

/**
 * A node. Mutable fields hold what its responses have shown.
 */
export interface NodeEndpoint {
  readonly host: string
  readonly limiter: ConcurrencyLimiter.ConcurrencyLimiter
  /** Calls within the concurrency limit. */
  readonly calls: Methods
  readonly batchSize: AdaptiveBatchSize.AdaptiveBatchSize
  /** Whether `eth_getBlockReceipts` only accepts block numbers, not hashes. */
  rejectsHashes: boolean
  /** Whether the receipts of the last block requested one by one were missing. */
  missedReceipts: boolean
  /** Whether the node knows the `finalized` tag; `undefined` until it returns a final block or rejects the tag. */
  knowsFinalizedTag: boolean | undefined
  /** Whether the node failed on the `finalized` tag with a possibly transient error. */
  hasFailedFinality: boolean
  /** `undefined` until detected. */
  tracer: Tracer.Tracer | undefined
  /** Whether the tracer has returned traces. */
  hasTraced: boolean
  /** Whether the node lacks a call tracer and returns struct logs instead. */
  hasStructLogs: boolean
  /** Numbers that the node rejected because they have no block; `undefined` if there are none. */
  nullRounds: NullRounds.Found | undefined
  /** Number of ranges that the node must return completely in two requests before a single request asks for blocks and parts. */
  rangesInTwo: number
}

/**
 * Longest pause granted to a node that requests one; afterwards it is called again.
 */
export const maxPause = Duration.minutes(1)

const traceMethod = /^(trace_|debug_trace)/

/**
 * Makes the endpoint of a node without sending a request. `limitsOf` is read before each call: see `Node.Options`.
 *
 * **Errors**
 * - `InvalidOption`: the URL is not an http or https URL; the message does not show it.
 */
export const make = Effect.fnUntraced(function* (
  options: NodeConfig.NodeOptions,
  fetch?: Fetch,
  traceLimits: TraceLimits = defaultTraceLimits,
  limitsOf: (node: NodeConfig.NodeOptions) => NodeConfig.CallLimits = (node) => node,
): Effect.fn.Return<NodeEndpoint, InvalidOption> {
  const { maxBatchSize, perSecond, url } = options
  const client = yield* RpcClient.make({
    url,
    maxPause,
    retry: { maxAttempts: 2 },
    headers: NodeConfig.headersOf(options),
    limitResult: (result, method) =>
      traceMethod.test(method) ? TraceBounds.bound(result, traceLimits) : { _tag: "Result", result },
    fetch: BoundedFetch.make(SignedFetch.forNode(options, fetch) ?? platformFetch, traceLimits),
    batch: { maxCalls: maxBatchSize },
    rateLimit: perSecond === undefined ? undefined : { perSecond: () => limitsOf(options).perSecond ?? perSecond },
  })
  const limiter = yield* ConcurrencyLimiter.make(client, {
    concurrency: () => limitsOf(options).concurrency ?? ConcurrencyLimiter.maxCalls,
    maxBatchSize,
  })
  return {
    host: client.host,
    limiter,
    calls: limiter.calls,
    batchSize: AdaptiveBatchSize.make(),
    rejectsHashes: false,
    missedReceipts: false,
    knowsFinalizedTag: undefined,
    hasFailedFinality: false,
    tracer: undefined,
    hasTraced: false,
    hasStructLogs: false,
    nullRounds: undefined,
    rangesInTwo: 1,
  }
})

/**
 * True for a node on this machine.
 */
export const isLocal = ({ host }: NodeEndpoint): boolean => /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(host)

/**
 * True for an error that the node would return again.
 */
export const isDefinite = (error: CallError): boolean => error._tag === "RpcError" && !error.isRetryable

/**
 * Header of a mined block; `null` for a pending or missing block.
 */
const headerOf = (
  block: {
    readonly number: bigint | null
    readonly hash: string | null
    readonly parentHash: string
    readonly timestamp: bigint
  } | null,
): Header | null =>
  block === null || block.number === null || block.hash === null
    ? null
    : {
        number: Number(block.number),
        hash: block.hash,
        parentHash: block.parentHash,
        timestamp: Number(block.timestamp),
      }

/**
 * True for a response with parts that do not decode or exceed the bounds: the node would return it again, but other parts of it may be
 * usable.
 */
export const isUndecodable = (error: CallError): boolean =>
  error._tag === "InvalidResponse" &&
  !error.isRetryable &&
  (error.reason === "too-large" || (error.reason === "content" && error.path.startsWith("result")))

const notUsable = ({ host }: NodeEndpoint, { expected, path, received }: Issue) =>
  new InvalidResponse({ host, attempts: [], reason: "content", path, received, expected })

/** A block by number or tag, with the hashes of its transactions. Only its links must decode. */
const linked = (
  endpoint: NodeEndpoint,
  block: number | "latest" | "finalized",
): Effect.Effect<HydratedBlock | null, CallError> => {
  const id = typeof block === "number" ? HexQuantity.of(block) : block
  const links = Effect.flatMap(
    endpoint.limiter.request({ method: "eth_getBlockByNumber", params: [id, false] }),
    (raw) => Effect.fromResult(Result.mapError(LenientBlock.readLinks(raw), (issue) => notUsable(endpoint, issue))),
  )
  const read: Effect.Effect<Block | HydratedBlock | null, CallError> = Effect.catchIf(
    endpoint.calls.eth_getBlockByNumber(block, false),
    isUndecodable,
    () => links,
  )
  // Sound: nothing of the transactions is used.
  return read as Effect.Effect<HydratedBlock | null, CallError>
}

/**
 * If the node rejected a number because it has no block, the empty block that stands for it; otherwise the error.
 */
export const substitute = (
  endpoint: NodeEndpoint,
  number: number,
  error: CallError,
): Effect.Effect<HydratedBlock, CallError> =>
  NullRounds.isNullRound(error)
    ? NullRounds.at(endpoint, number, error, (one) => linked(endpoint, one))
    : Effect.fail(error)

/**
 * `null` for a block that the node reports as not found with an error, as nodes of Avalanche, Cosmos and Conflux do.
 */
export const orNull: <A>(block: Effect.Effect<A, CallError>) => Effect.Effect<A | null, CallError> = Effect.catchIf(
  (error) => error._tag === "RpcError" && error.kind === "notFound",
  () => Effect.succeed(null),
)

/**
 * Header of a block by number or tag, of which only the links must decode; `null` for a pending or missing block.
 */
export const header = (
  endpoint: NodeEndpoint,
  block: number | "latest" | "finalized",
): Effect.Effect<Header | null, CallError> => {
  const read = linked(endpoint, block)
  const found =
    typeof block === "string" ? read : orNull(read.pipe(Effect.catch((error) => substitute(endpoint, block, error))))
  return Effect.map(found, headerOf)
}

/**
 * Head of the node.
 */
export const head = (endpoint: NodeEndpoint): Effect.Effect<Header, CallError> =>
  Effect.flatMap(header(endpoint, "latest"), (found) =>
    found === null
      ? Effect.fail(notUsable(endpoint, { path: "result", received: "null", expected: "the latest block" }))
      : Effect.succeed(found),
  )

/**
 * Last final block of the node; `null` if it does not know the tag, or keeps failing without ever having returned one. Gateways report an
 * unknown tag with a transient error.
 */
export const finalized = (endpoint: NodeEndpoint): Effect.Effect<Header | null, CallError> =>
  endpoint.knowsFinalizedTag === false
    ? Effect.succeed(null)
    : header(endpoint, "finalized").pipe(
        Effect.tap((found) =>
          Effect.sync(() => {
            if (found !== null) endpoint.knowsFinalizedTag = true
          }),
        ),
        Effect.catchTag("RpcError", (error) => {
          // A node that knows the tag returns no block for it until the first one is final.
          if (isDefinite(error) && error.kind !== "notFound") endpoint.knowsFinalizedTag = false
          const isFirst = error.isRetryable && !endpoint.hasFailedFinality
          endpoint.hasFailedFinality ||= isFirst
          return endpoint.knowsFinalizedTag === true || isFirst ? Effect.fail(error) : Effect.succeed(null)
        }),
      )

/**
 * Tracer of the node, detected once with a block that the node has.
 */
export const detectTracer = (endpoint: NodeEndpoint, block: BlockRef): Effect.Effect<Tracer.Tracer, CallError> =>
  endpoint.tracer === undefined
    ? Effect.tap(Tracer.detect(endpoint, block), (found) => Effect.sync(() => (endpoint.tracer = found)))
    : Effect.succeed(endpoint.tracer)

/**
 * Traces a block.
 *
 * **Details** If a tracer that never returned anything is reported as missing, it is detected again: a transient failure may have been
 * mistaken for support of the method.
 */
export const traces = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint,
  block: BlockRef,
): Effect.fn.Return<Traces, CallError> {
  const tracer = yield* detectTracer(endpoint, block)
  const outcome = yield* Effect.result(Tracer.traces(endpoint, tracer === "off" ? "trace_block" : tracer, block))
  if (outcome._tag === "Success") {
    endpoint.hasTraced = true
    return outcome.success
  }
  if (!endpoint.hasTraced && tracer !== "off" && Tracer.isMissing(outcome.failure)) endpoint.tracer = undefined
  return yield* Effect.fail(outcome.failure)
})
