/**
 * Internal transactions of the REST operations, returned with `include=internal_transactions`. Traces of JSON-RPC are `Trace`.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import * as objects from "./internal/generated/objects.ts"
import { type Named, open } from "./internal/open.ts"

const internalTransactionCodec = open(
  "InternalTransaction",
  {
    /** Transaction hash. */
    transaction_hash: Hash.Hash,
    /** Block number. Wire: JSON number. */
    block_number: Decimal.FromNumber,
    /** Block hash. */
    block_hash: Hash.Hash,
    /** Opcode: `CALL`, `CALLCODE`, `CREATE`, `CREATE2`, `SELFDESTRUCT`, or any other that the server includes. */
    type: Schema.String,
    /** Caller address. */
    from: Address.Address,
    /** Address of the called or created account; `null` for a failed creation. */
    to: Schema.optionalKey(Address.OrNone),
    /** Transferred value in wei. */
    value: Decimal.Decimal,
    /** Gas limit of the call, in gas units. */
    gas: Decimal.Decimal,
    /** Gas used, in gas units. */
    gas_used: Decimal.Decimal,
    /** Call data or init code; `0x` when empty, `null` if the server omitted it because of its size. */
    input: Schema.optionalKey(Hex.OrNull),
    /** Length of `input` in bytes; absent unless `input` is `null`. */
    input_length: Schema.optionalKey(Decimal.Decimal),
    /** SHA-256 of the bytes of `input`; absent unless `input` is `null`. */
    input_hash: Schema.optionalKey(Hash.Hash),
    /** Return data or deployed code; `0x` when empty, `null` if the server omitted it because of its size. */
    output: Schema.optionalKey(Hex.OrNull),
    /** Length of `output` in bytes; absent unless `output` is `null`. */
    output_length: Schema.optionalKey(Decimal.Decimal),
    /** SHA-256 of the bytes of `output`; absent unless `output` is `null`. */
    output_hash: Schema.optionalKey(Hash.Hash),
    /** Error of this call or of an enclosing one; absent or `null` on success. */
    error: Schema.optionalKey(Schema.NullOr(Schema.String)),
  },
  { to: () => null, input: Hex.nothing, output: Hex.nothing },
  objects.InternalTransaction,
)

export interface InternalTransaction extends Schema.Schema.Type<typeof internalTransactionCodec> {}

/** Encoded form of `InternalTransaction`: the values of its JSON. */
export interface InternalTransactionWire extends Schema.Codec.Encoded<typeof internalTransactionCodec> {}

/**
 * Internal transaction: a call, contract creation or selfdestruct made by a contract.
 *
 * **Example** (Decoding one field)
 *
 * ```ts
 * import * as InternalTransaction from "@daybook/schema/InternalTransaction"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(InternalTransaction.InternalTransaction.fields.value)("1000")) // 1000n
 * ```
 *
 * Source: docs/interface.md#2.5; decision 0014.
 */
export const InternalTransaction: Named<typeof internalTransactionCodec, InternalTransaction, InternalTransactionWire> =
  internalTransactionCodec

/**
 * Unknown keys of an internal transaction, with the values received.
 *
 * **Example** (Listing unknown keys)
 *
 * ```ts
 * import * as InternalTransaction from "@daybook/schema/InternalTransaction"
 *
 * declare const row: InternalTransaction.InternalTransaction
 * export const extras = () => InternalTransaction.extras(row)
 * ```
 *
 * Source: decision 0020.
 */
export const extras = (value: InternalTransaction): Readonly<Record<string, unknown>> =>
  InternalTransaction.extras(value)
