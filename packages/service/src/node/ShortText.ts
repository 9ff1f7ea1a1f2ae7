/**
 * Short texts in the bytes of a trace's JSON: almost all of them. They are read in place, without a copy or a string.
 */

/**
 * Keys of inputs and outputs.
 */
export const dataKeys: ReadonlySet<string> = new Set(["input", "output", "init", "code", "revertReason"])

/**
 * Keys of the hash of a transaction.
 */
export const hashKeys: ReadonlySet<string> = new Set(["txHash", "transactionHash"])

const keys = [...dataKeys, ...hashKeys, "action", "calls", "result"]

const keysByLength: ReadonlyArray<ReadonlyArray<string>> = Array.from(
  { length: Math.max(...keys.map(({ length }) => length)) + 1 },
  (_, length) => keys.filter((key) => key.length === length),
)

/** Longer texts are not read in place. */
const maxLength = 256
const [quote, backslash] = [0x22, 0x5c]

/**
 * Index of the quote that ends a text; -1 for one that is long, has escapes or does not end in the chunk.
 */
export const endOf = (chunk: Uint8Array, begin: number): number => {
  const limit = Math.min(chunk.length, begin + maxLength)
  for (let at = begin; at < limit; at++) {
    const byte = chunk[at]
    if (byte === quote) return at
    if (byte === backslash) return -1
  }
  return -1
}

/**
 * True where a chunk has an ASCII text at an index.
 */
export const isAt = (chunk: Uint8Array, from: number, text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (chunk[from + at] !== text.charCodeAt(at)) return false
  return true
}

/**
 * A key without escapes, where the filter of traces knows it; else `""`.
 */
export const keyAt = (chunk: Uint8Array, from: number, to: number): string =>
  keysByLength[to - from]?.find((key) => isAt(chunk, from, key)) ?? ""
