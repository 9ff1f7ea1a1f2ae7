/**
 * Fetches several blocks of one node for a backfill. Far below the head one request asks for the blocks, their receipts and traces by
 * number; near it two do: the blocks, then their receipts (by the hashes of the blocks) and traces. Makes one attempt; missing parts are
 * `null` and are fetched one by one with failover. A node that has not given a whole range is asked in two requests, so that one
 * without blocks or receipts gets no calls for their parts.
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
  /** `null` where traces are off. */
  readonly traces: Traces | null
}

/**
 * Fetches blocks of one node, a range at a time. Never fails: what is missing is `null`.
 */
export interface BatchFetcher {
  /** Number of blocks to fetch at once, by the responses so far. */
  readonly size: number
  /** Blocks of these numbers, in their order. */
  readonly blocks: (numbers: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<HydratedBlock | null>>
  /** Receipts and traces of these blocks, in their order. */
  readonly parts: (blocks: ReadonlyArray<BlockReceipts.BlockTransactions>) => Effect.Effect<ReadonlyArray<Parts | null>>
}

/**
 * What a fetcher needs beside its node.
 */
export interface Options {
  /** What the endpoint pool remembers of the node. */
  readonly support: BlockReceipts.Support
  /**
   * Traces of one block, `null` where they are off. Used where the node does not store traces: running a block again takes so long
   * that each block is traced alone.
   */
  readonly traces: (block: BlockRef) => Effect.Effect<Traces | null, unknown>
  /** True for a block so deep below the head that its number stands for its hash. */
  readonly isSettled: (number: number) => boolean
  /** There is no other node to ask. */
  readonly isOnly: boolean
  /** Records that the node failed a whole request. */
  readonly onFailure: (error: CallError) => Effect.Effect<void>
}

/** What was fetched of a range so far. */
interface Range {
  /** Blocks of the range, some of which may need no parts. */
  requested: number
  weightOfBlocks: number
  /** Parts that arrived with the blocks, by the number of their block; whose they are is not verified yet. */
  received: ReadonlyMap<number, ReceivedParts>
}

/** Parts of a block that were asked for by its number. */
interface ReceivedParts {
  readonly receipts: ReadonlyArray<Receipt> | null
  readonly traces: Traces | null
}

const noneReceived: Range["received"] = new Map()

/** Results of calls of one method. Sound where the method gives `A`. */
const valuesOf = <A>(results: ReadonlyArray<Result.Result<unknown, CallError>>): ReadonlyArray<A | null> =>
  results.map((result) => (Result.isSuccess(result) ? (result.success as A) : null))

/** Traces from the result of `trace_block`; `null` where they have to be asked for again, of this node or of another one. */
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

/** Blocks of one range that are traced alone at the same time. */
const tracedAtOnce = 4

/** Traces of blocks that are traced alone; none of a block that follows more than a range should hold. */
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

/** Traces that the node stored come in the same request as the receipts; others are run block by block beside it. */
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

/** Parts that arrived with a block, `null` where the node lacks them; `undefined` where they have to be asked for by its hash. */
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

/** Parts of blocks: those that arrived with them, and the others by another request. */
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

/** Ranges that a node has to give whole, after it has lacked something of one that was asked for in one request. */
const rangesAfterLack = 16

/** True where one request may ask for blocks and parts by number: the node stores traces and has given whole ranges. */
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
 * Fetches nothing, so that each block is fetched alone.
 */
export const none: BatchFetcher = {
  size: 1,
  blocks: (numbers) => Effect.succeed(numbers.map(() => null)),
  parts: (refs) => Effect.succeed(refs.map(() => null)),
}
