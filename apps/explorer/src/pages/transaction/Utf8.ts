/** Call data as text, where it is one. Pure. */

/** Longest text that is shown, in bytes. */
const maxBytes = 10_000

/** The text of bytes; undefined where they are not text. */
export const textOf = (hex: string): string | undefined => {
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
