/**
 * Conversion of hashes and addresses between hex text and stored bytes, which take half the space.
 */

const shape = /^0x(?:[0-9a-f]{2})*$/

/** Bytes of lower-case hex text; throws on any other text, so that no truncated hash is stored. */
export const fromHex = (hex: string): Uint8Array => {
  if (!shape.test(hex))
    throw new TypeError(`Invalid hex: expected lower-case digits of whole bytes, received ${JSON.stringify(hex)}.`)
  return Buffer.from(hex.slice(2), "hex")
}

/** Lower-case hex text of bytes. */
export const toHex = (bytes: Uint8Array): string =>
  `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`

/** Joins byte strings of one width. */
export const join = (parts: ReadonlyArray<Uint8Array>): Uint8Array => Buffer.concat(parts)

/** Splits joined byte strings of one width. */
export const split = (bytes: Uint8Array, width: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: bytes.length / width }, (_, index) => bytes.subarray(index * width, (index + 1) * width))
