/**
 * First step of reading a response: its JSON value, and the text of a part of it. The text of a result is found in the response
 * text itself, so that numbers keep their spelling and objects their order and white space.
 */
import * as Json from "@daybook/schema/Json"

/** A response body: its JSON value, or `undefined` for text that is not JSON. */
export interface Body {
  readonly text: string
  readonly value: unknown
}

export const parse = (text: string): Body => ({ text, value: Json.parse(text) })

/** The JSON text of a value; one that is nested too deep for it is only named. */
const stringify = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch {
    return "a value that is nested too deep"
  }
}

/**
 * Describes a received value at a length at which a key in it is still whole. Messages show less: the text is scrubbed of keys first
 * and cut after that.
 */
export const describeWhole = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (value === "") return "an empty string"
  if (typeof value === "string") return JSON.stringify(value.slice(0, 1_000))
  if (Array.isArray(value) && value.length > 3) return `an array of ${value.length} items`
  return stringify(value).slice(0, 10_000)
}

const quote = 0x22
const backslash = 0x5c

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

const skipSpace = (text: string, from: number): number => {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

/** The position after the string that starts at `from`. */
const skipString = (text: string, from: number): number => {
  let at = from
  for (;;) {
    at = text.indexOf('"', at + 1)
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return at + 1
  }
}

/** The position after the value that starts at `from`. */
const skipValue = (text: string, from: number): number => {
  const first = text.charCodeAt(from)
  if (first === quote) return skipString(text, from)
  let at = from
  if (first !== 0x7b && first !== 0x5b) {
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === 0x2c || code === 0x7d || code === 0x5d || isSpace(code)) break
    }
    return at
  }
  let depth = 0
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = skipString(text, at)
      continue
    }
    if (code === 0x7b || code === 0x5b) depth++
    else if ((code === 0x7d || code === 0x5d) && --depth === 0) return at + 1
    at++
  }
}

/**
 * The text of a member of the object that `text` holds; of the last one when the name is repeated, as in `JSON.parse`. The text must be
 * valid JSON.
 */
export const memberText = (text: string, name: string): string | undefined => {
  let found: string | undefined
  let at = skipSpace(text, 0) + 1
  for (;;) {
    at = skipSpace(text, at)
    if (text.charCodeAt(at) !== quote) return found
    const keyEnd = skipString(text, at)
    const key: unknown = JSON.parse(text.slice(at, keyEnd))
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = skipValue(text, start)
    if (key === name) found = text.slice(start, end)
    at = skipSpace(text, end)
    if (text.charCodeAt(at) !== 0x2c) return found
    at++
  }
}

/** The text of the item with this id in the array that `text` holds; `undefined` without one. The text must be valid JSON. */
export const itemText = (text: string, id: number): string | undefined => {
  let at = skipSpace(text, 0) + 1
  for (;;) {
    at = skipSpace(text, at)
    if (at >= text.length || text.charCodeAt(at) === 0x5d) return undefined
    const end = skipValue(text, at)
    if (text.charCodeAt(at) === 0x7b) {
      const item = text.slice(at, end)
      if (memberText(item, "id")?.trim() === String(id)) return item
    }
    at = skipSpace(text, end)
    if (text.charCodeAt(at) !== 0x2c) return undefined
    at++
  }
}
