/**
 * Transaction receipts and logs of JSON-RPC. Logs of the REST operations are `Log`.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import * as objects from "./internal/generated/objects.ts"
import { type Named, noneOrMany, open } from "./internal/open.ts"
import * as Quantity from "./Quantity.ts"

const logCodec = open(
  "Receipt log",
  {
    /** Address of the contract that emitted the log. */
    address: Address.Address,
    /** Up to four topics; topic 0 is usually the hash of the event signature. */
    topics: noneOrMany(Hash.Hash),
    /** ABI-encoded parameters that are not indexed. */
    data: Hex.Hex,
    /** Block number; `null` while pending. */
    blockNumber: Schema.optionalKey(Quantity.OrNull),
    /** Block hash; `null` while pending. */
    blockHash: Schema.optionalKey(Hash.OrNull),
    /** Block time, in seconds since 1970; only newer nodes send it. */
    blockTimestamp: Schema.optionalKey(Quantity.OrNull),
    /** Transaction hash; `null` while pending. */
    transactionHash: Hash.OrNull,
    /** Index of the transaction in the block, from 0; `null` while pending. */
    transactionIndex: Quantity.SafeIntegerOrNull,
    /** Index of the log in the block, from 0; `null` while pending. */
    logIndex: Quantity.SafeIntegerOrNull,
    /** True when a reorg removed the log; some nodes omit it. */
    removed: Schema.optionalKey(Schema.Boolean),
  },
  {},
  objects.ReceiptLog,
)

export interface Log extends Schema.Schema.Type<typeof logCodec> {}

/** Encoded form of `Log`: the values of its JSON. */
export interface LogWire extends Schema.Codec.Encoded<typeof logCodec> {}

/**
 * Log emitted by a contract.
 *
 * **Example** (Decoding one field)
 *
 * ```ts
 * import * as Log from "@daybook/schema/Log"
 * import * as Receipt from "@daybook/schema/Receipt"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Receipt.Log.fields.logIndex)("0x3")) // 3
 * ```
 *
 * Source: Ethereum JSON-RPC (execution-apis).
 */
export const Log: Named<typeof logCodec, Log, LogWire> = logCodec

const receiptCodec = open(
  "Receipt",
  {
    /** Transaction hash. */
    transactionHash: Hash.Hash,
    /** Index of the transaction in the block, from 0. */
    transactionIndex: Quantity.SafeInteger,
    /** Block hash. */
    blockHash: Hash.Hash,
    /** Block number. */
    blockNumber: Quantity.Quantity,
    /** Sender address; some test chains omit it. */
    from: Schema.optionalKey(Address.Address),
    /** Recipient address; `null` for a contract creation. */
    to: Schema.optionalKey(Address.OrNull),
    /** Gas used by the block up to and including this transaction, in gas units. */
    cumulativeGasUsed: Quantity.Quantity,
    /** Gas used by this transaction alone, in gas units. */
    gasUsed: Quantity.Quantity,
    /** Effective gas price in wei; absent or `null` on old nodes. */
    effectiveGasPrice: Schema.optionalKey(Quantity.OrNull),
    /** Address of the created contract; `null` when none was created. */
    contractAddress: Address.OrNull,
    /** Logs, in the order of emission. */
    logs: noneOrMany(Log),
    /** Bloom filter of the logs, 256 bytes. */
    logsBloom: Hex.Bloom,
    /** 1 for success, 0 for failure; absent or `null` before Byzantium (EIP-658). */
    status: Schema.optionalKey(Quantity.SafeIntegerOrNull),
    /** State root after the transaction, before Byzantium; `0x` or absent since (EIP-658). */
    root: Schema.optionalKey(Hex.OrNull),
    /** Transaction type (EIP-2718). */
    type: Schema.optionalKey(Quantity.SafeIntegerOrNull),
    /** Block time, in seconds since 1970; only some nodes send it. */
    blockTimestamp: Schema.optionalKey(Quantity.OrNull),
    /** Blob gas used by this transaction (EIP-4844). */
    blobGasUsed: Schema.optionalKey(Quantity.OrNull),
    /** Price per unit of blob gas in wei (EIP-4844). */
    blobGasPrice: Schema.optionalKey(Quantity.OrNull),
    /** Arbitrum: part of the gas used that pays for L1 data, in gas units. */
    gasUsedForL1: Schema.optionalKey(Quantity.OrNull),
    /** Arbitrum: L1 block number seen by the block. */
    l1BlockNumber: Schema.optionalKey(Quantity.OrNull),
    /** Arbitrum: true for a transaction submitted through the express lane. */
    timeboosted: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
    /** Optimism, Base, Scroll: L1 data fee in wei. */
    l1Fee: Schema.optionalKey(Quantity.OrNull),
    /** Optimism, Base: L1 gas price in wei. */
    l1GasPrice: Schema.optionalKey(Quantity.OrNull),
    /** Optimism, Base: L1 gas used by the transaction data, in gas units. */
    l1GasUsed: Schema.optionalKey(Quantity.OrNull),
    /** Optimism, Base: L1 fee scalar before Ecotone, as decimal text with a fraction. */
    l1FeeScalar: Schema.optionalKey(Schema.NullOr(Schema.String)),
    /** Optimism, Base: L1 base fee scalar since Ecotone. */
    l1BaseFeeScalar: Schema.optionalKey(Quantity.OrNull),
    /** Optimism, Base: L1 blob base fee in wei. */
    l1BlobBaseFee: Schema.optionalKey(Quantity.OrNull),
    /** Optimism, Base: L1 blob base fee scalar since Ecotone. */
    l1BlobBaseFeeScalar: Schema.optionalKey(Quantity.OrNull),
    /** Optimism, Base: scalar of the operator fee, since Isthmus. */
    operatorFeeScalar: Schema.optionalKey(Quantity.OrNull),
    /** Optimism, Base: constant of the operator fee in wei, since Isthmus. */
    operatorFeeConstant: Schema.optionalKey(Quantity.OrNull),
    /** Optimism, Base: nonce of a deposit. */
    depositNonce: Schema.optionalKey(Quantity.OrNull),
    /** Optimism, Base: version of a deposit receipt, since Canyon. */
    depositReceiptVersion: Schema.optionalKey(Quantity.OrNull),
    /** Tempo: token in which the fee was paid. */
    feeToken: Schema.optionalKey(Address.OrNull),
    /** Tempo: account that paid the fee. */
    feePayer: Schema.optionalKey(Address.OrNull),
  },
  {},
  objects.Receipt,
)

export interface Receipt extends Schema.Schema.Type<typeof receiptCodec> {}

/** Encoded form of `Receipt`: the values of its JSON. */
export interface ReceiptWire extends Schema.Codec.Encoded<typeof receiptCodec> {}

/**
 * Transaction receipt.
 *
 * **Example** (Decoding one field)
 *
 * ```ts
 * import * as Receipt from "@daybook/schema/Receipt"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Receipt.Receipt.fields.gasUsed)("0x5208")) // 21000n
 * ```
 *
 * Source: Ethereum JSON-RPC (execution-apis); EIP-658, EIP-1559, EIP-2718, EIP-4844; OP Stack, Nitro, Scroll; decision 0020.
 */
export const Receipt: Named<typeof receiptCodec, Receipt, ReceiptWire> = receiptCodec

/**
 * Unknown keys of a receipt, with the values received.
 *
 * **Example** (Listing the fields of a chain)
 *
 * ```ts
 * import * as Receipt from "@daybook/schema/Receipt"
 *
 * declare const receipt: Receipt.Receipt
 * export const extras = () => Receipt.extras(receipt)
 * ```
 *
 * Source: decision 0020.
 */
export const extras = (receipt: Receipt): Readonly<Record<string, unknown>> => Receipt.extras(receipt)
