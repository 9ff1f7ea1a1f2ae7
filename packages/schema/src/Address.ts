/**
 * Codecs of 20-byte addresses in lower-case hex, and the checksummed form.
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import type * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import * as Hex from "./Hex.ts"
import { orEmpty, orNull } from "./internal/leaf.ts"

export type Address = `0x${string}` & Brand.Brand<"Address">

/**
 * Address of 20 bytes in lower-case hex. Decodes any case; a checksum is not verified.
 *
 * Source: docs/interface.md#2.2, docs/interface.md#2.8, docs/interface.md#2.9, docs/interface.md#4.1.
 */
export const Address: Schema.Codec<Address, string> = Hex.bytes<Address>("an address of 20 bytes in hex", 20)

/**
 * `Address`, or `null`, as for the recipient of a contract creation and the miner of a pending block.
 *
 * Source: Ethereum JSON-RPC; decision 0020.
 */
export const OrNull: Schema.Codec<Address | null, string | null> = orNull(Address)

/**
 * `Address`, or `null`: decodes `""` and `null` to `null`, encodes `null` as `""`.
 *
 * Source: docs/interface.md#2.2 (receipt_contract_address); decision 0002.
 */
export const OrEmpty: Schema.Codec<Address | null, string> = orEmpty(Address, "")

/**
 * `Address`, or `null`: decodes `""` and `null` to `null`, encodes `null` as `null`.
 *
 * Source: docs/interface.md#2.2 (to_address of a creation); decision 0002.
 */
export const OrNone: Schema.Codec<Address | null, string | null> = orEmpty(Address, null)

/**
 * Matches the text of an address in any case. Use `fromText` to get the address.
 *
 * Source: docs/interface.md#2.2.
 */
export const pattern: RegExp = /^0x[0-9a-fA-F]{40}$/

/**
 * Returns true for an address in lower case.
 *
 * Source: docs/interface.md#2.2.
 */
export const isAddress: (input: unknown) => input is Address = Schema.is(Address)

/**
 * Parses an address in any case; `undefined` for any other text.
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
 * Source: Solidity ABI specification, events.
 */
export const fromTopic = (topic: string | null | undefined): Address | undefined =>
  // Sound: the pattern is that of an address behind its padding.
  topic != null && indexed.test(topic) ? (`0x${topic.slice(26)}` as Address) : undefined

/**
 * The checksummed form of an address, in mixed case.
 *
 * **Example** (Formatting an address for display)
 *
 * ```ts
 * import * as Address from "@daybook/schema/Address"
 *
 * const address = Address.fromText("0xd8da6bf26964af9d7eed9e03e53415d37aa96045")
 * console.log(address && Address.checksum(address)) // 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
 * ```
 *
 * Source: EIP-55.
 */
export const checksum = (address: Address): `0x${string}` => {
  const digits = address.slice(2)
  const hash = keccak_256(new TextEncoder().encode(digits))
  let out = ""
  for (let at = 0; at < digits.length; at++) {
    const nibble = at % 2 === 0 ? hash[at >> 1]! >> 4 : hash[at >> 1]! & 15
    out += nibble > 7 ? digits[at]!.toUpperCase() : digits[at]!
  }
  return `0x${out}`
}
