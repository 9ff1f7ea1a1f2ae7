/**
 * Transactions that chains add to those of Ethereum: deposits of optimism and base, Arbitrum's families, Polygon's state sync.
 * They are cases of `Transaction`, under which they are exported.
 */
import * as Schema from "effect/Schema"
import * as Address from "../Address.ts"
import * as Hash from "../Hash.ts"
import * as Hex from "../Hex.ts"
import * as Quantity from "../Quantity.ts"
import { open } from "./open.ts"
import { arbitrumType, common, typeOf, unplaced, unsigned } from "./transactionFields.ts"

/**
 * A deposit from layer 1 on optimism and base (type 0x7e). It has no chain id, and its signature is zero or missing.
 *
 * Source: OP Stack specification, deposits.
 */
export const Deposit = open(
  "Deposit transaction",
  {
    ...common,
    ...unsigned,
    /** 0x7e. Source: OP Stack specification. */
    type: typeOf(0x7e),
    /** 0 on deposits. Source: OP Stack specification. */
    gasPrice: Schema.optionalKey(Quantity.OrNull),
    /** Identifies the origin of the deposit. Source: OP Stack specification. */
    sourceHash: Hash.Hash,
    /** Wei minted on layer 2; `null` or missing when none. Source: OP Stack specification. */
    mint: Schema.optionalKey(Quantity.OrNull),
    /** True where the transaction does not count against the block's gas. Source: OP Stack specification. */
    isSystemTx: Schema.optionalKey(Schema.Boolean),
    /** Version of the deposit's receipt. Source: OP Stack specification, Canyon. */
    depositReceiptVersion: Schema.optionalKey(Quantity.OrNull),
    chainId: Schema.optionalKey(Quantity.OrNull),
  },
  unplaced,
)

/**
 * A transaction of Arbitrum's own families: deposit 0x64, unsigned 0x65, contract 0x66, retry 0x68, submit retryable
 * 0x69, internal 0x6a, and classic 0x78 (before Nitro). Which of the fields below are present depends on the type.
 *
 * Source: Nitro, `arbitrum_types.go`.
 */
export const Arbitrum = open(
  "Arbitrum transaction",
  {
    ...common,
    ...unsigned,
    /** 0x64, 0x65, 0x66, 0x68, 0x69, 0x6a or 0x78. Source: Nitro. */
    type: arbitrumType,
    gasPrice: Schema.optionalKey(Quantity.OrNull),
    chainId: Schema.optionalKey(Quantity.OrNull),
    maxFeePerGas: Schema.optionalKey(Quantity.OrNull),
    maxPriorityFeePerGas: Schema.optionalKey(Quantity.OrNull),
    /** Identifies the message from layer 1. Source: Nitro. */
    requestId: Schema.optionalKey(Hash.OrNull),
    /** The retryable ticket that is redeemed. Source: Nitro. */
    ticketId: Schema.optionalKey(Hash.OrNull),
    /** Most wei that is refunded. Source: Nitro. */
    maxRefund: Schema.optionalKey(Quantity.OrNull),
    /** Wei paid for submitting. Source: Nitro. */
    submissionFeeRefund: Schema.optionalKey(Quantity.OrNull),
    /** Account that is refunded. Source: Nitro. */
    refundTo: Schema.optionalKey(Address.OrNull),
    /** Base fee of layer 1, in wei. Source: Nitro. */
    l1BaseFee: Schema.optionalKey(Quantity.OrNull),
    /** Wei deposited with a retryable. Source: Nitro. */
    depositValue: Schema.optionalKey(Quantity.OrNull),
    /** Recipient of the retried call; `null` for a creation. Source: Nitro. */
    retryTo: Schema.optionalKey(Address.OrNull),
    /** Value of the retried call, in wei. Source: Nitro. */
    retryValue: Schema.optionalKey(Quantity.OrNull),
    /** Call data of the retried call. Source: Nitro. */
    retryData: Schema.optionalKey(Hex.OrNull),
    /** Account that may cancel and gets the call value back. Source: Nitro. */
    beneficiary: Schema.optionalKey(Address.OrNull),
    /** Most wei paid for submitting. Source: Nitro. */
    maxSubmissionFee: Schema.optionalKey(Quantity.OrNull),
    /** 0x78: price paid per unit of gas, in wei. Source: Arbitrum classic. */
    effectiveGasPrice: Schema.optionalKey(Quantity.OrNull),
  },
  unplaced,
)

/**
 * A state-sync transaction of Polygon (type 0x7f): no signer, last in its block.
 *
 * Source: Bor, PIP-74.
 */
export const StateSync = open(
  "StateSync transaction",
  {
    ...common,
    ...unsigned,
    /** 0x7f. Source: PIP-74. */
    type: typeOf(0x7f),
    gasPrice: Schema.optionalKey(Quantity.OrNull),
    chainId: Schema.optionalKey(Quantity.OrNull),
  },
  unplaced,
)

/**
 * A deposit on optimism or base.
 */
export interface Deposit extends Schema.Schema.Type<typeof Deposit> {}

/**
 * A transaction of Arbitrum's own families.
 */
export interface Arbitrum extends Schema.Schema.Type<typeof Arbitrum> {}

/**
 * A state-sync transaction of Polygon.
 */
export interface StateSync extends Schema.Schema.Type<typeof StateSync> {}
