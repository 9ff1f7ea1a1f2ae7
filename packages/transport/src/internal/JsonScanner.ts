/**
 * Scans JSON text on its bytes, chunk by chunk: gives its structure as tokens, or skips values, and counts nesting and values. It is pure,
 * and checks nothing: text that is not JSON has tokens too.
 *
 * Source: RFC 8259.
 */

/** A scanner, between two tokens. */
export interface JsonScanner {
  chunk: Uint8Array
  /** Index of the byte after the last token. */
  at: number
  /** Index of the first byte of the last text in the chunk, behind its quote. */
  start: number
  /** Open arrays and objects. */
  depth: number
  deepest: number
  /** Opening brackets and commas: at most one less than there are values. */
  values: number
  /** A text goes on in the next chunk. */
  isText: boolean
  /** The first byte of the next chunk is escaped. */
  isEscaped: boolean
}

/** Tokens: the byte of a bracket, a comma or a colon, or one of the following. A quote is a text that lies in the chunk as a whole. */
export const Token = {
  /** No token is left in the chunk. */
  end: 0,
  /** A text, or a part of one, that goes on in the next chunk. */
  textPart: 1,
  /** The last part of a text. */
  textEnd: 2,
  text: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openArray: 0x5b,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const

const backslash = 0x5c

/** Bytes of a text that are read one by one: beyond them a search is quicker. */
const nearBytes = 256

/** Makes a scanner that has received nothing. */
export const make = (chunk: Uint8Array = new Uint8Array()): JsonScanner => ({
  chunk,
  at: 0,
  start: 0,
  depth: 0,
  deepest: 0,
  values: 0,
  isText: false,
  isEscaped: false,
})

/** Takes the next chunk. The one before must be scanned to its end. */
export const push = (scanner: JsonScanner, chunk: Uint8Array): void => {
  scanner.chunk = chunk
  scanner.at = 0
}

/** Index behind the quote that ends a text; -1 where it does not end in the chunk. */
const endOfText = (scanner: JsonScanner, begin: number): number => {
  const { chunk } = scanner
  const { length } = chunk
  let at = begin
  for (;;) {
    for (const near = at + nearBytes; at < near && at < length;) {
      const byte = chunk[at++]
      if (byte === Token.text) return at
      if (byte === backslash) at++
    }
    const found = at < length ? chunk.indexOf(Token.text, at) : -1
    const end = found === -1 ? length : found
    let slashes = 0
    while (end - 1 - slashes >= at && chunk[end - 1 - slashes] === backslash) slashes++
    if (found === -1) {
      scanner.isText = true
      scanner.isEscaped = at > length || slashes % 2 === 1
      return -1
    }
    at = found + 1
    if (slashes % 2 === 0) return at
  }
}

/** Reads on a text from the chunk before; false where it does not end in this one. */
const continueText = (scanner: JsonScanner): boolean => {
  const begin = scanner.isEscaped ? 1 : 0
  scanner.isText = false
  scanner.isEscaped = false
  const end = endOfText(scanner, begin)
  scanner.at = end === -1 ? scanner.chunk.length : end
  return end !== -1
}

/** The next token of the chunk. */
export const next = (scanner: JsonScanner): number => {
  const { chunk } = scanner
  const { length } = chunk
  if (scanner.isText) {
    if (length === 0 || scanner.at === length) return Token.end
    scanner.start = 0
    return continueText(scanner) ? Token.textEnd : Token.textPart
  }
  for (let { at } = scanner; at < length; at++) {
    const byte = chunk[at]!
    switch (byte) {
      case Token.text: {
        const end = endOfText(scanner, at + 1)
        scanner.start = at + 1
        scanner.at = end === -1 ? length : end
        return end === -1 ? Token.textPart : Token.text
      }
      case Token.openArray:
      case Token.openObject:
        scanner.values++
        if (++scanner.depth > scanner.deepest) scanner.deepest = scanner.depth
        scanner.at = at + 1
        return byte
      case Token.closeArray:
      case Token.closeObject:
        scanner.depth--
        scanner.at = at + 1
        return byte
      case Token.comma:
        scanner.values++
        scanner.at = at + 1
        return byte
      case Token.colon:
        scanner.at = at + 1
        return byte
      default:
    }
  }
  scanner.at = length
  return Token.end
}

/** Skips tokens until no more than `depth` arrays and objects are open; false where the chunk ends before. */
export const skip = (scanner: JsonScanner, toDepth: number): boolean => {
  const { chunk } = scanner
  const { length } = chunk
  if (scanner.isText && (length === 0 || scanner.at === length || !continueText(scanner))) return false
  let { at, deepest, depth, values } = scanner
  for (; at < length && depth > toDepth; at++) {
    switch (chunk[at]) {
      case Token.text: {
        const end = endOfText(scanner, at + 1)
        at = end === -1 ? length : end - 1
        break
      }
      case Token.openArray:
      case Token.openObject:
        values++
        if (++depth > deepest) deepest = depth
        break
      case Token.closeArray:
      case Token.closeObject:
        depth--
        break
      case Token.comma:
        values++
        break
      default:
    }
  }
  scanner.at = Math.min(at, length)
  scanner.depth = depth
  scanner.deepest = deepest
  scanner.values = values
  return depth <= toDepth
}
