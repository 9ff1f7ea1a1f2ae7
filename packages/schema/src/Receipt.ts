/**
 * The outcome of a transaction as a node gives it (JSON-RPC), with its logs.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { open } from "./internal/open.ts"
import * as Quantity from "./Quantity.ts"

/**
 * A log that a contract wrote.
 *
 * Source: Ethereum JSON-RPC.
 */
export const Log = open("Receipt log", {
  /** Contract that wrote it. Source: Ethereum JSON-RPC. */
  address: Address.Address,
  /** None to four topics; the first is usually the hash of the event's signature. Source: Ethereum JSON-RPC. */
  topics: Schema.Array(Hash.Hash),
  /** Parameters that are not indexed, ABI-encoded. Source: Ethereum JSON-RPC. */
  data: Hex.Hex,
  /** Number of the block; `null` while pending. Wire: hex quantity. Source: Ethereum JSON-RPC. */
  blockNumber: Schema.optionalKey(Quantity.OrNull),
  /** Hash of the block; `null` while pending. Source: Ethereum JSON-RPC. */
  blockHash: Schema.optionalKey(Hash.OrNull),
  /** Time of the block in seconds since 1970; only newer nodes send it. Source: execution-apis. */
  blockTimestamp: Schema.optionalKey(Quantity.OrNull),
  /** Hash of the transaction. Source: Ethereum JSON-RPC. */
  transactionHash: Hash.OrNull,
  /** Position of the transaction in the block. Source: Ethereum JSON-RPC. */
  transactionIndex: Quantity.SafeIntegerOrNull,
  /** Position of the log in the block. Source: Ethereum JSON-RPC. */
  logIndex: Quantity.SafeIntegerOrNull,
  /** True when the log was taken back by a reorganisation; some nodes leave it out. Source: Ethereum JSON-RPC. */
  removed: Schema.optionalKey(Schema.Boolean),
})

/**
 * A log that a contract wrote.
 */
export interface Log extends Schema.Schema.Type<typeof Log> {}

/**
 * The outcome of a transaction.
 *
 * Source: Ethereum JSON-RPC; fields of layer 2 chains: OP Stack, Nitro, Scroll; decisions 0004 and 0020.
 */
export const Receipt = open("Receipt", {
  /** Hash of the transaction. Source: Ethereum JSON-RPC. */
  transactionHash: Hash.Hash,
  /** Position of the transaction in the block. Source: Ethereum JSON-RPC. */
  transactionIndex: Quantity.SafeInteger,
  /** Hash of the block. Source: Ethereum JSON-RPC. */
  blockHash: Hash.Hash,
  /** Number of the block. Source: Ethereum JSON-RPC. */
  blockNumber: Quantity.Quantity,
  /** Sender; a few test chains leave it out. Source: Ethereum JSON-RPC; decision 0020. */
  from: Schema.optionalKey(Address.Address),
  /** Recipient; `null` when a contract was created. Source: Ethereum JSON-RPC. */
  to: Schema.optionalKey(Address.OrNull),
  /** Gas used by this transaction and those before it in the block. Source: Ethereum JSON-RPC. */
  cumulativeGasUsed: Quantity.Quantity,
  /** Gas used by this transaction alone. Source: Ethereum JSON-RPC. */
  gasUsed: Quantity.Quantity,
  /** Price paid per unit of gas, in wei; missing or `null` on old nodes. Source: EIP-1559. */
  effectiveGasPrice: Schema.optionalKey(Quantity.OrNull),
  /** The contract that was created; `null` when none. Source: Ethereum JSON-RPC. */
  contractAddress: Address.OrNull,
  /** Logs, in order. Source: Ethereum JSON-RPC. */
  logs: Schema.Array(Log),
  /** Bloom filter of the logs, 256 bytes. Source: Ethereum JSON-RPC. */
  logsBloom: Hex.Bloom,
  /** 1 succeeded, 0 failed; missing or `null` before Byzantium. Source: EIP-658. */
  status: Schema.optionalKey(Quantity.SafeIntegerOrNull),
  /** Root of the state after the transaction; only before Byzantium, else `0x` or missing. Source: EIP-658. */
  root: Schema.optionalKey(Hex.OrNull),
  /** Type of the transaction. Source: EIP-2718. */
  type: Schema.optionalKey(Quantity.SafeIntegerOrNull),
  /** Time of the block in seconds since 1970; anvil sends a JSON number. Source: execution-apis; decision 0020. */
  blockTimestamp: Schema.optionalKey(Quantity.OrNull),
  /** Blob gas used. Source: EIP-4844. */
  blobGasUsed: Schema.optionalKey(Quantity.OrNull),
  /** Price of blob gas, in wei per unit. Source: EIP-4844. */
  blobGasPrice: Schema.optionalKey(Quantity.OrNull),
  /** arbitrum: gas used for layer 1. Source: Nitro. */
  gasUsedForL1: Schema.optionalKey(Quantity.OrNull),
  /** arbitrum: block of layer 1. Source: Nitro. */
  l1BlockNumber: Schema.optionalKey(Quantity.OrNull),
  /** arbitrum: whether the transaction came through the express lane. Source: Nitro. */
  timeboosted: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  /** optimism, base, scroll: fee for layer 1, in wei. Source: OP Stack. */
  l1Fee: Schema.optionalKey(Quantity.OrNull),
  /** optimism, base: gas price of layer 1, in wei. Source: OP Stack. */
  l1GasPrice: Schema.optionalKey(Quantity.OrNull),
  /** optimism, base: gas used on layer 1. Source: OP Stack. */
  l1GasUsed: Schema.optionalKey(Quantity.OrNull),
  /** optimism, base: scalar of the fee, decimal text with a fraction. Source: OP Stack. */
  l1FeeScalar: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** optimism, base: base fee scalar since Ecotone. Source: OP Stack. */
  l1BaseFeeScalar: Schema.optionalKey(Quantity.OrNull),
  /** optimism, base: blob base fee of layer 1, in wei. Source: OP Stack. */
  l1BlobBaseFee: Schema.optionalKey(Quantity.OrNull),
  /** optimism, base: blob base fee scalar since Ecotone. Source: OP Stack. */
  l1BlobBaseFeeScalar: Schema.optionalKey(Quantity.OrNull),
  /** optimism, base: nonce of a deposit. Source: OP Stack. */
  depositNonce: Schema.optionalKey(Quantity.OrNull),
  /** optimism, base: version of a deposit's receipt. Source: OP Stack. */
  depositReceiptVersion: Schema.optionalKey(Quantity.OrNull),
})

/**
 * The outcome of a transaction.
 */
export interface Receipt extends Schema.Schema.Type<typeof Receipt> {}

/**
 * The keys of a receipt that the schema does not name, with their values as they came.
 *
 * Source: decision 0004.
 */
export const extras = (receipt: Receipt): Readonly<Record<string, unknown>> => Receipt.extras(receipt)
