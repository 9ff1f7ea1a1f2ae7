/**
 * Character checks of hex and decimal text. They run on every leaf of every response, so they use no regular expressions.
 */
const lower = 1
const upper = 2
const other = 4
const kinds = new Uint8Array(128).fill(other)
for (const digit of "0123456789abcdef") kinds[digit.charCodeAt(0)] = lower
for (const digit of "ABCDEF") kinds[digit.charCodeAt(0)] = upper

// Longer text is encoded to bytes and checked four bytes at a time, which in Node takes a third of the time of reading its characters one
// by one. In a browser, calling `encodeInto` takes longer, so most call data and logs are read character by character.
const longestRead = "process" in globalThis ? 64 : 1600
const encoder = new TextEncoder()
const bytes = new Uint8Array(8192)
const words = new Int32Array(bytes.buffer)

/** True if `text`, of at most 8192 characters, has lower-case hex digits only; `skip` characters at its start count as digits. */
const isLowerHex = (text: string, skip: 0 | 2): boolean => {
  const length = text.length
  const end = (length + 3) >> 2
  if (encoder.encodeInto(text, bytes).written !== length) return false
  if (skip === 2) bytes[0] = bytes[1] = 48
  for (let at = length; at < end * 4; at++) bytes[at] = 48
  let bad = 0
  for (let at = 0; at < end; at++) {
    const four = words[at]!
    // The highest bit of each byte is set for 0 to 9, and for a to f. Bytes below 128 do not carry into the next byte.
    const isDigit = (four + 0x50505050) & ~(four + 0x46464646)
    const isLetter = (four + 0x1f1f1f1f) & ~(four + 0x19191919)
    bad |= four | ~(isDigit | isLetter)
  }
  return (bad & 0x80808080) === 0
}

const isLongLowerHex = (text: string): boolean => {
  if (text.length <= 8192) return isLowerHex(text, 2)
  if (!isLowerHex(text.slice(0, 8192), 2)) return false
  for (let at = 8192; at < text.length; at += 8192) if (!isLowerHex(text.slice(at, at + 8192), 0)) return false
  return true
}

/** Case of hex text: 0 for text that is not hex, 1 for lower case, 2 for text with upper-case letters. */
export type HexCase = 0 | 1 | 2

/** The case of `text`, which is hex when it is `0x` followed by hex digits. `0x` alone is lower case. */
export const hexCase = (text: string): HexCase => {
  const length = text.length
  if (length < 2 || text.charCodeAt(0) !== 48) return 0
  const x = text.charCodeAt(1)
  if (length > longestRead && x === 120 && isLongLowerHex(text)) return lower
  let seen = x === 120 ? lower : x === 88 ? upper : other
  // Bitwise OR of all characters: 128 or more if any of them is.
  let all = 0
  let at = 2
  for (const end = length - 3; at < end; at += 4) {
    const first = text.charCodeAt(at)
    const second = text.charCodeAt(at + 1)
    const third = text.charCodeAt(at + 2)
    const fourth = text.charCodeAt(at + 3)
    all |= first | second | third | fourth
    seen |= kinds[first & 127]! | kinds[second & 127]! | kinds[third & 127]! | kinds[fourth & 127]!
  }
  for (; at < length; at++) {
    const code = text.charCodeAt(at)
    all |= code
    seen |= kinds[code & 127]!
  }
  return seen >= other || all > 127 ? 0 : seen === lower ? 1 : 2
}

/** True if `text` is one or more decimal digits. */
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

/** The integer value of hex digits between two positions; NaN where there is another character. */
const hexBetween = (text: string, from: number, to: number): number => {
  let value = 0
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    const digit = code < 128 ? digits[code]! : 16
    if (digit > 15) return NaN
    value = value * 16 + digit
  }
  return value
}

/** True for text that begins with `0x` or `0X`. */
const startsHex = (text: string): boolean => text.charCodeAt(0) === 48 && (text.charCodeAt(1) | 32) === 120

/** The integer value of `0x` and at most 13 hex digits, 0 for `0x`; -1 for any other text. */
export const smallHex = (text: string): number => {
  const value = text.length <= 15 && startsHex(text) ? hexBetween(text, 2, text.length) : NaN
  return value >= 0 ? value : -1
}

// A `bigint` of 64 bits is read from its two halves, which takes a third of the time of `BigInt()` of a text or a large number.
const halves = new Uint32Array([1, 0])
const words64 = new BigUint64Array(halves.buffer)
const low = words64[0] === 1n ? 0 : 1

/** The integer of two halves, each below 2^32. */
const fromHalves = (high: number, rest: number): bigint => {
  halves[low] = rest
  halves[1 - low] = high
  return words64[0]!
}

/** The integer value of `0x` and at most 16 hex digits, 0 for `0x`; undefined for any other text. */
export const hexWord = (text: string): bigint | undefined => {
  const length = text.length
  if (length > 18 || !startsHex(text)) return undefined
  const lastFrom = length > 10 ? length - 8 : 2
  const first = hexBetween(text, 2, lastFrom)
  const last = hexBetween(text, lastFrom, length)
  return first + last >= 0 ? fromHalves(first, last) : undefined
}

/** The integer value of one to 15 decimal digits; -1 for any other text. */
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
