/**
 * Account addresses: 20 bytes, lower case in the program and on the wire, checksummed on request.
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import type * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import * as Hex from "./Hex.ts"
import { orEmpty, orNull } from "./internal/leaf.ts"

/**
 * 20 bytes as lower-case hex text.
 */
export type Address = `0x${string}` & Brand.Brand<"Address">

/**
 * An address: 20 bytes, lower case in the program, any case on the wire (a checksum is not verified).
 *
 * Source: docs/interface.md#2.2, docs/interface.md#2.8, docs/interface.md#2.9, docs/interface.md#4.1.
 */
export const Address: Schema.Codec<Address, string> = Hex.bytes<Address>("an address of 20 bytes in hex", 20)

/**
 * An address that may be `null`: the recipient of a contract creation, the miner of a pending block.
 *
 * Source: Ethereum JSON-RPC; decision 0020.
 */
export const OrNull: Schema.Codec<Address | null, string | null> = orNull(Address)

/**
 * An address that is `null` when the wire has none (`""` or `null`); written as `""`.
 *
 * Source: docs/interface.md#2.2 (receipt_contract_address); decision 0002.
 */
export const OrEmpty: Schema.Codec<Address | null, string> = orEmpty(Address, "")

/**
 * An address that is `null` when the wire has none (`""` or `null`); written as `null`.
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
 * Tells whether a value is an address in the program's form (lower case).
 *
 * Source: docs/interface.md#2.2.
 */
export const isAddress: (input: unknown) => input is Address = Schema.is(Address)

/**
 * Reads an address written in any case; `undefined` when it is none.
 *
 * Source: docs/interface.md#4.1.
 */
export const fromText = (text: string): Address | undefined => {
  const lower = text.toLowerCase()
  return isAddress(lower) ? lower : undefined
}

/**
 * The address in mixed case, where the case of each letter carries a checksum.
 *
 * **Example** (Showing an address to a person)
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
