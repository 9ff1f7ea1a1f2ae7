/**
 * Results of methods that have no module of their own. They are exported under `RpcMethod`.
 */
import * as Schema from "effect/Schema"
import * as Hash from "../Hash.ts"
import * as Hex from "../Hex.ts"
import * as Quantity from "../Quantity.ts"
import { Log } from "../Receipt.ts"
import { AccessListEntry, Transaction } from "../Transaction.ts"
import { type Named, open } from "./open.ts"

const feeHistoryCodec = open("FeeHistory", {
  /** First block of the range. */
  oldestBlock: Quantity.Quantity,
  /** Base fee per gas of each block and of the next one, in wei (EIP-1559). */
  baseFeePerGas: Schema.optionalKey(Schema.Array(Quantity.Quantity)),
  /** Gas used by each block divided by its gas limit. */
  gasUsedRatio: Schema.NullOr(Schema.Array(Schema.Finite)),
  /** Priority fees per gas at the requested percentiles of each block, in wei. */
  reward: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Array(Quantity.Quantity)))),
  /** Base fee per blob gas of each block and of the next one, in wei (EIP-4844). */
  baseFeePerBlobGas: Schema.optionalKey(Schema.Array(Quantity.Quantity)),
  /** Blob gas used by each block divided by the maximum. */
  blobGasUsedRatio: Schema.optionalKey(Schema.Array(Schema.Finite)),
})

export interface FeeHistory extends Schema.Schema.Type<typeof feeHistoryCodec> {}

/** Encoded form of `FeeHistory`: the values of its JSON. */
export interface FeeHistoryWire extends Schema.Codec.Encoded<typeof feeHistoryCodec> {}

/**
 * Fee history of a range of blocks, the result of `eth_feeHistory`.
 *
 * **Example** (Decoding base fees)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { oldestBlock: "0x10", baseFeePerGas: ["0x7"], gasUsedRatio: [0.5] }
 * console.log(Schema.decodeUnknownSync(RpcMethod.FeeHistory)(wire).baseFeePerGas) // [ 7n ]
 * ```
 *
 * Source: Ethereum JSON-RPC; EIP-1559, EIP-4844.
 */
export const FeeHistory: Named<typeof feeHistoryCodec, FeeHistory, FeeHistoryWire> = feeHistoryCodec

const syncStatusCodec = open("SyncStatus", {
  /** Block at which the sync started. */
  startingBlock: Schema.optionalKey(Quantity.Quantity),
  /** Last synced block. */
  currentBlock: Schema.optionalKey(Quantity.Quantity),
  /** Highest known block. */
  highestBlock: Schema.optionalKey(Quantity.Quantity),
})

export interface SyncStatus extends Schema.Schema.Type<typeof syncStatusCodec> {}

/** Encoded form of `SyncStatus`: the values of its JSON. */
export interface SyncStatusWire extends Schema.Codec.Encoded<typeof syncStatusCodec> {}

/**
 * Sync status of a node that is behind the chain.
 *
 * **Example** (Decoding the progress of a node)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(RpcMethod.SyncStatus)({ currentBlock: "0x10" }).currentBlock) // 16n
 * ```
 *
 * Source: Ethereum JSON-RPC (execution-apis).
 */
export const SyncStatus: Named<typeof syncStatusCodec, SyncStatus, SyncStatusWire> = syncStatusCodec

const createdAccessListCodec = open("CreatedAccessList", {
  /** What the call accesses, excluding its sender, its recipient and precompiles. */
  accessList: Schema.Array(AccessListEntry),
  /** Gas used with the list, in gas units. */
  gasUsed: Quantity.Quantity,
  /** Why the execution failed. */
  error: Schema.optionalKey(Schema.String),
})

export interface CreatedAccessList extends Schema.Schema.Type<typeof createdAccessListCodec> {}

/** Encoded form of `CreatedAccessList`: the values of its JSON. */
export interface CreatedAccessListWire extends Schema.Codec.Encoded<typeof createdAccessListCodec> {}

/**
 * Access list of a call, the result of `eth_createAccessList`.
 *
 * **Example** (Decoding an empty list)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(RpcMethod.CreatedAccessList)({ accessList: [], gasUsed: "0x5208" }).gasUsed) // 21000n
 * ```
 *
 * Source: Ethereum JSON-RPC (execution-apis); EIP-2930.
 */
export const CreatedAccessList: Named<typeof createdAccessListCodec, CreatedAccessList, CreatedAccessListWire> =
  createdAccessListCodec

const simulatedCallCodec = open("SimulatedCall", {
  /** Output, or the data of the revert. */
  returnData: Hex.Hex,
  /** Logs of the call; none if it failed. */
  logs: Schema.Array(Log),
  /** Gas used, in gas units. */
  gasUsed: Quantity.Quantity,
  /** Maximum gas that the call needs before refunds, in gas units. */
  maxUsedGas: Schema.optionalKey(Quantity.Quantity),
  /** 1 if the call succeeded, otherwise 0. */
  status: Quantity.SafeInteger,
  /** Why the call failed. */
  error: Schema.optionalKey(
    Schema.Struct({
      code: Schema.Finite,
      message: Schema.String,
      /** Data of the revert. */
      data: Schema.optionalKey(Schema.NullOr(Hex.Hex)),
    }),
  ),
})

export interface SimulatedCall extends Schema.Schema.Type<typeof simulatedCallCodec> {}

/** Encoded form of `SimulatedCall`: the values of its JSON. */
export interface SimulatedCallWire extends Schema.Codec.Encoded<typeof simulatedCallCodec> {}

/**
 * Outcome of one call of `eth_simulateV1`.
 *
 * **Example** (Decoding an outcome)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { returnData: "0x", logs: [], gasUsed: "0x5208", status: "0x1" }
 * console.log(Schema.decodeUnknownSync(RpcMethod.SimulatedCall)(wire).status) // 1
 * ```
 *
 * Source: Ethereum JSON-RPC (execution-apis, eth_simulateV1).
 */
export const SimulatedCall: Named<typeof simulatedCallCodec, SimulatedCall, SimulatedCallWire> = simulatedCallCodec

const simulatedBlockCodec = open("SimulatedBlock", {
  /** Block number during the calls. */
  number: Quantity.Quantity,
  /** Hash that the block would have. */
  hash: Hash.Hash,
  /** Hash of the parent block. */
  parentHash: Hash.Hash,
  /** Block time in seconds since the Unix epoch. */
  timestamp: Quantity.Quantity,
  /** Gas limit of the block, in gas units. */
  gasLimit: Quantity.Quantity,
  /** Gas used by the calls, in gas units. */
  gasUsed: Quantity.Quantity,
  /** Base fee per gas, in wei (EIP-1559). */
  baseFeePerGas: Schema.optionalKey(Quantity.Quantity),
  /** Transaction hashes, or full transactions if `returnFullTransactions` is true. */
  transactions: Schema.Array(Schema.Union([Hash.Hash, Transaction])),
  /** Outcomes, in call order. */
  calls: Schema.Array(SimulatedCall),
})

export interface SimulatedBlock extends Schema.Schema.Type<typeof simulatedBlockCodec> {}

/** Encoded form of `SimulatedBlock`: the values of its JSON. */
export interface SimulatedBlockWire extends Schema.Codec.Encoded<typeof simulatedBlockCodec> {}

/**
 * Block executed by `eth_simulateV1`. It is not part of the chain.
 *
 * **Details**
 *
 * Other fields of a block are kept as received and listed by `extras`.
 *
 * **Example** (Decoding one field)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(RpcMethod.SimulatedBlock.fields.gasUsed)("0x5208")) // 21000n
 * ```
 *
 * Source: Ethereum JSON-RPC (execution-apis, eth_simulateV1).
 */
export const SimulatedBlock: Named<typeof simulatedBlockCodec, SimulatedBlock, SimulatedBlockWire> = simulatedBlockCodec
