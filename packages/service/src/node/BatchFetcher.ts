/**
 * Fetches several blocks from one node for a backfill. Far below the head, one request asks for the blocks, receipts and traces by number;
 * near the head it takes two: the blocks, then receipts (by block hash) and traces. Makes one attempt; missing parts are `null` and are
 * fetched one by one with failover. A node that has not returned a complete range gets two requests, so that one without blocks or receipts
 * receives no calls for their parts.
 */
import type { Call } from "@daybook/rpc/Method"
import type { CallError } from "@daybook/rpc/RpcError"
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Receipt } from "@daybook/schema/Receipt"
import type { FlatTrace } from "@daybook/schema/Trace"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { BlockRef } from "../block/BlockRows.ts"
import * as AdaptiveBatchSize from "./AdaptiveBatchSize.ts"
import * as BlockReceipts from "./BlockReceipts.ts"
import type { NodeEndpoint } from "./NodeEndpoint.ts"
import * as TraceFailure from "./TraceFailure.ts"
import type { Traces } from "../block/Traces.ts"

/**
 * Receipts and traces of a block.
 */
export interface Parts {
  readonly receipts: ReadonlyArray<Receipt>
  /** `null` if traces are off. */
  readonly traces: Traces | null
}

/**
 * Fetches blocks from one node, a range at a time. Never fails: missing parts are `null`.
 */
export interface BatchFetcher {
  /** Number of blocks to fetch at once, judging by the responses so far. */
  readonly size: number
  /** Blocks of these numbers, in order. */
  readonly blocks: (numbers: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<HydratedBlock | null>>
  /** Receipts and traces of these blocks, in order. */
  readonly parts: (blocks: ReadonlyArray<BlockReceipts.BlockTransactions>) => Effect.Effect<ReadonlyArray<Parts | null>>
}

/**
 * Dependencies of a fetcher besides its node.
 */
export interface Options {
  /** What the endpoint pool remembers of the node. */
  readonly support: BlockReceipts.Support
  /**
   * Traces of one block, `null` if they are off. Used if the node does not store traces: executing a block again takes so long that each
   * block is traced separately.
   */
  readonly traces: (block: BlockRef) => Effect.Effect<Traces | null, unknown>
  /** True for a block so far below the head that its number identifies it. */
  readonly isSettled: (number: number) => boolean
  /** Whether there is no other node. */
  readonly isOnly: boolean
  /** Records that the node failed a whole request. */
  readonly onFailure: (error: CallError) => Effect.Effect<void>
}

/** What was fetched of a range so far. */
interface Range {
  /** Number of blocks in the range, some of which may need no parts. */
  requested: number
  weightOfBlocks: number
  /** Parts that arrived with the blocks, by block number; it is not verified yet that they match. */
  received: ReadonlyMap<number, ReceivedParts>
}

/** Parts of a block that were requested by its number. */
interface ReceivedParts {
  readonly receipts: ReadonlyArray<Receipt> | null
  readonly traces: Traces | null
}

const noneReceived: Range["received"] = new Map()

/** Values of calls to one method. Sound if the method returns `A`. */
const valuesOf = <A>(results: ReadonlyArray<Result.Result<unknown, CallError>>): ReadonlyArray<A | null> =>
  results.map((result) => (Result.isSuccess(result) ? (result.success as A) : null))

/** Traces from the result of `trace_block`; `null` if they must be requested again, from this node or another one. */
const flatOf = (result: Result.Result<unknown, CallError>, { isOnly }: Options): Traces | null => {
  if (Result.isFailure(result)) {
    return isOnly && TraceFailure.isFinal({ cause: result.failure }, 0)
      ? { _tag: "Untraced", reason: TraceFailure.reasonOf(result.failure) }
      : null
  }
  // Sound: the result is that of the method, which is decoded by its schema.
  const traces = result.success as ReadonlyArray<FlatTrace> | null
  return traces === null ? null : { _tag: "Flat", traces }
}

const send = Effect.fnUntraced(function* (
  { batchSize, limiter }: NodeEndpoint,
  { onFailure }: Options,
  calls: ReadonlyArray<Call>,
  requested: number,
) {
  const { isOverloaded, millis, results } = yield* limiter.batch(calls)
  batchSize.answered(requested, millis, isOverloaded)
  const failures = results.filter(Result.isFailure)
  const [first] = failures
  if (first !== undefined && failures.length === results.length) yield* onFailure(first.failure)
  return results
})

/** Call for a block with its transactions. */
export const blockCall = (number: number): Call => ({ method: "eth_getBlockByNumber", params: [number, true] })
/** Call for the receipts of a block by its number. */
export const receiptsCall = (number: number): Call => ({ method: BlockReceipts.byBlock, params: [number] })
const traceCall = (number: number): Call => ({ method: "trace_block", params: [number] })

/** Number of blocks of one range that are traced concurrently, each on its own. */
const tracedAtOnce = 4

/** Traces of blocks that are traced separately; none for a block that follows more data than a range should hold. */
const traceEach = (
  refs: ReadonlyArray<BlockReceipts.BlockTransactions>,
  { traces }: Options,
): Effect.Effect<ReadonlyArray<Option.Option<Traces | null>>> =>
  Effect.suspend(() => {
    let weight = 0
    const trace = (ref: BlockReceipts.BlockTransactions) =>
      Effect.suspend(() => {
        if (weight > AdaptiveBatchSize.maxWeight) return Effect.succeedNone
        const weigh = (found: Traces | null) =>
          Effect.sync(() => (weight += found === null ? 0 : AdaptiveBatchSize.ofTraces(found)))
        return Effect.option(Effect.tap(traces(ref), weigh))
      })
    return Effect.forEach(refs, trace, { concurrency: tracedAtOnce })
  })

/** Traces stored by the node come in the same request as the receipts; others are executed block by block, concurrently with it. */
const sendForParts = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint,
  options: Options,
  refs: ReadonlyArray<BlockReceipts.BlockTransactions>,
  requested: number,
) {
  const isStored = endpoint.tracer === "trace_block"
  const isSingle = options.support.isUnsupported(BlockReceipts.byBlock)
  const receiptCalls = refs.map((ref) => BlockReceipts.callsOf(endpoint, ref, isSingle))
  const traceCalls = isStored ? refs.map(({ number }) => traceCall(number)) : []
  const [results, rerun] = yield* Effect.all(
    [
      send(endpoint, options, [...receiptCalls.flat(), ...traceCalls], requested),
      isStored ? Effect.succeed(null) : traceEach(refs, options),
    ],
    { concurrency: 2 },
  )
  let at = 0
  const receipts = receiptCalls.map(({ length }) =>
    BlockReceipts.fromResults(results.slice(at, (at += length)), isSingle),
  )
  return { receipts, flat: results.slice(at).map((result) => flatOf(result, options)), rerun }
})

/** Parts that arrived with a block, `null` if the node lacks them; `undefined` if they must be requested by hash. */
const belonging = (
  { received }: Range,
  { hash, number }: BlockReceipts.BlockTransactions,
): Parts | null | undefined => {
  const found = received.get(number)
  if (found === undefined) return undefined
  const { receipts, traces } = found
  if (receipts === null || traces === null) return null
  const isOfBlock =
    receipts.every(({ blockHash }) => blockHash === hash) &&
    (traces._tag !== "Flat" || traces.traces.every(({ blockHash }) => blockHash == null || blockHash === hash))
  return isOfBlock ? { receipts, traces } : undefined
}

const requestParts = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint,
  options: Options,
  refs: ReadonlyArray<BlockReceipts.BlockTransactions>,
  range: Range,
): Effect.fn.Return<ReadonlyArray<Parts | null>> {
  if (refs.length === 0) return []
  const requested = Math.max(range.requested, refs.length)
  const { flat, receipts, rerun } = yield* sendForParts(endpoint, options, refs, requested)
  let weight = range.weightOfBlocks
  const parts = refs.map((_, at): Parts | null => {
    const own = receipts[at] ?? null
    if (own === null) return null
    weight += AdaptiveBatchSize.ofReceipts(own)
    if (rerun !== null) {
      const traces = rerun[at]
      if (traces === undefined || traces._tag === "None") return null
      if (traces.value !== null) weight += AdaptiveBatchSize.ofTraces(traces.value)
      return { receipts: own, traces: traces.value }
    }
    const traces = flat[at] ?? null
    if (traces === null) return null
    weight += AdaptiveBatchSize.ofTraces(traces)
    if (traces._tag === "Flat") endpoint.hasTraced = true
    return { receipts: own, traces }
  })
  endpoint.batchSize.weighed(requested, weight)
  if (!parts.includes(null) && endpoint.rangesInTwo > 0) endpoint.rangesInTwo -= 1
  return parts
})

/** Parts of blocks: those that arrived with them, and the others from a second request. */
const fetchParts = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint,
  options: Options,
  refs: ReadonlyArray<BlockReceipts.BlockTransactions>,
  range: Range,
): Effect.fn.Return<ReadonlyArray<Parts | null>> {
  const parts = new Map<BlockReceipts.BlockTransactions, Parts | null>()
  for (const ref of refs) {
    const found = belonging(range, ref)
    if (found !== undefined) parts.set(ref, found)
  }
  const missing = refs.filter((ref) => !parts.has(ref))
  const fetched = yield* requestParts(endpoint, options, missing, range)
  for (const [at, ref] of missing.entries()) parts.set(ref, fetched[at] ?? null)
  return refs.map((ref) => parts.get(ref) ?? null)
})

/** Number of ranges that a node must return completely after a single-request range was incomplete. */
const rangesAfterLack = 16

/** True if one request may ask for blocks and parts by number: the node stores traces and has returned complete ranges. */
const isAskedByNumber = (
  { rangesInTwo, tracer }: NodeEndpoint,
  { isSettled, support }: Options,
  numbers: ReadonlyArray<number>,
): boolean =>
  rangesInTwo === 0 &&
  tracer === "trace_block" &&
  !support.isUnsupported(BlockReceipts.byBlock) &&
  numbers.every((one) => isSettled(one))

const fetchWhole = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint,
  options: Options,
  numbers: ReadonlyArray<number>,
  range: Range,
): Effect.fn.Return<ReadonlyArray<HydratedBlock | null>> {
  const { length } = numbers
  const calls = [...numbers.map(blockCall), ...numbers.map(receiptsCall), ...numbers.map(traceCall)]
  const results = yield* send(endpoint, options, calls, length)
  const blocks = valuesOf<HydratedBlock>(results.slice(0, length))
  let weight = blocks.reduce((sum, block) => sum + (block === null ? 0 : AdaptiveBatchSize.ofBlock(block)), 0)
  range.requested = length
  range.weightOfBlocks = weight
  range.received = new Map(
    numbers.map((number, at) => {
      const receipts = BlockReceipts.fromResults(results.slice(length + at, length + at + 1), false)
      const traces = flatOf(results[2 * length + at]!, options)
      if (receipts !== null) weight += AdaptiveBatchSize.ofReceipts(receipts)
      if (traces !== null) weight += AdaptiveBatchSize.ofTraces(traces)
      if (traces?._tag === "Flat") endpoint.hasTraced = true
      return [number, { receipts, traces }]
    }),
  )
  endpoint.batchSize.weighed(length, weight)
  const lacksParts = [...range.received.values()].some(({ receipts, traces }) => receipts === null || traces === null)
  if (lacksParts || blocks.includes(null)) endpoint.rangesInTwo = rangesAfterLack
  return blocks
})

const fetchBlocks = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint,
  options: Options,
  numbers: ReadonlyArray<number>,
  range: Range,
): Effect.fn.Return<ReadonlyArray<HydratedBlock | null>> {
  range.received = noneReceived
  const blocks = valuesOf<HydratedBlock>(yield* send(endpoint, options, numbers.map(blockCall), numbers.length))
  range.requested = numbers.length
  range.weightOfBlocks = blocks.reduce((sum, block) => sum + (block === null ? 0 : AdaptiveBatchSize.ofBlock(block)), 0)
  endpoint.batchSize.weighed(range.requested, range.weightOfBlocks)
  return blocks
})

/**
 * Makes a fetcher for one range of blocks.
 */
export const make = (endpoint: NodeEndpoint, options: Options): BatchFetcher => {
  const range: Range = { requested: 0, weightOfBlocks: 0, received: noneReceived }
  return {
    get size() {
      return endpoint.batchSize.size()
    },
    blocks: (numbers) =>
      isAskedByNumber(endpoint, options, numbers)
        ? fetchWhole(endpoint, options, numbers, range)
        : fetchBlocks(endpoint, options, numbers, range),
    parts: (refs) => fetchParts(endpoint, options, refs, range),
  }
}

/**
 * Fetches nothing, so that each block is fetched on its own.
 */
export const none: BatchFetcher = {
  size: 1,
  blocks: (numbers) => Effect.succeed(numbers.map(() => null)),
  parts: (refs) => Effect.succeed(refs.map(() => null)),
}
