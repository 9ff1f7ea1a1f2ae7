/**
 * JSON text that may be invalid, such as the body of a response, and values that JSON cannot represent.
 */

/**
 * Parses JSON; `undefined` if the text is not JSON, since no JSON text represents `undefined`.
 *
 * **Example** (Parsing a body)
 *
 * ```ts
 * import * as Json from "@daybook/schema/Json"
 *
 * console.log(Json.parse('{"id":1}'), Json.parse("<html>")) // { id: 1 } undefined
 * ```
 *
 * Source: RFC 8259.
 */
export const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * A value that `JSON.stringify` represents exactly.
 *
 * Source: RFC 8259.
 */
export type Value = string | number | boolean | null | ReadonlyArray<Value> | { readonly [key: string]: Value }

/** Types whose values JSON cannot represent. */
const withoutValue: ReadonlySet<string> = new Set(["undefined", "function", "symbol"])

const hasToJson = (value: object): value is { readonly toJSON: () => unknown } =>
  "toJSON" in value && typeof value.toJSON === "function"

/**
 * Converts a row, a page or any other value to a JSON value. A bigint becomes decimal text, a time ISO 8601 text, and what JSON cannot
 * represent is omitted, or `null` in a list.
 *
 * **Details**
 *
 * For programs without Effect. The codecs of the schemas write the exact text of the interface instead, such as hex quantities of JSON-RPC.
 *
 * **Example** (Storing a row as JSON)
 *
 * ```ts
 * import * as Json from "@daybook/schema/Json"
 *
 * console.log(JSON.stringify(Json.toJson({ value: 10n ** 18n, at: new Date(0) })))
 * // {"value":"1000000000000000000","at":"1970-01-01T00:00:00.000Z"}
 * ```
 *
 * Source: RFC 8259.
 */
export const toJson = (value: unknown): Value => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value : null
    case "bigint":
      return value.toString()
    case "object":
      break
    default:
      return null
  }
  if (value === null) return null
  // Holes have no value either.
  if (Array.isArray(value)) return Array.from<unknown, Value>(value, toJson)
  if (hasToJson(value)) return toJson(value.toJSON())
  const defined = Object.entries(value).filter(([, member]) => !withoutValue.has(typeof member))
  return Object.fromEntries(defined.map(([key, member]) => [key, toJson(member)]))
}
