/**
 * Counts nesting, values and the calls of a batch in JSON text, on its bytes and in one pass, so that a body that costs much to parse is
 * refused before. Pure; it does not check that the text is JSON.
 *
 * Source: RFC 8259.
 */

/** What JSON text holds. */
export interface Counts {
  /** Levels of arrays and objects. */
  readonly depth: number
  /** Values: at most one more than there are members of objects and items of arrays. */
  readonly values: number
  /** Items of the array that the text is; `null` where it is none. */
  readonly items: number | null
  /** Every bracket is closed. Otherwise the text is not JSON. */
  readonly isBalanced: boolean
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openArray = 0x5b
const backslash = 0x5c
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Index of the first byte that is no white space. */
const firstOf = (bytes: Uint8Array, from: number): number => {
  let at = from
  while (isSpace(bytes[at])) at++
  return at
}

/** Index of the byte that ends the string whose quote is at `from`. */
const endOfString = (bytes: Uint8Array, from: number): number => {
  let at = from + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

/** Counts what JSON text holds. */
export const count = (bytes: Uint8Array): Counts => {
  let depth = 0
  let deepest = 0
  let values = 1
  let commas = 0
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote:
        at = endOfString(bytes, at)
        break
      case comma:
        values++
        if (depth === 1) commas++
        break
      case openArray:
      case openObject:
        values++
        if (++depth > deepest) deepest = depth
        break
      case closeArray:
      case closeObject:
        depth--
        break
      default:
    }
  }
  const first = firstOf(bytes, 0)
  const isEmpty = bytes[firstOf(bytes, first + 1)] === closeArray
  const items = bytes[first] === openArray ? (isEmpty ? 0 : commas + 1) : null
  return { depth: deepest, values, items, isBalanced: depth === 0 }
}

/** True for a quote behind an odd number of backslashes. */
const isEscaped = (bytes: Uint8Array, at: number): boolean => {
  let slashes = 0
  while (bytes[at - 1 - slashes] === backslash) slashes++
  return slashes % 2 === 1
}

/** Index of the quote that ends the string whose quote is at `from`, found by a search that is quick for long strings. */
const endOfLongString = (bytes: Uint8Array, from: number): number => {
  let at = from
  do at = bytes.indexOf(quote, at + 1)
  while (at >= 0 && isEscaped(bytes, at))
  return at < 0 ? bytes.length : at
}

/** A member of an object in JSON text. */
export interface Member {
  /** First byte of the value. */
  readonly start: number
  /** Byte after the value. */
  readonly end: number
  /** Levels of arrays and objects in the whole text. */
  readonly depth: number
}

const sliceBytes = 256 * 1024

const decoder = new TextDecoder()

const lastOf = (bytes: Uint8Array, end: number): number => {
  let at = end
  while (isSpace(bytes[at - 1])) at--
  return at
}

/**
 * Finds a member of the object that JSON text is; of the last one when the name is repeated, as in `JSON.parse`. Yields after each slice of
 * the text. Gives undefined for text without the member, and for text that is cut off.
 */
export const findMember = function* (bytes: Uint8Array, name: string): Generator<undefined, Member | undefined> {
  if (bytes[firstOf(bytes, 0)] !== openObject) return undefined
  let [depth, deepest, key, valueStart, isKeyNext] = [0, 0, "", 0, false]
  let found: { readonly start: number; readonly end: number } | undefined
  const endValue = (at: number) => {
    if (key === name) found = { start: firstOf(bytes, valueStart), end: lastOf(bytes, at) }
  }
  for (let at = 0, slice = sliceBytes; at < bytes.length; at++) {
    if (at >= slice) {
      yield undefined
      slice = at + sliceBytes
    }
    switch (bytes[at]) {
      case quote: {
        const end = endOfLongString(bytes, at)
        if (isKeyNext) key = decoder.decode(bytes.subarray(at + 1, end))
        isKeyNext = false
        at = end
        break
      }
      case colon:
        if (depth === 1) valueStart = at + 1
        break
      case comma:
        if (depth === 1) {
          endValue(at)
          isKeyNext = true
        }
        break
      case openArray:
      case openObject:
        if (++depth > deepest) deepest = depth
        isKeyNext = depth === 1 && bytes[at] === openObject
        break
      case closeArray:
      case closeObject:
        if (depth-- === 1) endValue(at)
        break
      default:
    }
  }
  return found === undefined || depth !== 0 ? undefined : { ...found, depth: deepest }
}

/** Levels of arrays and objects in JSON text. */
export const depthOf = (bytes: Uint8Array): number => count(bytes).depth
