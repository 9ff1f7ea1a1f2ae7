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

/** Tokens: the byte of a bracket or a comma, or one of the following. A quote is a text that lies in the chunk as a whole. */
export const Token = {
  /** No token is left in the chunk. */
  end: 0,
  /** A text, or a part of one, that goes on in the next chunk. */
  textPart: 1,
  /** The last part of a text. */
  textEnd: 2,
  text: 0x22,
  comma: 0x2c,
  openArray: 0x5b,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const

const [quote, comma, openArray, backslash, closeArray, openObject, closeObject] = [
  0x22, 0x2c, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d,
]

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
  for (let at = begin; ;) {
    const found = chunk.indexOf(quote, at)
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
    // A text with many quotes is not searched for each of them.
    for (const near = at + nearBytes; at < near && at < length;) {
      const byte = chunk[at++]
      if (byte === quote) return at
      if (byte === backslash) at++
    }
  }
}

/** Index behind the quote that ends a text; -1 for one that is long, has escapes or does not end in the chunk. */
const endOfShortText = (chunk: Uint8Array, begin: number): number => {
  const near = Math.min(chunk.length, begin + nearBytes)
  for (let at = begin; at < near; at++) {
    const byte = chunk[at]
    if (byte === quote) return at + 1
    if (byte === backslash) return -1
  }
  return -1
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
      case quote: {
        const short = endOfShortText(chunk, at + 1)
        const end = short === -1 ? endOfText(scanner, at + 1) : short
        scanner.start = at + 1
        scanner.at = end === -1 ? length : end
        return end === -1 ? Token.textPart : Token.text
      }
      case openArray:
      case openObject:
        scanner.values++
        if (++scanner.depth > scanner.deepest) scanner.deepest = scanner.depth
        scanner.at = at + 1
        return byte
      case closeArray:
      case closeObject:
        scanner.depth--
        scanner.at = at + 1
        return byte
      case comma:
        scanner.values++
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
  if (scanner.depth <= toDepth) return true
  if (scanner.isText && (length === 0 || scanner.at === length || !continueText(scanner))) return false
  let { at, deepest, depth, values } = scanner
  loop: for (; at < length; at++) {
    switch (chunk[at]) {
      case quote: {
        const short = endOfShortText(chunk, at + 1)
        const end = short === -1 ? endOfText(scanner, at + 1) : short
        at = end === -1 ? length : end - 1
        break
      }
      case openArray:
      case openObject:
        values++
        if (++depth > deepest) deepest = depth
        break
      case closeArray:
      case closeObject:
        if (--depth > toDepth) break
        at++
        break loop
      case comma:
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
