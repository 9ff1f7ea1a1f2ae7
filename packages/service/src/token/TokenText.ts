/**
 * Reads the texts and numbers with which tokens describe themselves. A contract may return anything, so displayed text is short and
 * harmless. Pure.
 *
 * Source: ERC-20 (name, symbol, decimals).
 */

import { visibleStart } from "@daybook/schema/VisibleText"

const wordDigits = 64
/** Maximum number of characters of a name. */
const maxCharacters = 64
/** Number of digits of the largest 256-bit amount, minus one. */
const maxDecimals = 77

/** Zeros that pad a text to its word. */
const fill = /^\0+|\0+$/g

/** Maximum hex digits of one more character than is kept: a longer text is truncated and marked. */
const maxDigits = (maxCharacters + 1) * 8

const decodeText = (digits: string): string | null => {
  const bytes = Buffer.from(digits.slice(0, maxDigits), "hex")
  try {
    // The last character of a truncated text may be incomplete.
    const decoder = new TextDecoder("utf-8", { fatal: true })
    const decoded = decoder.decode(bytes, { stream: digits.length > maxDigits })
    const text = visibleStart(decoded.replaceAll(fill, ""), maxCharacters)
    return text === "" ? null : text
  } catch {
    return null
  }
}

const sizeAt = (digits: string, at: number): number => {
  const word = digits.slice(at, at + wordDigits)
  return /^0{56}[0-9a-f]{8}$/.test(word) ? Number.parseInt(word, 16) : Number.POSITIVE_INFINITY
}

/** Text of an ABI string: an offset, a length and the bytes. A long text is truncated. */
const fromString = (digits: string): string | null => {
  const start = sizeAt(digits, 0) * 2
  const length = sizeAt(digits, start) * 2
  const from = start + wordDigits
  if (from + length > digits.length) return null
  return decodeText(digits.slice(from, from + length))
}

/** Text of a zero-padded 32-byte word, as returned by tokens older than the standard. */
const fromWord = (digits: string): string | null => decodeText(digits.replace(/(00)+$/, ""))

/**
 * The text that a contract returned for its name or symbol; `null` if it is not text.
 */
export const fromResult = (result: unknown): string | null => {
  if (typeof result !== "string" || !/^0x([0-9a-f]{2})+$/.test(result)) return null
  const digits = result.slice(2)
  return digits.length === wordDigits ? fromWord(digits) : fromString(digits)
}

/**
 * The number of decimals that a contract returned; `null` if no amount can have that many.
 */
export const decimalsOf = (result: unknown): number | null => {
  if (typeof result !== "string" || !/^0x[0-9a-f]{64}$/.test(result)) return null
  const decimals = BigInt(result)
  return decimals <= BigInt(maxDecimals) ? Number(decimals) : null
}
