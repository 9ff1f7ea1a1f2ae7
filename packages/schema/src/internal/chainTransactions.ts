/**
 * Transaction types that other chains add to those of Ethereum: OP Stack deposits, Arbitrum types, Polygon state sync. They are
 * exported under `Transaction`.
 */
import * as Schema from "effect/Schema"
import * as Address from "../Address.ts"
import * as Hash from "../Hash.ts"
import * as Hex from "../Hex.ts"
import * as Quantity from "../Quantity.ts"
import { type Named, open } from "./open.ts"
import { arbitrumType, common, typeOf, unplaced, unsigned } from "./transactionFields.ts"

const depositCodec = open(
  "Deposit transaction",
  {
    ...common,
    ...unsigned,
    /** Transaction type 0x7e. */
    type: typeOf(0x7e),
    /** Gas price in wei, which is 0. */
    gasPrice: Schema.optionalKey(Quantity.OrNull),
    /** Optimism, Base: source hash, which identifies the deposit on L1; some nodes omit it. */
    sourceHash: Schema.optionalKey(Hash.OrNull),
    /** Scroll, Morph: index of the message in the queue on L1. */
    queueIndex: Schema.optionalKey(Quantity.OrNull),
    /** Scroll, Morph: sender of the message on L1. */
    sender: Schema.optionalKey(Address.OrNull),
    /** Amount minted on L2, in wei; `null` or absent when none. */
    mint: Schema.optionalKey(Quantity.OrNull),
    /** True for a system transaction, which uses no block gas. */
    isSystemTx: Schema.optionalKey(Schema.Boolean),
    /** Version of the deposit receipt, since Canyon. */
    depositReceiptVersion: Schema.optionalKey(Quantity.OrNull),
    /** Chain id; deposits have none. */
    chainId: Schema.optionalKey(Quantity.OrNull),
  },
  unplaced,
)

export interface Deposit extends Schema.Schema.Type<typeof depositCodec> {}

/** Encoded form of `Deposit`: the values of its JSON. */
export interface DepositWire extends Schema.Codec.Encoded<typeof depositCodec> {}

/**
 * Deposit from L1 on Optimism and Base, or L1 message of Scroll and Morph (type 0x7e). Its signature is zero or absent.
 *
 * **Example** (Decoding the type)
 *
 * ```ts
 * import * as Transaction from "@daybook/schema/Transaction"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Transaction.Deposit.fields.type)("0x7e")) // 126
 * ```
 *
 * Source: OP Stack specification, deposits; Scroll, `l1_message_tx.go`.
 */
export const Deposit: Named<typeof depositCodec, Deposit, DepositWire> = depositCodec

const arbitrumCodec = open(
  "Arbitrum transaction",
  {
    ...common,
    ...unsigned,
    /** Transaction type 0x64, 0x65, 0x66, 0x68, 0x69, 0x6a or 0x78. */
    type: arbitrumType,
    /** Gas price in wei. */
    gasPrice: Schema.optionalKey(Quantity.OrNull),
    /** Chain id (EIP-155). */
    chainId: Schema.optionalKey(Quantity.OrNull),
    /** Maximum fee per gas in wei. */
    maxFeePerGas: Schema.optionalKey(Quantity.OrNull),
    /** Maximum priority fee per gas in wei. */
    maxPriorityFeePerGas: Schema.optionalKey(Quantity.OrNull),
    /** Id of the message from L1. */
    requestId: Schema.optionalKey(Hash.OrNull),
    /** Id of the redeemed retryable ticket. */
    ticketId: Schema.optionalKey(Hash.OrNull),
    /** Maximum refund in wei. */
    maxRefund: Schema.optionalKey(Quantity.OrNull),
    /** Refund of the submission fee, in wei. */
    submissionFeeRefund: Schema.optionalKey(Quantity.OrNull),
    /** Address that receives refunds. */
    refundTo: Schema.optionalKey(Address.OrNull),
    /** L1 base fee in wei. */
    l1BaseFee: Schema.optionalKey(Quantity.OrNull),
    /** Amount deposited with the retryable ticket, in wei. */
    depositValue: Schema.optionalKey(Quantity.OrNull),
    /** Recipient address of the retried call; `null` for a contract creation. */
    retryTo: Schema.optionalKey(Address.OrNull),
    /** Value of the retried call in wei. */
    retryValue: Schema.optionalKey(Quantity.OrNull),
    /** Call data of the retried call. */
    retryData: Schema.optionalKey(Hex.OrNull),
    /** Address that may cancel the ticket and receives its call value. */
    beneficiary: Schema.optionalKey(Address.OrNull),
    /** Maximum submission fee in wei. */
    maxSubmissionFee: Schema.optionalKey(Quantity.OrNull),
    /** Effective gas price in wei; type 0x78 only. */
    effectiveGasPrice: Schema.optionalKey(Quantity.OrNull),
  },
  unplaced,
)

export interface Arbitrum extends Schema.Schema.Type<typeof arbitrumCodec> {}

/** Encoded form of `Arbitrum`: the values of its JSON. */
export interface ArbitrumWire extends Schema.Codec.Encoded<typeof arbitrumCodec> {}

/**
 * Transaction of an Arbitrum type: deposit 0x64, unsigned 0x65, contract 0x66, retry 0x68, submit retryable 0x69, internal 0x6a, and
 * classic 0x78 (before Nitro). The type determines which optional fields are present.
 *
 * **Example** (Decoding the type)
 *
 * ```ts
 * import * as Transaction from "@daybook/schema/Transaction"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Transaction.Arbitrum.fields.type)("0x6a")) // 106
 * ```
 *
 * Source: Nitro, `arbitrum_types.go`.
 */
export const Arbitrum: Named<typeof arbitrumCodec, Arbitrum, ArbitrumWire> = arbitrumCodec

const stateSyncCodec = open(
  "StateSync transaction",
  {
    ...common,
    ...unsigned,
    /** Transaction type 0x7f. */
    type: typeOf(0x7f),
    /** Gas price in wei, which is 0. */
    gasPrice: Schema.optionalKey(Quantity.OrNull),
    /** Chain id (EIP-155). */
    chainId: Schema.optionalKey(Quantity.OrNull),
  },
  unplaced,
)

export interface StateSync extends Schema.Schema.Type<typeof stateSyncCodec> {}

/** Encoded form of `StateSync`: the values of its JSON. */
export interface StateSyncWire extends Schema.Codec.Encoded<typeof stateSyncCodec> {}

/**
 * State-sync transaction of Polygon (type 0x7f): unsigned, the last transaction of its block.
 *
 * **Example** (Decoding the type)
 *
 * ```ts
 * import * as Transaction from "@daybook/schema/Transaction"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Transaction.StateSync.fields.type)("0x7f")) // 127
 * ```
 *
 * Source: Bor, PIP-74.
 */
export const StateSync: Named<typeof stateSyncCodec, StateSync, StateSyncWire> = stateSyncCodec
