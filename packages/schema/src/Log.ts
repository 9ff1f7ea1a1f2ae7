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
 * Source: interface 2.3.
 *
 * @category codecs
 * @since 0.1.0
 */
export const Log = open(
  "Log",
  {
    /** Position of the log in the block. Wire: decimal string. Source: interface 2.3. */
    log_index: Decimal.SafeInteger,
    /** Hash of the transaction. Source: interface 2.3. */
    transaction_hash: Hash.Hash,
    /** Position of the transaction in the block. Wire: decimal string. Source: interface 2.3. */
    transaction_index: Decimal.SafeInteger,
    /** Contract that wrote the log. Source: interface 2.3. */
    address: Address.Address,
    /** Parameters that are not indexed, ABI-encoded; `0x` when none. Source: interface 2.3. */
    data: Hex.Hex,
    /** First topic, usually the hash of the event's signature; `null` when unused. Source: interface 2.3. */
    topic0: Schema.optionalKey(Hash.OrEmpty),
    /** Second topic; `null` when unused. Source: interface 2.3. */
    topic1: Schema.optionalKey(Hash.OrEmpty),
    /** Third topic; `null` when unused. Source: interface 2.3. */
    topic2: Schema.optionalKey(Hash.OrEmpty),
    /** Fourth topic; `null` when unused. Source: interface 2.3. */
    topic3: Schema.optionalKey(Hash.OrEmpty),
    /** Time of the block. Wire: ISO 8601. Source: interface 2.3. */
    block_timestamp: Timestamp.Timestamp,
    /** Number of the block. Wire: decimal string. Source: interface 2.3. */
    block_number: Decimal.Decimal,
    /** Hash of the block. Source: interface 2.3. */
    block_hash: Hash.Hash,
    /** The event in words; `null` when it is not known. Source: interface 2.3, 2.4. */
    decoded_event: Schema.optionalKey(objectOrNull(DecodedItem.DecodedItem)),
  },
  { topic0: none, topic1: none, topic2: none, topic3: none, decoded_event: none },
)

/**
 * A log of a transaction.
 *
 * @category models
 * @since 0.1.0
 */
export interface Log extends Schema.Schema.Type<typeof Log> {}

/**
 * The keys of a log that the schema does not name, with their values as they came.
 *
 * Source: decision 0004.
 *
 * @category combinators
 * @since 0.1.0
 */
export const extras = (log: Log): Readonly<Record<string, unknown>> => Log.extras(log)
