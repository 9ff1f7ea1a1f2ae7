/**
 * Traces one transaction, with the `callTracer` or as a flat list. For transactions whose block a node cannot trace as a whole.
 */
import type { Methods } from "@daybook/rpc/Method"
import type { CallError } from "@daybook/rpc/RpcError"
import * as Effect from "effect/Effect"
import type { SingleTrace } from "../block/Traces.ts"
import type { Support } from "./BlockReceipts.ts"
import type { NodeEndpoint } from "./NodeEndpoint.ts"
import * as Tracer from "./Tracer.ts"

const callTracer = { tracer: "callTracer" } as const

const methods = ["debug_traceTransaction", "trace_transaction"] as const

type Method = (typeof methods)[number]

const traceBy = (calls: Methods, method: Method, hash: string): Effect.Effect<SingleTrace | null, CallError> =>
  method === "debug_traceTransaction"
    ? Effect.map(calls.debug_traceTransaction(hash, callTracer), (frame) => ({ _tag: "Frame", frame }))
    : Effect.map(calls.trace_transaction(hash), (traces) => (traces === null ? null : { _tag: "Flat", traces }))

/** Methods that the node may support, starting with that of its tracer. */
const methodsOf = ({ tracer }: NodeEndpoint, { isUnsupported }: Support): ReadonlyArray<Method> => {
  const ordered = tracer === "trace_block" ? methods.toReversed() : methods
  const known = ordered.filter((method) => !isUnsupported(method))
  return known.length === 0 ? ordered.slice(0, 1) : known
}

/**
 * Traces a transaction; `null` if the node does not know it. An unsupported method is not called again.
 *
 * **Errors**
 * - `CallError`: the node failed both ways; the error of a supported method.
 */
export const trace = (
  endpoint: NodeEndpoint,
  hash: string,
  support: Support,
): Effect.Effect<SingleTrace | null, CallError> => {
  const [first, second] = methodsOf(endpoint, support).map((method) =>
    Effect.tapError(traceBy(endpoint.calls, method, hash), (error) =>
      Effect.sync(() => {
        if (error._tag === "RpcError" && error.kind === "methodUnsupported") support.note(method)
      }),
    ),
  )
  // Sound: there is at least one method.
  if (first === undefined || second === undefined) return first!
  return first.pipe(
    Effect.catch((error) => Effect.mapError(second, (other) => (Tracer.isMissing(other) ? error : other))),
  )
}
