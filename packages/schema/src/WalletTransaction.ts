/**
 * Wallet transactions of the REST operations, with receipt fields, logs and decoded items. Transactions and receipts of JSON-RPC are
 * `Transaction` and `Receipt`.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import * as DecodedItem from "./DecodedItem.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import * as objects from "./internal/generated/objects.ts"
import { type Named, objectOrNull, oneOrMany, open } from "./internal/open.ts"
import * as Text from "./internal/text.ts"
import * as InternalTransaction from "./InternalTransaction.ts"
import * as Log from "./Log.ts"
import * as Movement from "./Movement.ts"
import * as Timestamp from "./Timestamp.ts"
import * as UserOperation from "./UserOperation.ts"

const none = () => null

const walletTransactionCodec = open(
  "WalletTransaction",
  {
    /** Transaction hash. */
    hash: Hash.Hash,
    /** Number of transactions sent by the sender before this one. */
    nonce: Decimal.SafeInteger,
    /** Index in the block, from 0. */
    transaction_index: Decimal.SafeInteger,
    /** Sender address. */
    from_address: Address.Address,
    /** Recipient address; `null` for a contract creation. */
    to_address: Schema.optionalKey(Address.OrNone),
    /** Transferred value in wei. */
    value: Decimal.Decimal,
    /** Gas limit, in gas units. */
    gas: Decimal.Decimal,
    /** Effective gas price in wei. */
    gas_price: Decimal.Decimal,
    /** Call data, or init code of a contract creation; `0x` when empty. */
    input: Hex.Hex,
    /** Gas used by the block up to and including this transaction, in gas units. */
    receipt_cumulative_gas_used: Decimal.Decimal,
    /** Gas used by this transaction alone, in gas units. */
    receipt_gas_used: Decimal.Decimal,
    /** Address of the created contract; `null` when none was created. */
    receipt_contract_address: Schema.optionalKey(Address.OrEmpty),
    /** State root after the transaction, before Byzantium; `null` since. */
    receipt_root: Schema.optionalKey(Hex.OrEmpty),
    /** 1 for success, 0 for failure; `null` before Byzantium. */
    receipt_status: Schema.optionalKey(Decimal.SafeIntegerOrEmpty),
    /** Block time. */
    block_timestamp: Timestamp.Timestamp,
    /** Block number. */
    block_number: Decimal.Decimal,
    /** Block hash. */
    block_hash: Hash.Hash,
    /** Logs, in the order of emission. */
    logs: oneOrMany(Log.Log),
    /** Decoded call; `null` when the function is unknown or the transaction is not a call. */
    decoded_call: Schema.optionalKey(objectOrNull(DecodedItem.DecodedItem)),
    /** Label of the sender; `null` when the server has none. */
    from_address_label: Schema.optionalKey(Text.OrNone),
    /** Label of the recipient; `null` when the server has none. */
    to_address_label: Schema.optionalKey(Text.OrNone),
    /**
     * Internal transactions, depth first; absent unless requested by `include`. `null` if the server could not trace the transaction: it
     * may have some.
     */
    internal_transactions: Schema.optionalKey(Schema.NullOr(oneOrMany(InternalTransaction.InternalTransaction))),
    /** Roles of the wallet, which are why the transaction is in its history; absent unless `scope` is `all`. */
    roles: Schema.optionalKey(Schema.Array(Movement.Role)),
    /**
     * User operations in which the wallet is the sender, the paymaster or the bundler; absent if there are none, and unless `scope` is
     * `all`.
     */
    user_operations: Schema.optionalKey(Schema.Array(UserOperation.UserOperation)),
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
  objects.WalletTransaction,
)

export interface WalletTransaction extends Schema.Schema.Type<typeof walletTransactionCodec> {}

/** Encoded form of `WalletTransaction`: the values of its JSON. */
export interface WalletTransactionWire extends Schema.Codec.Encoded<typeof walletTransactionCodec> {}

/**
 * Transaction of a wallet.
 *
 * **Details**
 *
 * Empty values (`""`, `null`, absent) decode to `null`. `logs` and `internal_transactions` decode to arrays, even if a server sends a
 * single object. Numbers are decimal strings on the wire.
 *
 * **Example** (Decoding one field)
 *
 * ```ts
 * import * as WalletTransaction from "@daybook/schema/WalletTransaction"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(WalletTransaction.WalletTransaction.fields.value)("1000000000000000000"))
 * // 1000000000000000000n
 * ```
 *
 * Source: docs/interface.md#2.2; decision 0020.
 */
export const WalletTransaction: Named<typeof walletTransactionCodec, WalletTransaction, WalletTransactionWire> =
  walletTransactionCodec

/**
 * Unknown keys of a wallet transaction, with the values received.
 *
 * **Example** (Listing unknown keys)
 *
 * ```ts
 * import * as WalletTransaction from "@daybook/schema/WalletTransaction"
 *
 * declare const row: WalletTransaction.WalletTransaction
 * export const extras = () => WalletTransaction.extras(row)
 * ```
 *
 * Source: decision 0020.
 */
export const extras = (value: WalletTransaction): Readonly<Record<string, unknown>> => WalletTransaction.extras(value)
