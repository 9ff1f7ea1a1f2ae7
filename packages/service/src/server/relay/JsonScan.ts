/**
 * Counts nesting, values and batch calls in JSON text, on its bytes and in one pass, so that a body that is expensive to parse is rejected
 * before it is parsed. Pure; it does not check that the text is JSON.
 */
import * as JsonScanner from "@daybook/transport/internal/JsonScanner"

const { Token } = JsonScanner

/** Counts of a JSON text. */
export interface Counts {
  /** Nesting depth of arrays and objects. */
  readonly depth: number
  /** Number of values: at most one more than the number of object members and array items. */
  readonly values: number
  /** Number of items if the text is an array; otherwise `null`. */
  readonly items: number | null
  /** True if every bracket is closed. Otherwise the text is not JSON. */
  readonly isBalanced: boolean
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Index of the first byte that is not white space. */
const firstOf = (bytes: Uint8Array, from: number): number => {
  let at = from
  while (isSpace(bytes[at])) at++
  return at
}

/** Reads an array to its end; returns the number of its items. */
const countItems = (scanner: JsonScanner.JsonScanner): number => {
  JsonScanner.next(scanner)
  if (scanner.chunk[firstOf(scanner.chunk, scanner.at)] === Token.closeArray) return 0
  let items = 1
  while (scanner.depth === 1 || (scanner.depth > 1 && JsonScanner.skip(scanner, 1))) {
    const token = JsonScanner.next(scanner)
    if (token === Token.comma) items++
    if (token === Token.end) break
  }
  return items
}

/** Counts a JSON text. */
export const count = (bytes: Uint8Array): Counts => {
  const scanner = JsonScanner.make(bytes)
  const items = bytes[firstOf(bytes, 0)] === Token.openArray ? countItems(scanner) : null
  JsonScanner.skip(scanner, Number.NEGATIVE_INFINITY)
  return { depth: scanner.deepest, values: scanner.values + 1, items, isBalanced: scanner.depth === 0 }
}
