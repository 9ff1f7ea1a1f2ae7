/**
 * First step of reading a response: its JSON value, and the text of its parts. The text of a result is located in the response text itself,
 * so that the spelling of numbers, key order and white space are preserved.
 */
import * as Json from "@daybook/schema/Json"
import { stringify } from "@daybook/transport/internal/JsonText"
import { searchable } from "@daybook/transport/internal/Redaction"

/**
 * Describes a received value at a length at which a key in it is still complete. Messages show less, because the text is cut only after
 * keys are removed.
 */
export const describeWhole = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (value === "") return "an empty string"
  if (typeof value === "string") return JSON.stringify(searchable(value))
  if (Array.isArray(value) && value.length > 3) return `an array of ${value.length} items`
  return searchable(stringify(value))
}

/** Position of the closing quote of the string that opens at `from`. */
const endOfString = (text: string, from: number): number => {
  let at = from
  for (;;) {
    at = text.indexOf('"', at + 1)
    let slashes = 0
    while (text[at - 1 - slashes] === "\\") slashes++
    if (slashes % 2 === 0) return at
  }
}

/** Yields the texts of an object's keys and values alternately, or of an array's items. The text must be valid JSON. */
const partsOf = function* (text: string): Generator<string> {
  let [depth, start] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // A quote, an opening and a closing bracket, a comma and a colon.
    if (code === 0x22) at = endOfString(text, at)
    else if (code === 0x7b || code === 0x5b) {
      if (++depth === 1) start = at + 1
    } else if (depth === 1 && (code === 0x2c || code === 0x3a || code === 0x7d || code === 0x5d)) {
      yield text.slice(start, at).trim()
      start = at + 1
    } else if (code === 0x7d || code === 0x5d) depth--
  }
}

/**
 * Text of a member of the object in `text`; the last one if the name is repeated, as in `JSON.parse`. The text must be valid JSON.
 */
export const memberText = (text: string, name: string): string | undefined => {
  let found: string | undefined
  let key: string | undefined
  for (const part of partsOf(text)) {
    if (key !== undefined && JSON.parse(key) === name) found = part
    key = key === undefined ? part : undefined
  }
  return found
}

/** A response body: its JSON value, or `undefined` for text that is not JSON. */
export interface Body {
  readonly text: string
  readonly value: unknown
  /** Text of the item with this id in a body that is an array; empty if there is none. All items are located once. */
  readonly itemText: (id: number) => string
}

export const parse = (text: string): Body => {
  let texts: ReadonlyMap<number, string> | undefined
  // A server may spell the id as 7.0.
  const idOf = (item: string) => Number(item.startsWith("{") ? memberText(item, "id") : undefined)
  const itemText = (id: number) => {
    texts ??= new Map(Array.from(partsOf(text), (item) => [idOf(item), item]))
    return texts.get(id) ?? ""
  }
  return { text, value: Json.parse(text), itemText }
}

/** A copy of a JSON value, nested to any depth. */
export const copyOf = (value: unknown): unknown => {
  const root = { value }
  const open: Array<Record<string, unknown>> = [root]
  for (const holder of open) {
    for (const [key, inner] of Object.entries(holder)) {
      if (typeof inner !== "object" || inner === null) continue
      const copy = Array.isArray(inner) ? [...inner] : { ...inner }
      holder[key] = copy
      open.push(copy)
    }
  }
  return root.value
}
