/**
 * Addresses as text: parsing, tests and checksums, without codecs. It is the `Address` of `@daybook/rest/promise` and
 * `@daybook/rpc/promise`: bundlers that keep the whole of a re-exported namespace, as esbuild does, keep no codecs with it.
 */
import type * as Brand from "effect/Brand"

export { checksum } from "./internal/checksum.ts"

/**
 * Address of 20 bytes in lower-case hex.
 *
 * Source: docs/interface.md#2.2.
 */
export type Address = `0x${string}` & Brand.Brand<"Address">

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
 * Parses an address in any case; `undefined` for anything else.
 *
 * **Example** (Parsing user input)
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
  const lower: unknown = typeof text === "string" ? text.toLowerCase() : text
  return isAddress(lower) ? lower : undefined
}

const indexed = /^0x0{24}[0-9a-f]{40}$/

/**
 * Reads the address in an indexed topic in lower-case hex; `undefined` if it does not hold one.
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
  // Sound: the pattern matches an address after its padding.
  topic != null && indexed.test(topic) ? (`0x${topic.slice(26)}` as Address) : undefined
