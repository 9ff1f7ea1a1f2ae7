/**
 * Describes received values for messages: on one line, bounded, and never with a complete private key. Exported under `Issue`.
 */

import { visible, visibleLine } from "../VisibleText.ts"

/** An address is shown in full. 32-byte keys have at least 43 characters, in hex and in base64. */
const maxShownCharacters = 42

const shownOfLonger = 10

/** The first characters of a text, without splitting any. */
const firstCharacters = (text: string): string => visible(text.slice(0, shownOfLonger).replace(/[\ud800-\udbff]$/, ""))

/**
 * Cuts a text for a message, without quotes: texts up to the length of an address are shown in full, longer ones by their first ten
 * characters. This keeps a private key passed by mistake out of errors and logs.
 *
 * **Example** (Showing a long text)
 *
 * ```ts
 * import * as Issue from "@daybook/schema/Issue"
 *
 * console.log(Issue.cut("0x" + "ab".repeat(100)).length < 100) // true
 * ```
 *
 * Source: decision 0008.
 */
export const cut = (text: string): string =>
  text.length <= maxShownCharacters ? visible(text) : `${firstCharacters(text)}…`

/**
 * Quotes a text on one line, cut as by `cut`; if it is cut, its length follows.
 *
 * **Example** (Quoting what may be a private key)
 *
 * ```ts
 * import * as Issue from "@daybook/schema/Issue"
 *
 * console.log(Issue.quote("0x12")) // "0x12"
 * console.log(Issue.quote("0xac0974be".padEnd(66, "7"))) // "0xac0974be…" (66 characters)
 * ```
 *
 * Source: decision 0008.
 */
export const quote = (text: string): string =>
  text.length <= maxShownCharacters
    ? JSON.stringify(visible(text))
    : `${JSON.stringify(cut(text))} (${text.length} characters)`

const maxShownKeys = 5

/** A number of items, as in `1 item`. */
export const items = (count: number): string => `${count} ${count === 1 ? "item" : "items"}`

const describeObject = (value: object): string => {
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `an array of ${items(value.length)}`
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? "an invalid Date" : `a Date of ${value.toISOString()}`
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
  const keys = Object.keys(value)
  if (keys.length === 0) return "an empty object"
  return `an object with ${keys.slice(0, maxShownKeys).map(cut).join(", ")}${keys.length > maxShownKeys ? ", …" : ""}`
}

/**
 * Describes a value in at most about two hundred characters, as in `an object with to, data`. No text, key or number longer than an address
 * is shown in full.
 *
 * **Example** (Showing what was received)
 *
 * ```ts
 * import * as Issue from "@daybook/schema/Issue"
 *
 * console.log(Issue.describe([1, 2]), Issue.describe(undefined)) // an array of 2 items nothing
 * ```
 *
 * Source: decision 0008.
 */
export const describe = (value: unknown): string => {
  switch (typeof value) {
    case "undefined":
      return "nothing"
    case "string":
      return value === "" ? "an empty string" : quote(value)
    case "bigint": {
      const digits = value.toString()
      return digits.length <= maxShownCharacters ? `${digits}n` : `${cut(digits)}n (${digits.length} digits)`
    }
    case "object":
      return value === null ? "null" : describeObject(value)
    case "number":
    case "boolean":
      return `${value}`
    default:
      return `a ${typeof value}`
  }
}

/** Cuts a text on one line in the middle, to a maximum number of characters. */
export const shorten = (text: string, maxCharacters: number): string => {
  const characters = Array.from(visibleLine(text))
  if (characters.length <= maxCharacters) return characters.join("")
  const half = (maxCharacters - 1) >> 1
  return `${characters.slice(0, half).join("")}…${characters.slice(-half).join("")}`
}
