/**
 * Traces of blocks and transactions as received from nodes, in the shape of their tracer.
 */
import type { CallFrame, FlatTrace, TransactionTrace } from "@daybook/schema/Trace"

/** Traces of one block; `Untraced` if the nodes cannot trace it. */
export type Traces =
  | { readonly _tag: "Frames"; readonly traces: ReadonlyArray<TransactionTrace> }
  | { readonly _tag: "Flat"; readonly traces: ReadonlyArray<FlatTrace> }
  | { readonly _tag: "Untraced"; readonly reason: string }

/** Trace of one transaction. */
export type SingleTrace =
  | { readonly _tag: "Frame"; readonly frame: CallFrame }
  | { readonly _tag: "Flat"; readonly traces: ReadonlyArray<FlatTrace> }

/** How the nodes of a chain trace blocks; `off` if none of them can. */
export type TraceSource = "trace_block" | "debug_traceBlock" | "debug_traceTransaction" | "off"

/** Prefix of the message for a trace that exceeds a bound. */
export const excessPrefix = "Trace beyond the limits"
