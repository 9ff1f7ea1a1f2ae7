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
const isEscaped = (text: string, at: number): boolean => {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++
  return slashes % 2 === 1
}

/** Levels of arrays and objects in JSON text. */
export const depthOfText = (text: string): number => {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        do at = text.indexOf('"', at + 1)
        while (at > 0 && isEscaped(text, at))
        if (at < 0) return deepest
        break
      case openArray:
      case openObject:
        if (++depth > deepest) deepest = depth
        break
      case closeArray:
      case closeObject:
        depth--
        break
    }
  }
  return deepest
}
