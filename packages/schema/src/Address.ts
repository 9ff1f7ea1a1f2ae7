/**
 * Codecs of 20-byte addresses in lower-case hex, and the checksummed form. Codecs are marked as pure: a web page that only parses and
 * formats addresses is bundled without them.
 */
import type * as Brand from "effect/Brand"
import type * as Schema from "effect/Schema"
import * as Hex from "./Hex.ts"
import { orEmpty, orNull } from "./internal/leaf.ts"

export { checksum } from "./internal/checksum.ts"

export type Address = `0x${string}` & Brand.Brand<"Address">

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
 * `Address`, or `null`, as for the recipient of a contract creation and the miner of a pending block.
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

/**
 * Matches the text of an address in any case. Use `fromText` to get the address.
 *
 * **Example** (Testing the text of an address)
 *
 * ```ts
 * import * as Address from "@daybook/schema/Address"
 *
 * console.log(Address.pattern.test("0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045")) // true
 * ```
 *
 * Source: docs/interface.md#2.2.
 */
export const pattern: RegExp = /^0x[0-9a-fA-F]{40}$/

const lowerCase = /^0x[0-9a-f]{40}$/

/**
 * Returns true for an address in lower case.
 *
 * **Example** (Distinguishing an address from a checksummed one)
 *
 * ```ts
 * import * as Address from "@daybook/schema/Address"
 *
 * console.log(Address.isAddress("0xd8da6bf26964af9d7eed9e03e53415d37aa96045"), Address.isAddress("0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045"))
 * // true false
 * ```
 *
 * Source: docs/interface.md#2.2.
 */
export const isAddress = (input: unknown): input is Address => typeof input === "string" && lowerCase.test(input)

/**
 * Parses an address in any case; `undefined` for any other text.
 *
 * **Example** (Parsing what a user typed)
 *
 * ```ts
 * import * as Address from "@daybook/schema/Address"
 *
 * console.log(Address.fromText("0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045"), Address.fromText("vitalik.eth"))
 * // 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 undefined
 * ```
 *
 * Source: docs/interface.md#4.1.
 */
export const fromText = (text: string): Address | undefined => {
  const lower = text.toLowerCase()
  return isAddress(lower) ? lower : undefined
}

const indexed = /^0x0{24}[0-9a-f]{40}$/

/**
 * The address in an indexed topic, which is in lower-case hex; `undefined` where it is none.
 *
 * **Example** (Reading an indexed address)
 *
 * ```ts
 * import * as Address from "@daybook/schema/Address"
 *
 * console.log(Address.fromTopic(`0x${"0".repeat(24)}d8da6bf26964af9d7eed9e03e53415d37aa96045`))
 * // 0xd8da6bf26964af9d7eed9e03e53415d37aa96045
 * ```
 *
 * Source: Solidity ABI specification, events.
 */
export const fromTopic = (topic: string | null | undefined): Address | undefined =>
  // Sound: the pattern is that of an address behind its padding.
  topic != null && indexed.test(topic) ? (`0x${topic.slice(26)}` as Address) : undefined
