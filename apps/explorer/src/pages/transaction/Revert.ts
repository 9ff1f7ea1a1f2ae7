/** The reason of a revert, from the bytes that it returned. Pure. */

/** `Error(string)` and `Panic(uint256)`. */
const errorSelector = "0x08c379a0"
const panicSelector = "0x4e487b71"

const panics: Readonly<Record<string, string>> = {
  "1": "assertion failed",
  "11": "arithmetic overflow or underflow",
  "12": "division by zero",
  "21": "value is not a member of the enum",
  "22": "wrongly encoded storage",
  "31": "pop of an empty array",
  "32": "index out of bounds",
  "41": "too much memory",
  "51": "call of an uninitialised function",
}

/** Longest reason that is read, in bytes. */
const maxBytes = 4_096

const wordAt = (hex: string, at: number): string => hex.slice(at * 64, at * 64 + 64)

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from({ length: Math.floor(hex.length / 2) }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16))

const readString = (body: string): string | undefined => {
  const [offset, length] = [wordAt(body, 0), wordAt(body, 1)]
  if (offset.length < 64 || length.length < 64 || BigInt(`0x${offset}`) !== 32n) return undefined
  const size = BigInt(`0x${length}`)
  if (size > BigInt(maxBytes)) return undefined
  const text = body.slice(128, 128 + 2 * Number(size))
  return text.length === 2 * Number(size) ? new TextDecoder().decode(bytesOf(text)) : undefined
}

/** Whether the bytes are no error of a contract: nothing, or one of the two that the language itself has. */
export const isPlain = (output: string | null | undefined): boolean =>
  output === null ||
  output === undefined ||
  output.length < 10 ||
  [errorSelector, panicSelector].includes(output.slice(0, 10))

/** The reason in words; undefined where the bytes have none. */
export const reasonOf = (output: string | null | undefined): string | undefined => {
  if (output === null || output === undefined || output.length < 10) return undefined
  const [selector, body] = [output.slice(0, 10), output.slice(10)]
  if (selector === errorSelector) return readString(body)
  if (selector === panicSelector && body.length >= 64) {
    const code = BigInt(`0x${wordAt(body, 0)}`).toString(16)
    return `Panic 0x${code}: ${panics[code] ?? "unknown code"}`
  }
  return `Custom error ${selector}`
}
