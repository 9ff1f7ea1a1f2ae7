/**
 * A log of a transaction as the wallet operation gives it, with the event in words.
 * What a node gives is `Receipt.Log`.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import * as DecodedItem from "./DecodedItem.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { objectOrNull, open } from "./internal/open.ts"
import * as Timestamp from "./Timestamp.ts"

const none = () => null

/**
 * A log of a transaction.
 *
 * Source: docs/interface.md#2.3.
 */
export const Log = open(
  "Log",
  {
    /** Position of the log in the block. Wire: decimal string. */
    log_index: Decimal.SafeInteger,
    /** Hash of the transaction. */
    transaction_hash: Hash.Hash,
    /** Position of the transaction in the block. Wire: decimal string. */
    transaction_index: Decimal.SafeInteger,
    /** Contract that wrote the log. */
    address: Address.Address,
    /** Parameters that are not indexed, ABI-encoded; `0x` when none. */
    data: Hex.Hex,
    /** First topic, usually the hash of the event's signature; `null` when unused. */
    topic0: Schema.optionalKey(Hash.OrEmpty),
    /** Second topic; `null` when unused. */
    topic1: Schema.optionalKey(Hash.OrEmpty),
    /** Third topic; `null` when unused. */
    topic2: Schema.optionalKey(Hash.OrEmpty),
    /** Fourth topic; `null` when unused. */
    topic3: Schema.optionalKey(Hash.OrEmpty),
    /** Time of the block. Wire: ISO 8601. */
    block_timestamp: Timestamp.Timestamp,
    /** Number of the block. Wire: decimal string. */
    block_number: Decimal.Decimal,
    /** Hash of the block. */
    block_hash: Hash.Hash,
    /** The event in words; `null` when it is not known. */
    decoded_event: Schema.optionalKey(objectOrNull(DecodedItem.DecodedItem)),
  },
  { topic0: none, topic1: none, topic2: none, topic3: none, decoded_event: none },
)

/**
 * A log of a transaction.
 */
export interface Log extends Schema.Schema.Type<typeof Log> {}

/**
 * The keys of a log that the schema does not name, with their values as they came.
 *
 * Source: decision 0004.
 */
export const extras = (log: Log): Readonly<Record<string, unknown>> => Log.extras(log)
