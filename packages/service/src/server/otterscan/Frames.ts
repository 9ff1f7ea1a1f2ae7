/**
 * Calls of a transaction as listed by Otterscan, from a node's traces: nested frames, or a flat list. Pure, except for reading from the
 * node.
 *
 * Source: decision 0016.
 */
import type { CallFrame, FlatTrace } from "@daybook/schema/Trace"
import * as Trace from "@daybook/schema/Trace"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as LocalMethod from "../relay/LocalMethod.ts"
import * as NodeValues from "./NodeValues.ts"

/** A call of a transaction. */
export interface Frame {
  readonly type: string
  readonly depth: number
  readonly from: string
  readonly to: string | null
  /** In wei. */
  readonly value: bigint
  readonly input: string
  readonly output: string
  /** Whether the call failed, or is inside one that did. */
  readonly isFailed: boolean
}

/** Opcodes whose calls move no value of their own. */
const withoutValue: ReadonlySet<string> = new Set(["DELEGATECALL", "STATICCALL"])

/** True for a call with a value of its own. */
export const hasValue = ({ type }: Pick<Frame, "type">): boolean => !withoutValue.has(type)

/** Frames of a trace, parents before children. */
export const fromNested = (root: CallFrame): ReadonlyArray<Frame> => {
  const frames: Array<Frame> = []
  const walk = (frame: CallFrame, depth: number, isBelowFailed: boolean) => {
    const type = frame.type.toUpperCase()
    const isFailed = isBelowFailed || (frame.error ?? "") !== ""
    frames.push({
      type: type === "SUICIDE" ? "SELFDESTRUCT" : type,
      depth,
      from: frame.from,
      to: frame.to ?? null,
      value: frame.value ?? 0n,
      input: frame.input ?? "0x",
      output: frame.output ?? "0x",
      isFailed,
    })
    for (const call of frame.calls ?? []) walk(call, depth + 1, isFailed)
  }
  walk(root, 0, false)
  return frames
}

const partsOfFlat = ({ action, result, type }: FlatTrace) => {
  if (type === "create") {
    const isSecond = action.creationMethod?.toLowerCase() === "create2"
    return { type: isSecond ? "CREATE2" : "CREATE", to: result?.address, input: action.init, output: result?.code }
  }
  if (type === "suicide" || type === "selfdestruct") {
    return { type: "SELFDESTRUCT", from: action.address, to: action.refundAddress, value: action.balance }
  }
  return { type: (action.callType ?? "call").toUpperCase(), to: action.to, input: action.input, output: result?.output }
}

/** Frames of a flat list, which nodes return in execution order. */
const fromFlat = (traces: ReadonlyArray<FlatTrace>): ReadonlyArray<Frame> => {
  const failed: Array<ReadonlyArray<number>> = []
  return traces.map((trace) => {
    const path = trace.traceAddress
    while (failed.length > 0 && !failed.at(-1)!.every((step, at) => path[at] === step)) failed.pop()
    if ((trace.error ?? "") !== "") failed.push(path)
    const parts = partsOfFlat(trace)
    return {
      type: parts.type,
      depth: path.length,
      from: parts.from ?? trace.action.from ?? "0x",
      to: parts.to ?? null,
      value: parts.value ?? trace.action.value ?? 0n,
      input: parts.input ?? "0x",
      output: parts.output ?? "0x",
      isFailed: failed.length > 0,
    }
  })
}

const decodeNested = Schema.decodeUnknownOption(Trace.CallFrame)
const decodeFlat = Schema.decodeUnknownOption(Schema.Array(Trace.FlatTrace))

/** Error codes of a node that lacks a method. Source: JSON-RPC 2.0, EIP-1474. */
const missingCodes: ReadonlySet<number> = new Set([-32_601, -32_004])

const options = { tracer: "callTracer" } as const

/** Reads the frames of a transaction from a node, with the tracer that it has. */
export const read = ({ node }: LocalMethod.LocalCall, hash: string) =>
  node("debug_traceTransaction", [hash, options]).pipe(
    Effect.map((trace) => Option.map(decodeNested(trace), fromNested)),
    Effect.catchIf(
      ({ failure }) => missingCodes.has(failure.code),
      (error) =>
        // A key that may not use the first tracer may not use the second one.
        Effect.map(
          Effect.mapError(node("trace_transaction", [hash]), () => error),
          (traces) => Option.map(decodeFlat(traces), fromFlat),
        ),
    ),
    Effect.flatMap((frames) =>
      Option.isSome(frames) && frames.value.length > 0
        ? Effect.succeed(frames.value)
        : Effect.fail(NodeValues.unreadable("the calls of a transaction")),
    ),
  )
