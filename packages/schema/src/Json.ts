/**
 * JSON text that may be invalid, such as the body of a response.
 */

/**
 * Parses JSON; `undefined` where the text is not JSON, which no JSON text stands for.
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
