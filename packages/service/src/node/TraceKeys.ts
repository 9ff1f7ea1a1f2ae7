/**
 * Relevant keys in the JSON of a trace, read in place without copies or strings.
 */

/** Keys of inputs and outputs. */
export const dataKeys: ReadonlySet<string> = new Set(["input", "output", "init", "code", "revertReason"])

/** Keys of the hash of a transaction. */
export const hashKeys: ReadonlySet<string> = new Set(["txHash", "transactionHash"])

const keys = [...dataKeys, ...hashKeys, "action", "calls", "result"]

const keysByLength: ReadonlyArray<ReadonlyArray<string>> = Array.from(
  { length: Math.max(...keys.map(({ length }) => length)) + 1 },
  (_, length) => keys.filter((key) => key.length === length),
)

/** Length in bytes of the longest key with every character escaped. */
export const maxBytes = 6 * (keysByLength.length - 1)

/** True if a chunk has an ASCII text at an index. */
export const isAt = (chunk: Uint8Array, from: number, text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (chunk[from + at] !== text.charCodeAt(at)) return false
  return true
}

/** Reads a key that contains escapes, since a node may escape any character. */
const unescaped = (chunk: Uint8Array, from: number, to: number): string => {
  let at = to - from > maxBytes ? to : from
  while (at < to && chunk[at] !== 0x5c) at++
  if (at === to) return ""
  try {
    const key = String(JSON.parse(`"${String.fromCharCode(...chunk.subarray(from, to))}"`))
    return keys.includes(key) ? key : ""
  } catch {
    return ""
  }
}

/** The key between two indexes; `""` if it is not relevant. */
export const keyAt = (chunk: Uint8Array, from: number, to: number): string =>
  keysByLength[to - from]?.find((key) => isAt(chunk, from, key)) ?? unescaped(chunk, from, to)
