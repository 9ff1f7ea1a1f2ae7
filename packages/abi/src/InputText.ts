/** Call data as text, where it is one: people write messages and inscriptions into it. Pure. */

/** Longest text that is read, in bytes. */
const maxBytes = 10_000

/**
 * The text of bytes in hex; undefined where they are no UTF-8, have control characters, are empty, or longer than 10,000 bytes.
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
    // Controls are no text; call data of contracts is full of zeros.
    return /(?![\t\n\r])\p{Cc}/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
