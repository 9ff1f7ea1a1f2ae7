/**
 * Codecs of 32-byte hashes: of blocks, transactions and topics.
 */
import type * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import * as Hex from "./Hex.ts"
import { orEmpty, orNull, relax } from "./internal/leaf.ts"

export type Hash = `0x${string}` & Brand.Brand<"Hash">

/**
 * Hash of 32 bytes in lower-case hex. Decodes any case.
 *
 * **Example** (Decoding a hash)
 *
 * ```ts
 * import * as Hash from "@daybook/schema/Hash"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Hash.Hash)(`0x${"AB".repeat(32)}`).slice(0, 6)) // 0xabab
 * ```
 *
 * Source: docs/interface.md#2.2, docs/interface.md#2.3, docs/interface.md#2.8, docs/interface.md#2.9.
 */
export const Hash: Schema.Codec<Hash, string> = Hex.bytes<Hash>("a hash of 32 bytes in hex", 32)

/**
 * `Hash`, or `null` if there is none yet, such as the hash of a pending block.
 *
 * **Example** (Decoding the hash of a pending block)
 *
 * ```ts
 * import * as Hash from "@daybook/schema/Hash"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Hash.OrNull)(null)) // null
 * ```
 *
 * Source: Ethereum JSON-RPC; decision 0020.
 */
export const OrNull: Schema.Codec<Hash | null, string | null> = /* @__PURE__ */ orNull(Hash)

/**
 * Topic of a log, or `null` when unused: decodes `""` and `null` to `null`, encodes `null` as `""`.
 *
 * **Example** (Decoding an unused topic)
 *
 * ```ts
 * import * as Hash from "@daybook/schema/Hash"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Hash.OrEmpty)("")) // null
 * ```
 *
 * Source: docs/interface.md#2.3; decision 0020.
 */
export const OrEmpty: Schema.Codec<Hash | null, string> = /* @__PURE__ */ orEmpty(Hash, "")

/**
 * `Hash`, or `null` if the chain does not compute it, such as the state root of Tron: decodes `0x` and `null` to `null`, encodes `null` as
 * `0x`.
 *
 * **Example** (Decoding a root that a chain does not compute)
 *
 * ```ts
 * import * as Hash from "@daybook/schema/Hash"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Hash.OrNone)("0x")) // null
 * ```
 *
 * Source: Tron JSON-RPC; tolerance: decision 0020.
 */
export const OrNone: Schema.Codec<Hash | null, string> = /* @__PURE__ */ relax(OrNull, (options) => ({
  ...options,
  expected: "a hash of 32 bytes in hex, or 0x for none",
  wire: Schema.String.check(Schema.isPattern(/^0x([0-9a-f]{64})?$/u)),
  read: (input: unknown) => (input === "0x" ? null : options.read(input)),
  write: (value: Hash | null) => value ?? "0x",
}))
