/** Bytes of a call or a log split as the ABI lays them out: the selector, and words of 32 bytes. Pure. */

/** A word with its place. */
export interface Word {
  /** Offset behind the selector, in hex. */
  readonly offset: string
  readonly digits: string
}

/** Words that are shown at most. */
const maxWords = 256

/** Splits hex; undefined where it is no whole number of words behind its first bytes, or has too many. */
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
