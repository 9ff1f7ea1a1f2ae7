/**
 * The tracers that nodes have, and what each gives: which of three methods a node answers to, and the traces of a block by it.
 * A node that fails is told apart from one that has no tracer.
 */
import type { Methods } from "@daybook/rpc/Method"
import type { CallError } from "@daybook/rpc/RpcError"
import type { FlatTrace, TransactionTrace } from "@daybook/schema/Trace"
import * as Effect from "effect/Effect"
import type { BlockRef } from "../store/BlockRows.ts"

/**
 * The traces of one block, in the shape of the node's tracer.
 */
export type Traces =
  | { readonly _tag: "Frames"; readonly traces: ReadonlyArray<TransactionTrace> }
  | { readonly _tag: "Flat"; readonly traces: ReadonlyArray<FlatTrace> }

const inOrder = ["trace_block", "debug_traceBlockByHash", "debug_traceBlockByNumber"] as const

/**
 * The method of a node's tracer, or that it has none.
 */
export type Tracer = (typeof inOrder)[number] | "off"

const call = { tracer: "callTracer" } as const

const frames = (traces: ReadonlyArray<TransactionTrace>): Traces => ({ _tag: "Frames", traces })

/**
 * The traces of a block by one method.
 */
export const traces = (
  calls: Methods,
  tracer: Exclude<Tracer, "off">,
  block: BlockRef,
): Effect.Effect<Traces, CallError> => {
  switch (tracer) {
    case "trace_block":
      return Effect.map(calls.trace_block(block.number), (flat) => ({ _tag: "Flat", traces: flat ?? [] }))
    case "debug_traceBlockByHash":
      return Effect.map(calls.debug_traceBlockByHash(block.hash, call), frames)
    case "debug_traceBlockByNumber":
      return Effect.map(calls.debug_traceBlockByNumber(block.number, call), frames)
  }
}

/**
 * The node does not have the method, or not for us; as opposed to a node that failed.
 */
export const isMissing = (error: CallError): boolean => {
  switch (error._tag) {
    case "RpcError":
      return (
        error.kind === "methodUnsupported" ||
        /\b(trace_block|debug_trace\w*|namespace|module|method)\b.*\b(not|disabled|upgrade|plan|tier)\b/i.test(
          error.message,
        )
      )
    case "Unauthorized":
      return true
    case "InvalidResponse":
      return [403, 404, 405, 501].includes(error.status ?? 0)
    default:
      return false
  }
}

/**
 * Finds the tracer of a node by trying each method on a block that it has, the cheapest first: `trace_block` gives what the node
 * stored, the others run the block again.
 *
 * **Details**
 * A node that knows a method but cannot trace this block (the genesis, say) has the method.
 *
 * **Errors**
 * - `CallError`: the node failed, so that nothing is known.
 */
export const find = Effect.fnUntraced(function* (calls: Methods, block: BlockRef): Effect.fn.Return<Tracer, CallError> {
  for (const tracer of inOrder) {
    const outcome = yield* Effect.result(traces(calls, tracer, block))
    if (outcome._tag === "Success") return tracer
    const { failure } = outcome
    if (isMissing(failure)) continue
    return failure._tag === "RpcError" && !failure.isRetryable ? tracer : yield* Effect.fail(failure)
  }
  return "off"
})
