/**
 * Hashes and addresses as they are stored: bytes, half the size of their hex text.
 */

const shape = /^0x(?:[0-9a-f]{2})*$/

/** Bytes of lower-case hex text; throws on anything else, since half a hash must never be stored. */
export const fromHex = (hex: string): Uint8Array => {
  if (!shape.test(hex)) throw new TypeError(`Expected lower-case hex of whole bytes, got ${JSON.stringify(hex)}`)
  return Buffer.from(hex.slice(2), "hex")
}

/** Lower-case hex text of bytes. */
export const toHex = (bytes: Uint8Array): string =>
  `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`

/** Several byte strings of one width, end to end. */
export const join = (parts: ReadonlyArray<Uint8Array>): Uint8Array => Buffer.concat(parts)

/** The byte strings of one width that were joined. */
export const split = (bytes: Uint8Array, width: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: bytes.length / width }, (_, index) => bytes.subarray(index * width, (index + 1) * width))
