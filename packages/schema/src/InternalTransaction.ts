/**
 * A call that a contract made inside a transaction, as the wallet operation gives it with `include=internal_transactions`.
 * What a node's tracer gives is `Trace`.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { open } from "./internal/open.ts"

/**
 * A call inside a transaction.
 *
 * Source: docs/interface.md#2.5; decision 0014.
 */
export const InternalTransaction = open(
  "InternalTransaction",
  {
    /** Hash of the transaction. */
    transaction_hash: Hash.Hash,
    /** Number of the block. Wire: JSON number. */
    block_number: Decimal.FromNumber,
    /** Hash of the block. */
    block_hash: Hash.Hash,
    /** `CALL`, `CALLCODE`, `CREATE`, `CREATE2`, `SELFDESTRUCT` and others by server. */
    type: Schema.String,
    /** Account that called. */
    from: Address.Address,
    /** Account that was called or created; `null` where a creation failed. */
    to: Schema.optionalKey(Address.OrNone),
    /** Amount in wei. Wire: decimal string. */
    value: Decimal.Decimal,
    /** Gas given, in gas units. Wire: decimal string. */
    gas: Decimal.Decimal,
    /** Gas used, in gas units. Wire: decimal string. */
    gas_used: Decimal.Decimal,
    /** Call data or init code; `0x` when none. */
    input: Schema.optionalKey(Hex.OrNothing),
    /** Returned bytes or created code; `0x` when none. */
    output: Schema.optionalKey(Hex.OrNothing),
    /** Why the frame, or one above it, failed; missing or `null` on success. */
    error: Schema.optionalKey(Schema.NullOr(Schema.String)),
  },
  { to: () => null, input: Hex.nothing, output: Hex.nothing },
)

/**
 * A call inside a transaction.
 */
export interface InternalTransaction extends Schema.Schema.Type<typeof InternalTransaction> {}

/**
 * The keys of an internal transaction that the schema does not name, with their values as they came.
 *
 * Source: decision 0004.
 */
export const extras = (value: InternalTransaction): Readonly<Record<string, unknown>> =>
  InternalTransaction.extras(value)
