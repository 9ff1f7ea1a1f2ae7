/**
 * One node of a chain: its client, what it has shown of its capabilities, and the calls that depend on them.
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

/**
 * Number, hash and link of a block.
 */
export interface Header extends BlockRef {
  readonly parentHash: string
  /** Seconds since 1970. */
  readonly timestamp?: number
}

/**
 * A node. The fields that are not readonly hold what its responses have shown.
 */
export interface NodeEndpoint {
  readonly host: string
  readonly limiter: ConcurrencyLimiter.ConcurrencyLimiter
  /** Calls within the concurrency limit. */
  readonly calls: Methods
  readonly batchSize: AdaptiveBatchSize.AdaptiveBatchSize
  /** `eth_getBlockReceipts` takes no hash of a block, only its number. */
  rejectsHashes: boolean
  /** The receipts of the last block that was asked for one by one were missing. */
  missedReceipts: boolean
  /** The node knows the `finalized` tag; `undefined` until it returns a final block, or refuses the tag. */
  knowsFinalizedTag: boolean | undefined
  /** The node has failed on the `finalized` tag by an error that may pass. */
  hasFailedFinality: boolean
  /** `undefined` until it is detected. */
  tracer: Tracer.Tracer | undefined
  /** The tracer has returned traces. */
  hasTraced: boolean
  /** The node has no call tracer: the tracer returns struct logs. */
  hasStructLogs: boolean
  /** Numbers that the node has refused as those of no block; `undefined` until it has. */
  nullRounds: NullRounds.Found | undefined
  /** Ranges of blocks that the node has to give whole in two requests before one request asks for blocks and parts. */
  rangesInTwo: number
}

/**
 * Longest pause granted to a node that asks for one; then it is asked again.
 */
export const maxPause = Duration.minutes(1)

const traceMethod = /^(trace_|debug_trace)/

/**
 * Makes the endpoint of a node. No request is made. `limitsOf` is read before each call: see `Node.Options`.
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
 * Header of a mined block; `null` for a pending one, or none.
 */
export const headerOf = (
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
 * True for a response of which something does not decode, or that exceeds the bounds: the node would return it again, and other parts
 * of it may be used.
 */
export const isUndecodable = (error: CallError): boolean =>
  error._tag === "InvalidResponse" &&
  !error.isRetryable &&
  (error.reason === "too-large" || (error.reason === "content" && error.path.startsWith("result")))

const notUsable = ({ host }: NodeEndpoint, { expected, path, received }: Issue) =>
  new InvalidResponse({ host, attempts: [], reason: "content", path, received, expected })

/** A block by its number or tag, with the hashes of its transactions, of which nothing but the links need decode. */
const linked = (
  endpoint: NodeEndpoint,
  block: number | "latest" | "finalized",
): Effect.Effect<HydratedBlock | null, CallError> => {
  const id = typeof block === "number" ? `0x${block.toString(16)}` : block
  const links = Effect.flatMap(
    endpoint.limiter.request({ method: "eth_getBlockByNumber", params: [id, false] }),
    (raw) => Effect.fromResult(Result.mapError(LenientBlock.readLinks(raw), (issue) => notUsable(endpoint, issue))),
  )
  const read: Effect.Effect<Block | HydratedBlock | null, CallError> = Effect.catchIf(
    endpoint.calls.eth_getBlockByNumber(block, false),
    isUndecodable,
    () => links,
  )
  // Sound: nothing is used of the transactions.
  return read as Effect.Effect<HydratedBlock | null, CallError>
}

/**
 * The block without transactions that stands for a number without a block, where the node refused a number for that; else the error.
 */
export const standIn = (
  endpoint: NodeEndpoint,
  number: number,
  error: CallError,
): Effect.Effect<HydratedBlock, CallError> =>
  NullRounds.isNullRound(error)
    ? NullRounds.at(endpoint, number, error, (one) => linked(endpoint, one))
    : Effect.fail(error)

/**
 * `null` for a block that the node reports as not found by an error, as those of Avalanche, Cosmos and Conflux do.
 */
export const orNull: <A>(block: Effect.Effect<A, CallError>) => Effect.Effect<A | null, CallError> = Effect.catchIf(
  (error) => error._tag === "RpcError" && error.kind === "notFound",
  () => Effect.succeed(null),
)

/**
 * Header of a block by its number or tag, of which nothing but the links need decode; `null` for a pending one, or none.
 */
export const header = (
  endpoint: NodeEndpoint,
  block: number | "latest" | "finalized",
): Effect.Effect<Header | null, CallError> => {
  const read = linked(endpoint, block)
  const found =
    typeof block === "string" ? read : orNull(read.pipe(Effect.catch((error) => standIn(endpoint, block, error))))
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
 * The last block that the node calls final; `null` where it does not know the tag, or fails again and has not returned one yet.
 * Gateways give an error that may pass for a tag that they do not know.
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
          // A node that knows the tag has no block for it until the first one is final.
          if (isDefinite(error) && error.kind !== "notFound") endpoint.knowsFinalizedTag = false
          const isFirst = error.isRetryable && !endpoint.hasFailedFinality
          endpoint.hasFailedFinality ||= isFirst
          return endpoint.knowsFinalizedTag === true || isFirst ? Effect.fail(error) : Effect.succeed(null)
        }),
      )

/**
 * Tracer of the node, detected once, with a block that the node has.
 */
export const detectTracer = (endpoint: NodeEndpoint, block: BlockRef): Effect.Effect<Tracer.Tracer, CallError> =>
  endpoint.tracer === undefined
    ? Effect.tap(Tracer.detect(endpoint, block), (found) => Effect.sync(() => (endpoint.tracer = found)))
    : Effect.succeed(endpoint.tracer)

/**
 * Traces of a block.
 *
 * **Details**
 * A tracer that has never returned anything and is then reported as missing is forgotten. A passing failure may have been taken for a
 * method that the node never had, so it is detected again.
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
