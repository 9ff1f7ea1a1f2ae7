/**
 * Hashes and topics: 32 bytes that identify a block, a transaction, or an event.
 */
import type * as Brand from "effect/Brand"
import type * as Schema from "effect/Schema"
import * as Hex from "./Hex.ts"
import { orEmpty, orNull } from "./internal/leaf.ts"

/**
 * 32 bytes as lower-case hex text.
 */
export type Hash = `0x${string}` & Brand.Brand<"Hash">

/**
 * A hash: 32 bytes, lower case in the program, any case on the wire.
 *
 * Source: docs/interface.md#2.2, docs/interface.md#2.3, docs/interface.md#2.8, docs/interface.md#2.9.
 */
export const Hash: Schema.Codec<Hash, string> = Hex.bytes<Hash>("a hash of 32 bytes in hex", 32)

/**
 * A hash that is `null` where the chain has none yet, such as the hash of a pending block.
 *
 * Source: Ethereum JSON-RPC; decision 0020.
 */
export const OrNull: Schema.Codec<Hash | null, string | null> = orNull(Hash)

/**
 * A topic slot of a log: `null` in the program when unused (`""` or `null` on the wire); written as `""`.
 *
 * Source: docs/interface.md#2.3; decision 0002.
 */
export const OrEmpty: Schema.Codec<Hash | null, string> = orEmpty(Hash, "")
