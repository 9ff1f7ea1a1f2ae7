/**
 * Connection to the nodes of one chain: the calls of an indexer over `@daybook/rpc`, with failover between URLs and the blocks of a
 * backfill spread over all of them. Every node's chain is verified before its responses are used. Stores nothing and decides nothing about
 * reorgs.
 */
import * as EndpointPool from "@daybook/rpc/EndpointPool"
import type { Call } from "@daybook/rpc/Method"
import type { CallError } from "@daybook/rpc/RpcError"
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Receipt } from "@daybook/schema/Receipt"
import type { InvalidOption } from "@daybook/transport/ClientError"
import { platformFetch } from "@daybook/transport/Http"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as NodeConfig from "../config/NodeConfig.ts"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type { BlockRef } from "../block/BlockRows.ts"
import type { SingleTrace as SingleTraceValue, Traces, TraceSource } from "../block/Traces.ts"
import * as BatchFetcher from "./BatchFetcher.ts"
import * as BlockParts from "./BlockParts.ts"
import * as BlockReceipts from "./BlockReceipts.ts"
import * as CallBatch from "./CallBatch.ts"
import * as Finality from "./Finality.ts"
import * as HeadTracker from "./HeadTracker.ts"
import type { LenientBlock } from "./LenientBlock.ts"
import type { LenientReceipts } from "./LenientReceipts.ts"
import * as NodeCapabilities from "./NodeCapabilities.ts"
import { ask, type Context, endpointsOf, type Options, type Pool, supportOf, whereOf } from "./NodeContext.ts"
import * as NodeEndpoint from "./NodeEndpoint.ts"
import * as NodeError from "./NodeError.ts"
import * as NodeVerdict from "./NodeVerdict.ts"
import * as TraceFailure from "./TraceFailure.ts"
import * as TimedFetch from "./TimedFetch.ts"
import * as Tracer from "./Tracer.ts"
import * as SingleTrace from "./SingleTrace.ts"

export type { Options } from "./NodeContext.ts"

/**
 * The nodes of one chain.
 */
export interface Node {
  /** Head of the nodes. */
  readonly head: Effect.Effect<NodeEndpoint.Header, NodeError.NodeError>
  /** Last final block of the nodes; `null` if they do not know the tag. */
  readonly finalized: Effect.Effect<NodeEndpoint.Header | null, NodeError.NodeError>
  /** Header by number; `null` if it does not exist yet. */
  readonly header: (number: number) => Effect.Effect<NodeEndpoint.Header | null, NodeError.NodeError>
  /** Block by number with its transactions; `null` if it does not exist yet. */
  readonly block: (number: number) => Effect.Effect<HydratedBlock | null, NodeError.NodeError>
  /** Block as far as it decodes, for one that does not decode as a whole at any node. */
  readonly lenientBlock: (number: number) => Effect.Effect<LenientBlock | null, NodeError.NodeError>
  /** Receipts of a block, by its hash or one by one; `null` if no node has them. */
  readonly receipts: (
    block: BlockReceipts.BlockTransactions,
  ) => Effect.Effect<ReadonlyArray<Receipt> | null, NodeError.NodeError>
  /** Receipts as far as they decode, for those that do not decode as a whole at any node. */
  readonly lenientReceipts: (
    block: BlockReceipts.BlockTransactions,
  ) => Effect.Effect<LenientReceipts | null, NodeError.NodeError>
  /** Receipt of one transaction; `null` if no node has it. */
  readonly receipt: (hash: string, block: BlockRef) => Effect.Effect<Receipt | null, NodeError.NodeError>
  /**
   * Traces of a block; `null` if traces are off. `failures` is the number of previous failed turns, after which a temporary failure counts
   * as permanent: see `TraceFailure`.
   */
  readonly traces: (block: BlockRef, failures?: number) => Effect.Effect<Traces | null, NodeError.NodeError>
  /** Trace of one transaction; `null` if no node knows it. */
  readonly transactionTrace: (
    hash: string,
    block: BlockRef,
  ) => Effect.Effect<SingleTraceValue | null, NodeError.NodeError>
  /** Results of several calls in order, from one node. Fails if none yields a result: see `CallBatch`. */
  readonly batch: (
    calls: ReadonlyArray<Call>,
    task: CallBatch.Task,
  ) => Effect.Effect<CallBatch.Results, NodeError.NodeError>
  /** The tracer of the nodes, detected once. Fails while a node that may have one does not respond. */
  readonly traceSource: Effect.Effect<TraceSource, NodeError.NodeError>
  /** If no tracer was found, detects it again when it is next needed. */
  readonly forgetMissingTracer: Effect.Effect<void>
  /** False if traces are disabled by configuration. */
  readonly wantsTraces: boolean
  /** Verifies the chain id of a node again, regardless of earlier results. */
  readonly checkChain: Effect.Effect<void, NodeError.NodeError>
  /** Selects a node and returns a fetcher for several blocks starting at a number. */
  readonly batchFetcher: (number: number) => Effect.Effect<BatchFetcher.BatchFetcher>
  /** Minimum latency of the most distant node, in milliseconds; 0 before the first response. */
  readonly latencyMillis: () => number
  /** What the nodes do not offer, judging by their responses; `null` for nothing. */
  readonly lacking: () => string | null
  /** Host and port of the nodes, for messages. */
  readonly hosts: ReadonlyArray<string>
  /** True for a block so far below the head that every node with full history has it. */
  readonly isSettled: (number: number) => boolean
  /** True if every node is on this machine, so that frequent polling is cheap. */
  readonly isLocal: boolean
  /** Each node separately, in order of preference, to fetch a block from another node after an invalid one. Absent for a single node. */
  readonly each?: ReadonlyArray<Node> | undefined
}

const cooldown = "5 seconds"

/** Advice for nodes that cannot trace a block. It names the command, because `daybook dev` has no configuration. */
const tracingAdvice = 'Use an archive node, or "traces": "off" in the configuration of "daybook serve".'

/** Advice for nodes without old blocks. */
export const historyAdvice =
  'Pruned? Use a node with full history, or begin later with "fromBlock" in the configuration of "daybook serve".'

/** Time limit for a node that is called concurrently with others, so that an unresponsive node does not delay them. */
const promptMillis = 2_000

/** Polls the head of every node and prefers the node with the highest head. */
const highestHead = Effect.fnUntraced(function* (
  context: Context,
  known: NodeEndpoint.Header,
): Effect.fn.Return<NodeEndpoint.Header> {
  const { pool } = context
  const heads = yield* Effect.forEach(
    endpointsOf(context),
    ([index, endpoint]) =>
      Effect.option(Effect.timeout(Effect.andThen(pool.verify(index), NodeEndpoint.head(endpoint)), promptMillis)).pipe(
        Effect.map((found) => ({ index, found })),
      ),
    { concurrency: "unbounded" },
  )
  let highest = known
  for (const { found, index } of heads) {
    if (found._tag === "None" || found.value.number <= highest.number) continue
    highest = found.value
    pool.note({ _tag: "Preferred", index })
  }
  return highest
})

const head = Effect.fnUntraced(function* (
  context: Context,
): Effect.fn.Return<NodeEndpoint.Header, NodeError.NodeError> {
  const found = yield* ask(context, { what: "return the latest block", isHead: true }, NodeEndpoint.head)
  const isBehind = HeadTracker.isBehind(context.heads, found)
  const highest = isBehind && context.among.length > 1 ? yield* highestHead(context, found) : found
  context.heads = HeadTracker.polled(context.heads, highest, isBehind)
  return highest
})

const sourceOf = (tracer: Tracer.Tracer): TraceSource =>
  tracer === "debug_traceBlockByHash" || tracer === "debug_traceBlockByNumber" ? "debug_traceBlock" : tracer

const detectSource = Effect.fnUntraced(function* (
  context: Context,
): Effect.fn.Return<TraceSource, NodeError.NodeError> {
  const block = context.heads.newest ?? (yield* head(context))
  let undecided: CallError | NodeError.WrongChain | undefined
  for (const [index, endpoint] of endpointsOf(context)) {
    const detected = yield* Effect.result(
      Effect.andThen(context.pool.verify(index), NodeEndpoint.detectTracer(endpoint, block)),
    )
    if (Result.isFailure(detected)) undecided = detected.failure
    else if (detected.success !== "off") return sourceOf(detected.success)
  }
  if (undecided === undefined) return "off"
  return yield* Effect.fail(
    NodeVerdict.errorOf([undecided], whereOf(context), { what: "trace a block", advice: tracingAdvice }),
  )
})

const traceSource = Effect.fnUntraced(function* (context: Context): Effect.fn.Return<TraceSource, NodeError.NodeError> {
  if (context.options.traces === "off") return "off"
  if (context.source !== undefined && !context.isDoubtful) return context.source
  if (context.sourceOfAll !== undefined) return yield* context.sourceOfAll
  context.source = yield* detectSource(context)
  context.isDoubtful = false
  return context.source
})

/** The last detected source: within a turn, blocks must not be stored without traces because a tracer was lost. */
const knownSource = (context: Context): Effect.Effect<TraceSource, NodeError.NodeError> =>
  Effect.suspend(() => (context.source === undefined ? traceSource(context) : Effect.succeed(context.source)))

const forgetMissingTracer = (context: Context): Effect.Effect<void> =>
  Effect.sync(() => {
    if (context.source === "off") context.source = undefined
    for (const [, endpoint] of endpointsOf(context)) if (endpoint.tracer === "off") endpoint.tracer = undefined
  })

/** The nodes that have or may have a tracer; all of them if none has. */
const tracing = (context: Context): ReadonlyArray<number> => {
  const indexes = endpointsOf(context).flatMap(([index, { tracer }]) => (tracer === "off" ? [] : [index]))
  return indexes.length === 0 ? context.among : indexes
}

const traceBlock = (context: Context, block: BlockRef): Effect.Effect<Traces, NodeError.NodeError> => {
  const trace = (endpoint: NodeEndpoint.NodeEndpoint) =>
    Effect.tapError(NodeEndpoint.traces(endpoint, block), (error) =>
      Effect.sync(() => {
        const isDoubtful = Tracer.isMissing(error) && !endpointsOf(context).some(([, { hasTraced }]) => hasTraced)
        if (isDoubtful) context.isDoubtful = true
      }),
    )
  const task = { what: `trace block ${block.number}`, advice: tracingAdvice }
  return ask(context, task, trace, block.number, tracing(context))
}

/** True if the nodes can trace another block, so that a repeated failure concerns the block. */
const tracesOthers = Effect.fnUntraced(function* (context: Context, block: BlockRef): Effect.fn.Return<boolean> {
  const known = [context.traced, context.heads.newest].find((one) => one != null && one.number !== block.number)
  const other = known ?? (yield* Effect.orElseSucceed(header(context, Math.max(0, block.number - 1)), () => null))
  return other !== null && other.number !== block.number && (yield* Effect.isSuccess(traceBlock(context, other)))
})

/** True if a block is stored without its traces. After this happened because of possibly transient failures, the next block waits less. */
const treatAsMissing = Effect.fnUntraced(function* (
  context: Context,
  block: BlockRef,
  failure: TraceFailure.Failure,
  failures: number,
): Effect.fn.Return<boolean> {
  if (TraceFailure.kindOfAll(failure) === "permanent") return true
  // A node that does not know the block yet is lagging, whatever happened to other blocks.
  const isKnown = context.tracingAbandoned && failures > 0 && !TraceFailure.isLagging(failure)
  const isDue = TraceFailure.isFinal(failure, isKnown ? TraceFailure.maxFailures : failures)
  return isDue && (yield* tracesOthers(context, block))
})

const traces = Effect.fnUntraced(function* (
  context: Context,
  block: BlockRef,
  failures: number,
): Effect.fn.Return<Traces | null, NodeError.NodeError> {
  if ((yield* knownSource(context)) === "off") return null
  const outcome = yield* Effect.result(traceBlock(context, block))
  if (Result.isSuccess(outcome)) {
    context.traced = { number: block.number, hash: block.hash }
    context.tracingAbandoned = false
    return outcome.success
  }
  const { failure } = outcome
  if (failure._tag !== "NodeFailed" || !(yield* treatAsMissing(context, block, failure, failures))) {
    return yield* Effect.fail(failure)
  }
  // What is permanently missing for one block proves nothing about a transient failure of the next.
  if (TraceFailure.kindOfAll(failure) !== "permanent") context.tracingAbandoned = true
  return { _tag: "Untraced", reason: TraceFailure.reasonOf(failure.cause) }
})

/** A fetcher on one node. */
const fetcherAt = (context: Context, index: number): BatchFetcher.BatchFetcher => {
  const { among, pool } = context
  const endpoint = pool.endpoints[index]
  if (endpoint === undefined) return BatchFetcher.none
  const onFailure = (error: CallError) =>
    Effect.map(MonotonicClock.millis, (now) =>
      pool.note({ _tag: "Judged", index, verdict: NodeVerdict.fromFailure(error), now }),
    )
  const support = supportOf(context, index)
  const isOnly = among.length === 1
  return BatchFetcher.make(endpoint, {
    support,
    isSettled: (one) => HeadTracker.isSettled(context.heads, one),
    isOnly,
    traces: (block) => traces(context, block, 0),
    onFailure,
  })
}

/** Verifies a node; if it fails or does not respond soon, returns false and leaves it alone for a while. */
const isUsable = Effect.fnUntraced(function* ({ pool }: Context, index: number): Effect.fn.Return<boolean> {
  const verdict = yield* pool.verify(index).pipe(
    Effect.match({ onFailure: NodeVerdict.fromFailure, onSuccess: () => null }),
    Effect.timeoutOrElse({
      duration: promptMillis,
      orElse: () => Effect.succeed<EndpointPool.Verdict>({ _tag: "Unavailable" }),
    }),
  )
  if (verdict !== null) pool.note({ _tag: "Judged", index, verdict, now: yield* MonotonicClock.millis })
  return verdict === null
})

/** A fetcher on the next node in turn far below the head, or on the preferred one near it; on another one if that is unusable. */
const batchFetcher = Effect.fnUntraced(function* (
  context: Context,
  number: number,
): Effect.fn.Return<BatchFetcher.BatchFetcher> {
  const { among, heads, pool } = context
  const strategy = HeadTracker.isSettled(heads, number) ? "spread" : "sticky"
  const order = EndpointPool.callOrder(pool.state(), { now: yield* MonotonicClock.millis, strategy, among })
  if (strategy === "spread") pool.note({ _tag: "TurnTaken" })
  for (const index of order) if (yield* isUsable(context, index)) return fetcherAt(context, index)
  return BatchFetcher.none
})

const header = (context: Context, number: number) =>
  Effect.map(
    ask(context, { what: `return the header of block ${number}` }, (endpoint) => NodeEndpoint.header(endpoint, number)),
    (found) => (found?.number === number ? found : null),
  )

const finalityTask = { what: "return the finalized block" }

/** Task of reading a block or its receipts. */
const taskOf = (what: string): NodeError.Task => ({ what, advice: historyAdvice })

const checkChain = (context: Context): Effect.Effect<void, NodeError.NodeError> =>
  Effect.suspend(() => {
    context.pool.note({ _tag: "VerificationReset" })
    return ask(context, { what: "return its chain id", isHead: true }, () => Effect.void)
  })

/** What each node lacks, with its host if there are several. */
const lacking = (context: Context): string | null => {
  const endpoints = endpointsOf(context)
  const parts = endpoints.flatMap(([index, endpoint]) => {
    const text = NodeCapabilities.lacking(endpoint, supportOf(context, index).isUnsupported)
    if (text === null) return []
    return [endpoints.length === 1 ? text : `${endpoint.host}: ${text}`]
  })
  return parts.length === 0 ? null : parts.join("; ")
}

const build = (
  pool: Pool,
  among: ReadonlyArray<number>,
  options: Options,
  sourceOfAll?: Effect.Effect<TraceSource, NodeError.NodeError>,
): Node => {
  const context: Context = {
    pool: pool.restrict(among),
    among,
    options,
    sourceOfAll,
    heads: HeadTracker.initial,
    source: undefined,
    isDoubtful: false,
    traced: undefined,
    tracingAbandoned: false,
  }
  const source = Effect.suspend(() => traceSource(context))
  const each =
    among.length === 1 ? undefined : among.map((index) => build(pool, [index], options, knownSource(context)))
  return {
    head: Effect.suspend(() => head(context)),
    finalized: Finality.make({
      endpoints: () => endpointsOf(context),
      ask: (question, nodes) => ask(context, finalityTask, question, undefined, nodes),
    }),
    header: (number) => header(context, number),
    block: (number) =>
      ask(context, taskOf(`return block ${number}`), (endpoint) => BlockParts.fetch(endpoint, number), number),
    lenientBlock: (number) =>
      ask(context, taskOf(`return block ${number}`), (endpoint) => BlockParts.fetchLenient(endpoint, number), number),
    receipts: (block) =>
      ask(
        context,
        taskOf(`return the receipts of block ${block.number}`),
        (endpoint, index) => BlockReceipts.fetch(endpoint, block, supportOf(context, index)),
        block.number,
      ),
    lenientReceipts: (block) =>
      ask(
        context,
        taskOf(`return the receipts of block ${block.number}`),
        (endpoint, index) => BlockReceipts.fetchLenient(endpoint, block, supportOf(context, index)),
        block.number,
      ),
    receipt: (hash, block) =>
      ask(
        context,
        { what: `return the receipt of transaction ${hash}` },
        ({ calls }) => calls.eth_getTransactionReceipt(hash),
        block.number,
      ),
    traces: (block, failures = 0) => traces(context, block, failures),
    transactionTrace: (hash, block) =>
      ask(
        context,
        { what: `trace transaction ${hash}` },
        (endpoint, index) => SingleTrace.trace(endpoint, hash, supportOf(context, index)),
        block.number,
        tracing(context),
      ),
    batch: (calls, task) => ask(context, task, ({ limiter }) => CallBatch.send(limiter, calls, task), task.block),
    traceSource: source,
    forgetMissingTracer: forgetMissingTracer(context),
    wantsTraces: options.traces !== "off",
    checkChain: checkChain(context),
    batchFetcher: (number) => batchFetcher(context, number),
    latencyMillis: () => Math.max(...endpointsOf(context).map(([, { limiter }]) => limiter.latencyMillis())),
    lacking: () => lacking(context),
    hosts: endpointsOf(context).map(([, { host }]) => host),
    isSettled: (number) => HeadTracker.isSettled(context.heads, number),
    isLocal: endpointsOf(context).every(([, endpoint]) => NodeEndpoint.isLocal(endpoint)),
    each,
  }
}

const verifyChain = Effect.fnUntraced(function* (
  { calls, host }: NodeEndpoint.NodeEndpoint,
  configured: number,
): Effect.fn.Return<void, CallError | NodeError.WrongChain> {
  const found = yield* calls.eth_chainId()
  if (found !== BigInt(configured)) return yield* new NodeError.WrongChain({ host, configured, found })
})

/**
 * Makes the connection to the nodes of a chain without sending a request.
 *
 * **Errors**
 * - `InvalidOption`: a URL is not an http or https URL; the message does not show it.
 */
export const make = Effect.fn("Node.make")(function* (options: Options): Effect.fn.Return<Node, InvalidOption> {
  const { fetch = platformFetch, limitsOf, onRequest, traceLimits } = options
  const now = yield* MonotonicClock.reader
  const endpoints = yield* Effect.forEach(options.urls, (node, index) => {
    const observed =
      onRequest === undefined ? fetch : TimedFetch.make(fetch, (...request) => onRequest(index, ...request), now)
    return NodeEndpoint.make(NodeConfig.toOptions(node), observed, traceLimits, limitsOf)
  })
  const verify = (endpoint: NodeEndpoint.NodeEndpoint) => verifyChain(endpoint, options.chainId)
  const pool: Pool = EndpointPool.make({ endpoints, cooldown, maxPause: NodeEndpoint.maxPause, verify })
  return build(pool, [...endpoints.keys()], options)
})
