/**
 * Results of methods that have no module of their own. They are exported under `RpcMethod`.
 */
import * as Schema from "effect/Schema"
import { type Named, open } from "./open.ts"
import * as Quantity from "../Quantity.ts"

const feeHistoryCodec = open("FeeHistory", {
  /** First block of the range. */
  oldestBlock: Quantity.Quantity,
  /** Base fee per gas of each block and of the next one, in wei (EIP-1559). */
  baseFeePerGas: Schema.optionalKey(Schema.Array(Quantity.Quantity)),
  /** Gas used of each block divided by its gas limit. */
  gasUsedRatio: Schema.NullOr(Schema.Array(Schema.Finite)),
  /** Priority fees per gas at the requested percentiles of each block, in wei. */
  reward: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Array(Quantity.Quantity)))),
  /** Base fee per blob gas of each block and of the next one, in wei (EIP-4844). */
  baseFeePerBlobGas: Schema.optionalKey(Schema.Array(Quantity.Quantity)),
  /** Blob gas used of each block divided by the maximum. */
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
