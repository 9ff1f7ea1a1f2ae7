/**
 * Scans JSON text as bytes, chunk by chunk: yields its structure as tokens or skips values, and counts nesting and values. It is pure and
 * does not validate: text that is not JSON also yields tokens.
 *
 * Source: RFC 8259.
 */

/** State of a scanner between two tokens. */
export interface JsonScanner {
  chunk: Uint8Array
  /** Index of the byte after the last token. */
  at: number
  /** Index of the first byte of the last text in the chunk, after its opening quote. */
  start: number
  /** Open arrays and objects. */
  depth: number
  deepest: number
  /** Opening brackets and commas: at least the number of values minus one. */
  values: number
  /** A text continues in the next chunk. */
  isText: boolean
  /** The first byte of the next chunk is escaped. */
  isEscaped: boolean
}

/** Tokens: the byte of a bracket or comma, or one of the following. A quote stands for a text that lies entirely in the chunk. */
export const Token = {
  /** The chunk has no more tokens. */
  end: 0,
  /** A text, or part of one, that continues in the next chunk. */
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

/** Bytes of a text that are read one by one; beyond them a search is faster. */
const nearBytes = 256

/** Makes a scanner without input. */
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

/** Takes the next chunk. The previous one must have been scanned to its end. */
export const push = (scanner: JsonScanner, chunk: Uint8Array): void => {
  scanner.chunk = chunk
  scanner.at = 0
}

/** Index after the quote that ends a text; -1 if it does not end in the chunk. */
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
    // In a text with many escaped quotes a search for each would be slow.
    for (const near = at + nearBytes; at < near && at < length;) {
      const byte = chunk[at++]
      if (byte === quote) return at
      if (byte === backslash) at++
    }
  }
}

/** Index after the quote that ends a text; -1 for a text that is long, has escapes or does not end in the chunk. */
const endOfShortText = (chunk: Uint8Array, begin: number): number => {
  const near = Math.min(chunk.length, begin + nearBytes)
  for (let at = begin; at < near; at++) {
    const byte = chunk[at]
    if (byte === quote) return at + 1
    if (byte === backslash) return -1
  }
  return -1
}

/** Continues a text from the previous chunk; false if it does not end in this one. */
const continueText = (scanner: JsonScanner): boolean => {
  const begin = scanner.isEscaped ? 1 : 0
  scanner.isText = false
  scanner.isEscaped = false
  const end = endOfText(scanner, begin)
  scanner.at = end === -1 ? scanner.chunk.length : end
  return end !== -1
}

/** Returns the next token of the chunk. */
export const next = (scanner: JsonScanner): number => {
  const { chunk } = scanner
  const { length } = chunk
  if (scanner.isText) {
    if (scanner.at === length) return Token.end
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

/** Skips tokens until at most `depth` arrays and objects are open; false if the chunk ends first. */
export const skip = (scanner: JsonScanner, toDepth: number): boolean => {
  const { chunk } = scanner
  const { length } = chunk
  if (scanner.depth <= toDepth) return true
  if (scanner.isText && (scanner.at === length || !continueText(scanner))) return false
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
