/**
 * Tracers of nodes: which method a node supports, and a block's traces by each method.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import type { TransactionTrace } from "@daybook/schema/Trace"
import * as Effect from "effect/Effect"
import type { BlockRef } from "../block/BlockRows.ts"
import type { Traces } from "../block/Traces.ts"
import * as TransactionTracer from "./TransactionTracer.ts"

/** Cheapest first: `trace_block` reads what the node stored, the others execute the block or each transaction again. */
const methods = ["trace_block", "debug_traceBlockByHash", "debug_traceBlockByNumber", "debug_traceTransaction"] as const

/**
 * Tracer method of a node; `off` if it has none.
 */
export type Tracer = (typeof methods)[number] | "off"

const callTracer = { tracer: "callTracer" } as const

const frames = (traces: ReadonlyArray<TransactionTrace>): Traces => ({ _tag: "Frames", traces })

/**
 * Traces of a block by one method.
 */
export const traces = (
  node: TransactionTracer.TracedNode,
  tracer: Exclude<Tracer, "off">,
  block: BlockRef,
): Effect.Effect<Traces, CallError> => {
  const { calls } = node.limiter
  switch (tracer) {
    case "trace_block":
      return Effect.map(calls.trace_block(block.number), (flat) => ({ _tag: "Flat", traces: flat ?? [] }))
    case "debug_traceBlockByHash":
      return Effect.map(calls.debug_traceBlockByHash(block.hash, callTracer), frames)
    case "debug_traceBlockByNumber":
      return Effect.map(calls.debug_traceBlockByNumber(block.number, callTracer), frames)
    case "debug_traceTransaction":
      return Effect.map(TransactionTracer.traces(node, block), frames)
  }
}

/** A rejection is a sentence about the method. Output of a failing tracer may be long and contain any words. */
const unsupported =
  /\b(trace_block|debug_trace\w{0,40}|namespace|module|method|(debug|trace|tracing) (api|requests))\b.{0,100}\b(not|disabled|unsupported|upgrade|plan|tier)\b/i
const maxMessage = 1_000
const maxSentence = 300

/** Codes of a method that ran and failed, regardless of the message. Source: geth (3), JSON-RPC 2.0 (-32603). */
const failedCodes: ReadonlySet<number> = new Set([3, -32603])

/**
 * True if the node does not have the method, or not for this key; false if it merely failed.
 */
export const isMissing = (error: CallError): boolean => {
  switch (error._tag) {
    case "RpcError":
      if (error.kind === "methodUnsupported") return true
      if (failedCodes.has(error.code) || error.message.length > maxMessage) return false
      return unsupported.test(error.message.slice(0, maxSentence))
    case "Unauthorized":
      return true
    case "InvalidResponse":
      return [403, 404, 405, 501].includes(error.status ?? 0)
    default:
      return false
  }
}

/** True if the node has the method but cannot trace this block: its trace is missing or too large. A gateway does not know methods. */
const isOfBlock = (error: CallError): boolean =>
  error._tag === "RpcError"
    ? !error.isRetryable && (error.status ?? 200) < 500
    : error._tag === "InvalidResponse" && error.reason === "too-large"

/** True for a response that is not a trace; another method may return one. */
const isNoTrace = (error: CallError): boolean =>
  error._tag === "InvalidResponse" && error.reason === "content" && !error.isRetryable

/** Tries a method. A single transaction is traced even if the block has none, to verify that the method exists. */
const attempt = (node: TransactionTracer.TracedNode, method: Exclude<Tracer, "off">, block: BlockRef) =>
  method === "debug_traceTransaction" ? TransactionTracer.probe(node) : traces(node, method, block)

/**
 * Detects the tracer of a node by trying each method on a block that the node has.
 *
 * **Details** A node that knows a method but cannot trace this block, such as the genesis block, supports the method.
 *
 * **Errors**
 * - `CallError`: the node failed, so nothing is known.
 */
export const detect = Effect.fnUntraced(function* (
  node: TransactionTracer.TracedNode,
  block: BlockRef,
): Effect.fn.Return<Tracer, CallError> {
  let undecodable: CallError | undefined
  for (const method of methods) {
    const outcome = yield* Effect.result(attempt(node, method, block))
    if (outcome._tag === "Success") return method
    const { failure } = outcome
    if (isMissing(failure)) continue
    if (isNoTrace(failure)) {
      undecodable ??= failure
      continue
    }
    return isOfBlock(failure) ? method : yield* Effect.fail(failure)
  }
  return undecodable === undefined ? "off" : yield* Effect.fail(undecodable)
})
