/**
 * What a transaction did inside: nested frames of the `callTracer`, or the flat list of `trace_block`.
 * Internal transactions of a wallet page are `InternalTransaction`.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { nested, open, type Resource } from "./internal/open.ts"
import * as Quantity from "./Quantity.ts"

// Calls nest at most 1024 deep below a transaction. Source: Ethereum yellow paper, 9.4.2.
const maxDepth = 1024

const frame = {
  /** `CALL`, `STATICCALL`, `DELEGATECALL`, `CALLCODE`, `CREATE`, `CREATE2` or `SELFDESTRUCT`. Source: geth callTracer. */
  type: Schema.String,
  /** Account that called. Source: geth callTracer. */
  from: Address.Address,
  /** Account that was called or created; missing where a creation failed. Source: geth callTracer. */
  to: Schema.optionalKey(Address.OrNull),
  /** Amount in wei; missing on static calls, a delegate call repeats its parent's. Source: geth callTracer. */
  value: Schema.optionalKey(Quantity.OrNull),
  /** Gas given. Source: geth callTracer. */
  gas: Schema.optionalKey(Quantity.OrNull),
  /** Gas used. Source: geth callTracer. */
  gasUsed: Schema.optionalKey(Quantity.OrNull),
  /** Call data or init code. Source: geth callTracer. */
  input: Schema.optionalKey(Hex.OrNull),
  /** Returned bytes, or the created code. Source: geth callTracer. */
  output: Schema.optionalKey(Hex.OrNull),
  /** Why the frame failed; frames under a failed one carry none of their own. Source: geth callTracer. */
  error: Schema.optionalKey(Schema.String),
  /** Reason of a revert, decoded by the node. Source: geth callTracer. */
  revertReason: Schema.optionalKey(Schema.String),
}

/**
 * A frame of the `callTracer`, with the frames below it.
 */
export interface CallFrame extends Schema.Struct.Type<typeof frame> {
  /** Frames called from this one, in order; missing when none. Source: geth callTracer. */
  readonly calls?: ReadonlyArray<CallFrame>
}

/**
 * A frame of the `callTracer` as it is on the wire.
 *
 * Source: geth built-in tracers.
 */
export interface CallFrameWire extends Schema.Struct.Encoded<typeof frame> {
  readonly calls?: ReadonlyArray<CallFrameWire>
}

/**
 * A frame of the `callTracer` (the root is the transaction itself).
 *
 * Source: geth built-in tracers; decision 0014.
 */
export const CallFrame: Resource<CallFrame, CallFrameWire> = open("CallFrame", {
  ...frame,
  calls: Schema.optionalKey(
    Schema.Array(nested("a call frame", maxDepth, (): Schema.Codec<CallFrame, CallFrameWire> => CallFrame)),
  ),
})

/**
 * One transaction's answer inside `debug_traceBlockByNumber`: a frame, or an error of the tracer.
 *
 * **Gotchas**
 *
 * An `error` beside no `result` means that the trace could not be made, not that the transaction had no frames.
 *
 * Source: geth debug API; decision 0014.
 */
export const TransactionTrace = open("TransactionTrace", {
  /** Hash of the transaction; older nodes leave it out. Source: geth debug API. */
  txHash: Schema.optionalKey(Hash.Hash),
  /** The root frame. Source: geth debug API. */
  result: Schema.optionalKey(Schema.NullOr(CallFrame)),
  /** Why the tracer failed. Source: geth debug API. */
  error: Schema.optionalKey(Schema.String),
})

/**
 * One transaction's answer inside `debug_traceBlockByNumber`.
 */
export interface TransactionTrace extends Schema.Schema.Type<typeof TransactionTrace> {}

/**
 * What a flat trace did. Which fields are present depends on the trace's `type`.
 *
 * Source: OpenEthereum trace module.
 */
export const Action = open("Action", {
  /** call: `call`, `callcode`, `delegatecall` or `staticcall`. Source: trace module. */
  callType: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** call, create: account that called. Source: trace module. */
  from: Schema.optionalKey(Address.OrNull),
  /** call: account that was called. Source: trace module. */
  to: Schema.optionalKey(Address.OrNull),
  /** call, create, reward: amount in wei. Source: trace module. */
  value: Schema.optionalKey(Quantity.OrNull),
  /** call, create: gas given. Source: trace module. */
  gas: Schema.optionalKey(Quantity.OrNull),
  /** call: call data. Source: trace module. */
  input: Schema.optionalKey(Hex.OrNull),
  /** create: init code. Source: trace module. */
  init: Schema.optionalKey(Hex.OrNull),
  /** create: `create` or `create2`; some nodes leave it out. Source: trace module. */
  creationMethod: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** suicide: the contract that ended. Source: trace module. */
  address: Schema.optionalKey(Address.OrNull),
  /** suicide: account that got the rest. Source: trace module. */
  refundAddress: Schema.optionalKey(Address.OrNull),
  /** suicide: wei that was left. Source: trace module. */
  balance: Schema.optionalKey(Quantity.OrNull),
  /** reward: account that is paid. Source: trace module. */
  author: Schema.optionalKey(Address.OrNull),
  /** reward: `block` or `uncle`. Source: trace module. */
  rewardType: Schema.optionalKey(Schema.NullOr(Schema.String)),
})

/**
 * What a flat trace gave back; `null` for rewards, selfdestructs and failures.
 *
 * Source: OpenEthereum trace module.
 */
export const ActionResult = open("ActionResult", {
  /** Gas used. Source: trace module. */
  gasUsed: Schema.optionalKey(Quantity.OrNull),
  /** call: returned bytes. Source: trace module. */
  output: Schema.optionalKey(Hex.OrNull),
  /** create: the new contract. Source: trace module. */
  address: Schema.optionalKey(Address.OrNull),
  /** create: its code. Source: trace module. */
  code: Schema.optionalKey(Hex.OrNull),
})

/**
 * One entry of `trace_block`: a call, creation, selfdestruct or reward, placed in the tree by `traceAddress`.
 *
 * Source: OpenEthereum trace module; decision 0014.
 */
export const FlatTrace = open("FlatTrace", {
  /** `call`, `create`, `suicide` (or `selfdestruct`), `reward`. Source: trace module. */
  type: Schema.String,
  /** What was done. Source: trace module. */
  action: Action,
  /** What came of it. Source: trace module. */
  result: Schema.optionalKey(Schema.NullOr(ActionResult)),
  /** Why it failed. Source: trace module. */
  error: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Number of children. Source: trace module. */
  subtraces: Quantity.SafeIntegerFromNumber,
  /** Path from the root: positions among siblings; empty for the transaction itself. Source: trace module. */
  traceAddress: Schema.Array(Quantity.SafeIntegerFromNumber),
  /** Hash of the transaction; `null` or missing for rewards. Source: trace module. */
  transactionHash: Schema.optionalKey(Hash.OrNull),
  /** Position of the transaction in the block; a JSON number. Source: trace module. */
  transactionPosition: Schema.optionalKey(Schema.NullOr(Quantity.SafeIntegerFromNumber)),
  /** Hash of the block. Source: trace module. */
  blockHash: Schema.optionalKey(Hash.OrNull),
  /** Number of the block; a JSON number. Source: trace module. */
  blockNumber: Schema.optionalKey(Schema.NullOr(Quantity.FromNumber)),
})

/**
 * One entry of `trace_block`.
 */
export interface FlatTrace extends Schema.Schema.Type<typeof FlatTrace> {}
