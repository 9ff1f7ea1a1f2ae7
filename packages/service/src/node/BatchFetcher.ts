/**
 * Several blocks of one node in two requests, for a backfill: the blocks, then the receipts (by the blocks' hashes) and the traces of
 * those that matter. It is quick and gives up at once: what did not come is `null`, and is asked for alone, by who can fail over.
 */
import type { Call } from "@daybook/rpc/Method"
import type { CallError } from "@daybook/rpc/RpcError"
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Receipt } from "@daybook/schema/Receipt"
import type { FlatTrace } from "@daybook/schema/Trace"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BlockRef } from "../store/BlockRows.ts"
import * as Endpoint from "./NodeEndpoint.ts"
import * as AdaptiveBatchSize from "./AdaptiveBatchSize.ts"
import type { Traces } from "./Tracer.ts"

/**
 * What belongs to a block beside itself.
 */
export interface Parts {
  readonly receipts: ReadonlyArray<Receipt>
  /** `null` where traces are off. */
  readonly traces: Traces | null
}

/**
 * The way to several blocks of one node. Nothing fails: what did not come is `null`.
 */
export interface BatchFetcher {
  /** Blocks to ask for at once. */
  readonly size: number
  /** The blocks of these numbers, in their order. */
  readonly blocks: (numbers: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<HydratedBlock | null>>
  /** Receipts and traces of these blocks, in their order. */
  readonly parts: (blocks: ReadonlyArray<BlockRef>) => Effect.Effect<ReadonlyArray<Parts | null>>
}

/** The answers to calls of one method. Sound where the calls are of the method that gives `A`. */
const valuesOf = <A>(results: ReadonlyArray<Result.Result<unknown, CallError>>): ReadonlyArray<A | null> =>
  results.map((result) => (Result.isSuccess(result) ? (result.success as A) : null))

/**
 * Makes the way to several blocks of a node. `tracesOf` gives the traces of one block, `null` where they are off; it is asked where
 * the node is not one that has stored them: running a block again takes so long that it goes alone.
 */
export const make = (
  endpoint: Endpoint.Endpoint,
  tracesOf: (block: BlockRef) => Effect.Effect<Traces | null, unknown>,
): BatchFetcher => {
  const { lane, portion } = endpoint

  /** Blocks of the portion, of which some may need no parts. */
  let asked = 0
  let weightOfBlocks = 0

  const ask = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
    const { isOverloaded, millis, results } = yield* lane.maxBatchSize(calls)
    portion.answered(asked, millis, isOverloaded)
    const failures = results.filter(Result.isFailure)
    const [first] = failures
    if (first !== undefined && failures.length === results.length) {
      Endpoint.noteFailure(endpoint, first.failure, yield* Clock.currentTimeMillis)
    }
    return results
  })

  const blocks: BatchFetcher["blocks"] = Effect.fnUntraced(function* (numbers) {
    asked = numbers.length
    const calls = numbers.map((number): Call => ({ method: "eth_getBlockByNumber", params: [number, true] }))
    const found = valuesOf<HydratedBlock>(yield* ask(calls))
    weightOfBlocks = found.reduce((sum, block) => sum + (block === null ? 0 : AdaptiveBatchSize.ofBlock(block)), 0)
    portion.weighed(asked, weightOfBlocks)
    return found
  })

  const parts: BatchFetcher["parts"] = Effect.fnUntraced(function* (refs) {
    if (refs.length === 0) return []
    asked = Math.max(asked, refs.length)
    const isStored = endpoint.tracer === "trace_block"
    const calls = refs.map(({ hash, number }): Call => ({
      method: "eth_getBlockReceipts",
      params: [endpoint.refusesHashes ? number : hash],
    }))
    const storedCalls = refs.map(({ number }): Call => ({ method: "trace_block", params: [number] }))
    const [results, rerun] = yield* Effect.all(
      [
        ask(isStored ? [...calls, ...storedCalls] : calls),
        isStored
          ? Effect.succeed(null)
          : Effect.forEach(refs, (ref) => Effect.option(tracesOf(ref)), { concurrency: "unbounded" }),
      ],
      { concurrency: 2 },
    )
    const receipts = valuesOf<ReadonlyArray<Receipt>>(results.slice(0, refs.length))
    const stored = valuesOf<ReadonlyArray<FlatTrace>>(results.slice(refs.length))
    let weight = weightOfBlocks
    const found = refs.map((_, at): Parts | null => {
      const own = receipts[at] ?? null
      if (own === null) return null
      weight += AdaptiveBatchSize.ofReceipts(own)
      if (rerun !== null) {
        const traces = rerun[at]
        return traces === undefined || traces._tag === "None" ? null : { receipts: own, traces: traces.value }
      }
      const flat = stored[at] ?? null
      if (flat === null) return null
      weight += AdaptiveBatchSize.ofTraces(flat)
      endpoint.hasTraced = true
      return { receipts: own, traces: { _tag: "Flat", traces: flat } }
    })
    portion.weighed(asked, weight)
    return found
  })

  return { size: portion.size(), blocks, parts }
}

/**
 * The way to a node that cannot be asked now: each block is asked for alone.
 */
export const none: BatchFetcher = {
  size: 1,
  blocks: (numbers) => Effect.succeed(numbers.map(() => null)),
  parts: (refs) => Effect.succeed(refs.map(() => null)),
}
