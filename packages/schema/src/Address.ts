/**
 * Codecs of 20-byte addresses in lower-case hex, including everything in `AddressText`.
 */
import type * as Schema from "effect/Schema"
import type * as AddressText from "./AddressText.ts"
import * as Hex from "./Hex.ts"
import { orEmpty, orNull } from "./internal/leaf.ts"

export { checksum, fromText, fromTopic, isAddress, pattern } from "./AddressText.ts"

export type Address = AddressText.Address

/**
 * Address of 20 bytes in lower-case hex. Decodes any case; a checksum is not verified.
 *
 * **Example** (Decoding an address in any case)
 *
 * ```ts
 * import * as Address from "@daybook/schema/Address"
 * import * as Schema from "effect/Schema"
 *
 * const address = Schema.decodeUnknownSync(Address.Address)("0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045")
 * console.log(address) // 0xd8da6bf26964af9d7eed9e03e53415d37aa96045
 * ```
 *
 * Source: docs/interface.md#2.2, docs/interface.md#2.8, docs/interface.md#2.9, docs/interface.md#4.1.
 */
export const Address: Schema.Codec<Address, string> = /* @__PURE__ */ Hex.bytes<Address>(
  "an address of 20 bytes in hex",
  20,
)

/**
 * `Address`, or `null`, such as the recipient of a contract creation or the miner of a pending block.
 *
 * **Example** (Decoding the recipient of a contract creation)
 *
 * ```ts
 * import * as Address from "@daybook/schema/Address"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Address.OrNull)(null)) // null
 * ```
 *
 * Source: Ethereum JSON-RPC; decision 0020.
 */
export const OrNull: Schema.Codec<Address | null, string | null> = /* @__PURE__ */ orNull(Address)

/**
 * `Address`, or `null`: decodes `""` and `null` to `null`, encodes `null` as `""`.
 *
 * **Example** (Decoding an empty value)
 *
 * ```ts
 * import * as Address from "@daybook/schema/Address"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Address.OrEmpty)(""), JSON.stringify(Schema.encodeSync(Address.OrEmpty)(null)))
 * // null ""
 * ```
 *
 * Source: docs/interface.md#2.2 (receipt_contract_address); decision 0020.
 */
export const OrEmpty: Schema.Codec<Address | null, string> = /* @__PURE__ */ orEmpty(Address, "")

/**
 * `Address`, or `null`: decodes `""` and `null` to `null`, encodes `null` as `null`.
 *
 * **Example** (Decoding an empty value)
 *
 * ```ts
 * import * as Address from "@daybook/schema/Address"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Address.OrNone)(""), JSON.stringify(Schema.encodeSync(Address.OrNone)(null)))
 * // null null
 * ```
 *
 * Source: docs/interface.md#2.2 (to_address of a creation); decision 0020.
 */
export const OrNone: Schema.Codec<Address | null, string | null> = /* @__PURE__ */ orEmpty(Address, null)
