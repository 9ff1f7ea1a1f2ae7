/** Splits the bytes of a call or a log into the units of ABI encoding: the selector, and words of 32 bytes. Pure. */

/** A word with its offset. */
export interface Word {
  /** Offset after the selector, in hex. */
  readonly offset: string
  readonly digits: string
}

/** Maximum number of words. */
const maxWords = 256

/** Splits hex; undefined if the rest after the selector is not a whole number of words, or has too many. */
export const split = (
  hex: string,
  selectorBytes: 0 | 4,
): { readonly selector: string; readonly words: ReadonlyArray<Word> } | undefined => {
  const start = 2 + 2 * selectorBytes
  const digits = hex.slice(start)
  if (digits.length === 0 || digits.length % 64 !== 0 || digits.length / 64 > maxWords) return undefined
  const words = Array.from({ length: digits.length / 64 }, (_, at): Word => {
    const offset = `0x${(32 * at).toString(16).padStart(2, "0")}`
    return { offset, digits: digits.slice(64 * at, 64 * at + 64) }
  })
  return { selector: hex.slice(0, start), words }
}
