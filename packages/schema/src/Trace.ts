/**
 * Traces of JSON-RPC: nested call frames of the `callTracer`, and flat traces of `trace_block`. Internal transactions of the REST
 * operations are `InternalTransaction`.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { ErrorObject } from "./JsonRpc.ts"
import * as objects from "./internal/generated/objects.ts"
import { type Named, nested, open, type Resource } from "./internal/open.ts"
import * as Quantity from "./Quantity.ts"

// Maximum call depth. Source: Ethereum yellow paper, 9.4.2.
const maxDepth = 1024

const frame = {
  /** Opcode: `CALL`, `STATICCALL`, `DELEGATECALL`, `CALLCODE`, `CREATE`, `CREATE2` or `SELFDESTRUCT`. */
  type: Schema.String,
  /** Caller address. */
  from: Address.Address,
  /** Address of the called or created account; absent for a failed creation. */
  to: Schema.optionalKey(Address.OrNull),
  /** Transferred value in wei; absent on static calls; a delegate call repeats the value of its parent. */
  value: Schema.optionalKey(Quantity.OrNull),
  /** Gas limit of the call, in gas units. */
  gas: Schema.optionalKey(Quantity.OrNull),
  /** Gas used, in gas units. */
  gasUsed: Schema.optionalKey(Quantity.OrNull),
  /** Call data or init code. */
  input: Schema.optionalKey(Hex.OrNull),
  /** Return data, or deployed code. */
  output: Schema.optionalKey(Hex.OrNull),
  /** Error of the frame; frames inside a failed one have no error of their own. Absent or `null` on success. */
  error: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Revert reason, decoded by the node. */
  revertReason: Schema.optionalKey(Schema.NullOr(Schema.String)),
}

export interface CallFrame extends Schema.Struct.Type<typeof frame> {
  /** Frames called by this one, in order; absent when none. */
  readonly calls?: ReadonlyArray<CallFrame>
}

/**
 * Wire form of `CallFrame`.
 *
 * Source: geth built-in tracers.
 */
export interface CallFrameWire extends Schema.Struct.Encoded<typeof frame> {
  /** Frames called by this one, in order; absent when none. */
  readonly calls?: ReadonlyArray<CallFrameWire>
}

/**
 * Call frame of the `callTracer`; the root frame is the transaction itself.
 *
 * **Example** (Decoding a frame)
 *
 * ```ts
 * import * as Trace from "@daybook/schema/Trace"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { type: "CALL", from: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", to: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", gas: "0x5208", gasUsed: "0x0", input: "0x", value: "0x5" }
 * console.log(Schema.decodeUnknownSync(Trace.CallFrame)(wire).value) // 5n
 * ```
 *
 * Source: geth built-in tracers; decision 0014.
 */
export const CallFrame: Resource<CallFrame, CallFrameWire> = open("CallFrame", {
  ...frame,
  /** Calls made by this call, in order. */
  calls: Schema.optionalKey(
    Schema.Array(nested("a call frame", maxDepth, (): Schema.Codec<CallFrame, CallFrameWire> => CallFrame)),
  ),
})

const transactionTraceCodec = open("TransactionTrace", {
  /** Transaction hash; older nodes omit it. */
  txHash: Schema.optionalKey(Hash.Hash),
  /** Root frame. */
  result: Schema.optionalKey(Schema.NullOr(CallFrame)),
  /** Error of the tracer; an object in traces of Erigon. */
  error: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.String, ErrorObject]))),
})

export interface TransactionTrace extends Schema.Schema.Type<typeof transactionTraceCodec> {}

/** Encoded form of `TransactionTrace`: the values of its JSON. */
export interface TransactionTraceWire extends Schema.Codec.Encoded<typeof transactionTraceCodec> {}

/**
 * Trace of one transaction in the result of `debug_traceBlockByNumber`: the root frame, or an error of the tracer.
 *
 * **Gotchas**
 *
 * An `error` without a `result` means that the transaction could not be traced, not that it made no calls.
 *
 * **Example** (Decoding a trace that failed)
 *
 * ```ts
 * import * as Trace from "@daybook/schema/Trace"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Trace.TransactionTrace)({ error: "execution timeout" }).error)
 * // execution timeout
 * ```
 *
 * Source: geth debug API; decision 0014.
 */
export const TransactionTrace: Named<typeof transactionTraceCodec, TransactionTrace, TransactionTraceWire> =
  transactionTraceCodec

const actionCodec = open(
  "Action",
  {
    /** Call: `call`, `callcode`, `delegatecall` or `staticcall`. */
    callType: Schema.optionalKey(Schema.NullOr(Schema.String)),
    /** Call, create: caller address. */
    from: Schema.optionalKey(Address.OrNull),
    /** Call: address of the called account. */
    to: Schema.optionalKey(Address.OrNull),
    /** Call, create, reward: transferred value in wei. */
    value: Schema.optionalKey(Quantity.OrNull),
    /** Call, create: gas limit, in gas units. */
    gas: Schema.optionalKey(Quantity.OrNull),
    /** Call: call data. */
    input: Schema.optionalKey(Hex.OrNull),
    /** Create: init code. */
    init: Schema.optionalKey(Hex.OrNull),
    /** Create: `create` or `create2`; some nodes omit it. */
    creationMethod: Schema.optionalKey(Schema.NullOr(Schema.String)),
    /** Selfdestruct: address of the destroyed contract. */
    address: Schema.optionalKey(Address.OrNull),
    /** Selfdestruct: address that receives the balance. */
    refundAddress: Schema.optionalKey(Address.OrNull),
    /** Selfdestruct: balance of the contract in wei. */
    balance: Schema.optionalKey(Quantity.OrNull),
    /** Reward: address of the rewarded account. */
    author: Schema.optionalKey(Address.OrNull),
    /** Reward: `block` or `uncle`. */
    rewardType: Schema.optionalKey(Schema.NullOr(Schema.String)),
  },
  {},
  objects.Action,
)

export interface Action extends Schema.Schema.Type<typeof actionCodec> {}

/** Encoded form of `Action`: the values of its JSON. */
export interface ActionWire extends Schema.Codec.Encoded<typeof actionCodec> {}

/**
 * Action of a flat trace. The `type` of the trace determines which fields are present.
 *
 * **Example** (Decoding an action)
 *
 * ```ts
 * import * as Trace from "@daybook/schema/Trace"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Trace.Action)({ callType: "call", value: "0x5" }).value) // 5n
 * ```
 *
 * Source: OpenEthereum trace module.
 */
export const Action: Named<typeof actionCodec, Action, ActionWire> = actionCodec

const actionResultCodec = open(
  "ActionResult",
  {
    /** Gas used, in gas units. */
    gasUsed: Schema.optionalKey(Quantity.OrNull),
    /** Call: return data. */
    output: Schema.optionalKey(Hex.OrNull),
    /** Create: address of the created contract. */
    address: Schema.optionalKey(Address.OrNull),
    /** Create: deployed code. */
    code: Schema.optionalKey(Hex.OrNull),
  },
  {},
  objects.ActionResult,
)

export interface ActionResult extends Schema.Schema.Type<typeof actionResultCodec> {}

/** Encoded form of `ActionResult`: the values of its JSON. */
export interface ActionResultWire extends Schema.Codec.Encoded<typeof actionResultCodec> {}

/**
 * Result of a flat trace.
 *
 * **Example** (Decoding a result)
 *
 * ```ts
 * import * as Trace from "@daybook/schema/Trace"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Trace.ActionResult)({ gasUsed: "0x5208", output: "0x" }).gasUsed) // 21000n
 * ```
 *
 * Source: OpenEthereum trace module.
 */
export const ActionResult: Named<typeof actionResultCodec, ActionResult, ActionResultWire> = actionResultCodec

const flatTraceCodec = open(
  "FlatTrace",
  {
    /** Kind of trace: `call`, `create`, `suicide` (or `selfdestruct`), `reward`. */
    type: Schema.String,
    /** Action of the trace. */
    action: Action,
    /** Result of the trace; `null` or absent for rewards, selfdestructs and failures. */
    result: Schema.optionalKey(Schema.NullOr(ActionResult)),
    /** Error of the trace; absent or `null` on success. */
    error: Schema.optionalKey(Schema.NullOr(Schema.String)),
    /** Number of child traces. */
    subtraces: Quantity.SafeIntegerFromNumber,
    /** Path from the root as child indexes; empty for the transaction itself. */
    traceAddress: Schema.Array(Quantity.SafeIntegerFromNumber),
    /** Transaction hash; `null` or absent for rewards. */
    transactionHash: Schema.optionalKey(Hash.OrNull),
    /** Index of the transaction in the block, from 0. Wire: JSON number. */
    transactionPosition: Schema.optionalKey(Schema.NullOr(Quantity.SafeIntegerFromNumber)),
    /** Block hash. */
    blockHash: Schema.optionalKey(Hash.OrNull),
    /** Block number. Wire: JSON number. */
    blockNumber: Schema.optionalKey(Schema.NullOr(Quantity.FromNumber)),
  },
  {},
  objects.FlatTrace,
)

export interface FlatTrace extends Schema.Schema.Type<typeof flatTraceCodec> {}

/** Encoded form of `FlatTrace`: the values of its JSON. */
export interface FlatTraceWire extends Schema.Codec.Encoded<typeof flatTraceCodec> {}

/**
 * Entry of `trace_block`: a call, creation, selfdestruct or reward; `traceAddress` is its position in the call tree.
 *
 * **Example** (Decoding one field)
 *
 * ```ts
 * import * as Trace from "@daybook/schema/Trace"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Trace.FlatTrace.fields.traceAddress)([0, 1])) // [ 0, 1 ]
 * ```
 *
 * Source: OpenEthereum trace module; decision 0014.
 */
export const FlatTrace: Named<typeof flatTraceCodec, FlatTrace, FlatTraceWire> = flatTraceCodec
