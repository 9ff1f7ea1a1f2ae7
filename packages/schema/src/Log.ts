/**
 * Logs of the REST operations, with their decoded events. Logs of JSON-RPC are `Receipt.Log`.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import * as DecodedItem from "./DecodedItem.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import * as objects from "./internal/generated/objects.ts"
import { type Named, objectOrNull, open } from "./internal/open.ts"
import * as Timestamp from "./Timestamp.ts"

const none = () => null

const logCodec = open(
  "Log",
  {
    /** Index of the log in the block, from 0. */
    log_index: Decimal.SafeInteger,
    /** Transaction hash. */
    transaction_hash: Hash.Hash,
    /** Index of the transaction in the block, from 0. */
    transaction_index: Decimal.SafeInteger,
    /** Address of the contract that emitted the log. */
    address: Address.Address,
    /** ABI-encoded parameters that are not indexed; `0x` when empty. */
    data: Hex.Hex,
    /** Topic 0, usually the hash of the event signature; `null` when unused. */
    topic0: Schema.optionalKey(Hash.OrEmpty),
    /** Topic 1; `null` when unused. */
    topic1: Schema.optionalKey(Hash.OrEmpty),
    /** Topic 2; `null` when unused. */
    topic2: Schema.optionalKey(Hash.OrEmpty),
    /** Topic 3; `null` when unused. */
    topic3: Schema.optionalKey(Hash.OrEmpty),
    /** Block time. */
    block_timestamp: Timestamp.Timestamp,
    /** Block number. */
    block_number: Decimal.Decimal,
    /** Block hash. */
    block_hash: Hash.Hash,
    /** Decoded event; `null` when the event is unknown. */
    decoded_event: Schema.optionalKey(objectOrNull(DecodedItem.DecodedItem)),
  },
  { topic0: none, topic1: none, topic2: none, topic3: none, decoded_event: none },
  objects.Log,
)

export interface Log extends Schema.Schema.Type<typeof logCodec> {}

/** Encoded form of `Log`: the values of its JSON. */
export interface LogWire extends Schema.Codec.Encoded<typeof logCodec> {}

/**
 * Log of a transaction.
 *
 * **Example** (Decoding one field)
 *
 * ```ts
 * import * as Log from "@daybook/schema/Log"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Log.Log.fields.log_index)("3")) // 3
 * ```
 *
 * Source: docs/interface.md#2.3.
 */
export const Log: Named<typeof logCodec, Log, LogWire> = logCodec

/**
 * Returns the topics of a log as a list, the form that other libraries use.
 *
 * **Example** (Reading the topics of a log)
 *
 * ```ts
 * import * as Log from "@daybook/schema/Log"
 *
 * console.log(Log.topics({ topic0: null, topic1: null, topic2: null, topic3: null })) // []
 * ```
 *
 * Source: docs/interface.md#2.3.
 */
export const topics = (
  log: Pick<Log, "topic0" | "topic1" | "topic2" | "topic3">,
): [] | [Hash.Hash, ...Array<Hash.Hash>] =>
  // Sound: a list is empty, or has a first item.
  [log.topic0, log.topic1, log.topic2, log.topic3].filter((topic) => topic !== null) as [] | [Hash.Hash]

/**
 * Unknown keys of a log, with the values received.
 *
 * **Example** (Listing unknown keys)
 *
 * ```ts
 * import * as Log from "@daybook/schema/Log"
 *
 * declare const log: Log.Log
 * export const extras = () => Log.extras(log)
 * ```
 *
 * Source: decision 0020.
 */
export const extras = (log: Log): Readonly<Record<string, unknown>> => Log.extras(log)
