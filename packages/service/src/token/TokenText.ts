/**
 * Reads the texts and numbers with which tokens describe themselves. A contract may return anything, so what is shown is short and
 * harmless. Pure.
 *
 * Source: ERC-20 (name, symbol, decimals).
 */

import { visibleStart } from "@daybook/schema/VisibleText"

const wordDigits = 64
/** Characters that are kept of a name. */
const maxCharacters = 64
/** Digits of the largest amount of 256 bits, without the first. */
const maxDecimals = 77

/** Zeros around a text fill its word. */
const fill = /^\0+|\0+$/g

/** Digits of the bytes that one character more has at most: a longer text is cut and marked. */
const maxDigits = (maxCharacters + 1) * 8

const decodeText = (digits: string): string | null => {
  const bytes = Buffer.from(digits.slice(0, maxDigits), "hex")
  try {
    // Of a text that is cut, the last character may have lost a part.
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

/** Text of an ABI string: an offset, a length and the bytes. A long one is cut. */
const fromString = (digits: string): string | null => {
  const start = sizeAt(digits, 0) * 2
  const length = sizeAt(digits, start) * 2
  const from = start + wordDigits
  if (from + length > digits.length) return null
  return decodeText(digits.slice(from, from + length))
}

/** Text of 32 bytes that zeros fill, as tokens older than the standard return it. */
const fromWord = (digits: string): string | null => decodeText(digits.replace(/(00)+$/, ""))

/**
 * The text that a contract returned for its name or symbol; `null` where it is none.
 */
export const fromResult = (result: unknown): string | null => {
  if (typeof result !== "string" || !/^0x([0-9a-f]{2})+$/.test(result)) return null
  const digits = result.slice(2)
  return digits.length === wordDigits ? fromWord(digits) : fromString(digits)
}

/**
 * The number of decimals that a contract returned; `null` where it is none that an amount can have.
 */
export const decimalsOf = (result: unknown): number | null => {
  if (typeof result !== "string" || !/^0x[0-9a-f]{64}$/.test(result)) return null
  const decimals = BigInt(result)
  return decimals <= BigInt(maxDecimals) ? Number(decimals) : null
}
