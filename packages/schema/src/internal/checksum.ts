/**
 * Checksums of addresses. Exported under `Address`; a separate module so that a web page that formats none does not bundle the hash.
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import type * as Brand from "effect/Brand"

/**
 * Returns the checksummed form of an address, in mixed case.
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
export const checksum = (address: `0x${string}` & Brand.Brand<"Address">): `0x${string}` => {
  const digits = address.slice(2)
  const hash = keccak_256(new TextEncoder().encode(digits))
  let out = ""
  for (let at = 0; at < digits.length; at++) {
    const nibble = at % 2 === 0 ? hash[at >> 1]! >> 4 : hash[at >> 1]! & 15
    out += nibble > 7 ? digits[at]!.toUpperCase() : digits[at]!
  }
  return `0x${out}`
}
