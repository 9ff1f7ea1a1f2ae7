/** Call data that is text: people write messages and inscriptions into it. Pure. */

/** Longest text that is read, in bytes. */
const maxBytes = 10_000

/**
 * Text of bytes in hex; undefined if they are not UTF-8, contain control characters, are empty, or exceed 10,000 bytes.
 *
 * **Example** (Reading an inscription)
 *
 * ```ts
 * import * as InputText from "@daybook/abi/InputText"
 *
 * console.log(InputText.fromHex("0x646174613a2c68656c6c6f")) // data:,hello
 * ```
 */
export const fromHex = (hex: string): string | undefined => {
  const size = (hex.length - 2) / 2
  if (size <= 0 || size > maxBytes) return undefined
  const bytes = Uint8Array.from({ length: size }, (_, at) => Number.parseInt(hex.slice(2 + 2 * at, 4 + 2 * at), 16))
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    // Control characters do not occur in text, while call data of contracts is full of zeros.
    return /(?![\t\n\r])\p{Cc}/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
