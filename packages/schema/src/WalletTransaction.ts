/**
 * A transaction of a wallet as the wallet operation gives it: with receipt, logs, decoded events and calls.
 * What a node gives is `Transaction` and `Receipt`.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import * as DecodedItem from "./DecodedItem.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { objectOrNull, oneOrMany, open } from "./internal/open.ts"
import * as Text from "./internal/text.ts"
import * as InternalTransaction from "./InternalTransaction.ts"
import * as Log from "./Log.ts"
import * as Timestamp from "./Timestamp.ts"

const none = () => null

/**
 * A transaction of a wallet.
 *
 * **Details**
 *
 * Empty values (`""`, `null`, missing) are `null` in the program. `logs` and `internal_transactions` are arrays, also
 * where a server sends a single object.
 *
 * Source: docs/interface.md#2.2; decisions 0001 to 0004.
 */
export const WalletTransaction = open(
  "WalletTransaction",
  {
    /** Hash of the transaction. */
    hash: Hash.Hash,
    /** How many transactions the sender had sent before. Wire: decimal string. */
    nonce: Decimal.SafeInteger,
    /** Position in the block, from 0. Wire: decimal string. */
    transaction_index: Decimal.SafeInteger,
    /** Sender. */
    from_address: Address.Address,
    /** Recipient; `null` when a contract was created. */
    to_address: Schema.optionalKey(Address.OrNone),
    /** Amount in wei (the chain's smallest unit). Wire: decimal string. */
    value: Decimal.Decimal,
    /** Gas limit, in gas units. Wire: decimal string. */
    gas: Decimal.Decimal,
    /** Price paid per unit of gas, in wei. Wire: decimal string. */
    gas_price: Decimal.Decimal,
    /** Call data; `0x` when none. */
    input: Hex.Hex,
    /** Gas used by this transaction and those before it in the block. Wire: decimal string. */
    receipt_cumulative_gas_used: Decimal.Decimal,
    /** Gas used by this transaction alone, in gas units. Wire: decimal string. */
    receipt_gas_used: Decimal.Decimal,
    /** The contract that was created; `null` when none. */
    receipt_contract_address: Schema.optionalKey(Address.OrEmpty),
    /** Root of the state after the transaction; only before Byzantium, else `null`. */
    receipt_root: Schema.optionalKey(Hex.OrEmpty),
    /** 1 succeeded, 0 failed, `null` before Byzantium. Wire: decimal string. */
    receipt_status: Schema.optionalKey(Decimal.SafeIntegerOrEmpty),
    /** Time of the block. Wire: ISO 8601. */
    block_timestamp: Timestamp.Timestamp,
    /** Number of the block. Wire: decimal string. */
    block_number: Decimal.Decimal,
    /** Hash of the block. */
    block_hash: Hash.Hash,
    /** Logs, in order. */
    logs: oneOrMany(Log.Log),
    /** The call in words; `null` when it is not known, or no call. */
    decoded_call: Schema.optionalKey(objectOrNull(DecodedItem.DecodedItem)),
    /** Name of the sender, if the server knows one. */
    from_address_label: Schema.optionalKey(Text.OrNone),
    /** Name of the recipient, if the server knows one. */
    to_address_label: Schema.optionalKey(Text.OrNone),
    /** Calls inside; present only when asked for by `include`. */
    internal_transactions: Schema.optionalKey(oneOrMany(InternalTransaction.InternalTransaction)),
  },
  {
    to_address: none,
    receipt_contract_address: none,
    receipt_root: none,
    receipt_status: none,
    decoded_call: none,
    from_address_label: none,
    to_address_label: none,
  },
)

/**
 * A transaction of a wallet.
 */
export interface WalletTransaction extends Schema.Schema.Type<typeof WalletTransaction> {}

/**
 * The keys of a wallet transaction that the schema does not name, with their values as they came.
 *
 * Source: decision 0004.
 */
export const extras = (value: WalletTransaction): Readonly<Record<string, unknown>> => WalletTransaction.extras(value)
