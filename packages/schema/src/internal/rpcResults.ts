/**
 * Results of methods that are no resource of their own. They are exported under `RpcMethod`.
 */
import * as Schema from "effect/Schema"
import { open } from "./open.ts"
import * as Quantity from "../Quantity.ts"

/**
 * Fees of a run of blocks.
 *
 * Source: Ethereum JSON-RPC; EIP-1559, EIP-4844.
 */
export const FeeHistory = open("FeeHistory", {
  /** First block of the run. Source: execution-apis. */
  oldestBlock: Quantity.Quantity,
  /** Base fee of each block and of the one after the last, in wei. Source: EIP-1559. */
  baseFeePerGas: Schema.optionalKey(Schema.Array(Quantity.Quantity)),
  /** Share of each block's gas limit that was used. Source: execution-apis. */
  gasUsedRatio: Schema.NullOr(Schema.Array(Schema.Finite)),
  /** Tips at the percentiles asked for, in wei, by block. Source: execution-apis. */
  reward: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Array(Quantity.Quantity)))),
  /** Base fee of blob gas, in wei. Source: EIP-4844. */
  baseFeePerBlobGas: Schema.optionalKey(Schema.Array(Quantity.Quantity)),
  /** Share of each block's blob gas that was used. Source: EIP-4844. */
  blobGasUsedRatio: Schema.optionalKey(Schema.Array(Schema.Finite)),
})

/**
 * How far a node that is behind has come.
 *
 * Source: Ethereum JSON-RPC.
 */
export const SyncStatus = open("SyncStatus", {
  /** Where it began. Source: execution-apis. */
  startingBlock: Schema.optionalKey(Quantity.Quantity),
  /** Where it is. Source: execution-apis. */
  currentBlock: Schema.optionalKey(Quantity.Quantity),
  /** Where it goes. Source: execution-apis. */
  highestBlock: Schema.optionalKey(Quantity.Quantity),
})
