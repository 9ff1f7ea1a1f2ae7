/**
 * Character checks by table instead of by regular expression, because these run on every leaf of every answer.
 */
const lower = 1
const upper = 2
const other = 4
const kinds = new Uint8Array(65536).fill(other)
for (const digit of "0123456789abcdef") kinds[digit.charCodeAt(0)] = lower
for (const digit of "ABCDEF") kinds[digit.charCodeAt(0)] = upper

/** How a text of `0x` and hex digits is written: not at all (0), in lower case only (1), or with upper-case letters (2). */
export type HexCase = 0 | 1 | 2

/** Tells whether `text` is `0x` followed by hex digits only, and in which case. An empty rest counts as lower case. */
export const hexCase = (text: string): HexCase => {
  const length = text.length
  if (length < 2 || text.charCodeAt(0) !== 48) return 0
  const x = text.charCodeAt(1)
  let seen = x === 120 ? lower : x === 88 ? upper : other
  let at = 2
  for (const end = length - 3; at < end; at += 4) {
    seen |=
      kinds[text.charCodeAt(at)]! |
      kinds[text.charCodeAt(at + 1)]! |
      kinds[text.charCodeAt(at + 2)]! |
      kinds[text.charCodeAt(at + 3)]!
  }
  for (; at < length; at++) seen |= kinds[text.charCodeAt(at)]!
  return seen >= other ? 0 : seen === lower ? 1 : 2
}

/** Tells whether `text` is one or more decimal digits. */
export const isDigits = (text: string): boolean => {
  const length = text.length
  if (length === 0) return false
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code < 48 || code > 57) return false
  }
  return true
}

const digits = new Uint8Array(128).fill(16)
for (let value = 0; value < 16; value++) {
  digits[value.toString(16).charCodeAt(0)] = value
  digits[value.toString(16).toUpperCase().charCodeAt(0)] = value
}

/** The integer of a text of `0x` and at most 13 hex digits, none of them for zero; -1 for any other text. */
export const smallHex = (text: string): number => {
  const length = text.length
  if (length < 2 || length > 15 || text.charCodeAt(0) !== 48 || (text.charCodeAt(1) | 32) !== 120) return -1
  let value = 0
  for (let at = 2; at < length; at++) {
    const code = text.charCodeAt(at)
    const digit = code < 128 ? digits[code]! : 16
    if (digit > 15) return -1
    value = value * 16 + digit
  }
  return value
}

/** The integer of a text of one to 15 decimal digits; -1 for any other text. */
export const smallDecimal = (text: string): number => {
  const length = text.length
  if (length === 0 || length > 15) return -1
  let value = 0
  for (let at = 0; at < length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value
}
