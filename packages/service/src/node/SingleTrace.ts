/**
 * The trace of one transaction: by the `callTracer`, else as a flat list. For transactions whose block a node cannot trace as a whole.
 */
import type { Methods } from "@daybook/rpc/Method"
import type { CallError } from "@daybook/rpc/RpcError"
import type { CallFrame, FlatTrace } from "@daybook/schema/Trace"
import * as Effect from "effect/Effect"
import * as Tracer from "./Tracer.ts"

/**
 * Trace of one transaction.
 */
export type SingleTrace =
  | { readonly _tag: "Frame"; readonly frame: CallFrame }
  | { readonly _tag: "Flat"; readonly traces: ReadonlyArray<FlatTrace> }

/**
 * Traces a transaction; `null` when the node does not know it.
 *
 * **Errors**
 * - `CallError`: the node failed in both ways; the error of a method that the node has.
 */
export const trace = (calls: Methods, hash: string): Effect.Effect<SingleTrace | null, CallError> =>
  calls.debug_traceTransaction(hash, { tracer: "callTracer" }).pipe(
    Effect.map((frame): SingleTrace => ({ _tag: "Frame", frame })),
    Effect.catch((error) =>
      calls.trace_transaction(hash).pipe(
        Effect.map((traces): SingleTrace | null => (traces === null ? null : { _tag: "Flat", traces })),
        Effect.mapError((other) => (Tracer.isMissing(other) ? error : other)),
      ),
    ),
  )
