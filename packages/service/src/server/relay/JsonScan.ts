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

/** Part of a text. */
export interface Range {
  /** First byte. */
  readonly start: number
  /** Byte after the last one. */
  readonly end: number
}

/** Members of the object that a text is. */
export interface Members<Name extends string> {
  /** Their values, without those that the object does not have. */
  readonly values: Readonly<Partial<Record<Name, Range>>>
  /** Levels of arrays and objects in the whole text. */
  readonly depth: number
}

/** Bytes of a slice: some milliseconds even while the engine interprets the code, which it does again after each deoptimization. */
const sliceBytes = 32 * 1024

/** Searches for a quote in a slice: one costs much more than a byte. */
const sliceSearches = 1024

const lastOf = (bytes: Uint8Array, end: number): number => {
  let at = end
  while (isSpace(bytes[at - 1])) at--
  return at
}

const isTextAt = (bytes: Uint8Array, { end, start }: Range, text: string): boolean => {
  if (end - start !== text.length) return false
  for (let at = 0; at < text.length; at++) if (bytes[start + at] !== text.charCodeAt(at)) return false
  return true
}

/**
 * Finds members of the object that JSON text is by their names, which are ASCII; the last one when a name is repeated, as in
 * `JSON.parse`. Yields after each slice of the text. Gives undefined for text that is no object, or is cut off.
 */
export const findMembers = function* <Name extends string>(
  bytes: Uint8Array,
  names: ReadonlyArray<Name>,
): Generator<undefined, Members<Name> | undefined> {
  if (bytes[firstOf(bytes, 0)] !== openObject) return undefined
  let [depth, deepest, valueStart, isKeyNext, searches] = [0, 0, 0, false, 0]
  let key: Name | undefined
  const values: Partial<Record<Name, Range>> = {}
  const endValue = (at: number) => {
    if (key !== undefined) values[key] = { start: firstOf(bytes, valueStart), end: lastOf(bytes, at) }
  }
  for (let at = 0, slice = sliceBytes; at < bytes.length; at++) {
    if (at >= slice || searches >= sliceSearches) {
      yield undefined
      slice = at + sliceBytes
      searches = 0
    }
    switch (bytes[at]) {
      case quote: {
        const start = at + 1
        // A search is quick for long strings.
        for (at = bytes.indexOf(quote, start); at >= 0 && isEscaped(bytes, at); at = bytes.indexOf(quote, at + 1)) {
          if (++searches % sliceSearches === 0) yield undefined
        }
        searches++
        if (at < 0) return undefined
        const end = at
        if (isKeyNext) key = names.find((name) => isTextAt(bytes, { start, end }, name))
        isKeyNext = false
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
  return depth === 0 ? { values, depth: deepest } : undefined
}

/** Levels of arrays and objects in JSON text. */
export const depthOf = (bytes: Uint8Array): number => count(bytes).depth
