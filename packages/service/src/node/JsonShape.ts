/**
 * The depth of a JSON text and its number of values, counted while it arrives: what parsing it costs is known before it is parsed.
 *
 * Source: decision 0036.
 */
import * as ShortText from "./ShortText.ts"

/**
 * What has been counted.
 */
export interface JsonShape {
  bytes: number
  depth: number
  deepest: number
  values: number
  isText: boolean
  isEscaped: boolean
}

/** Levels of nesting: a trace of 1,024 calls has about 2,100. */
export const maxDepth = 2_500
/** Values of a response: 64 MiB of receipts have about 1.5 million. */
export const maxValues = 3_000_000

/**
 * Makes the shape of an empty text.
 */
export const make = (): JsonShape => ({
  bytes: 0,
  depth: 0,
  deepest: 0,
  values: 0,
  isText: false,
  isEscaped: false,
})

const [quote, backslash] = [0x22, 0x5c]

/** Index after the text that goes on at an index; the end of the chunk when it goes on after it. */
const skipText = (shape: JsonShape, chunk: Uint8Array, begin: number): number => {
  let at = begin + Number(shape.isEscaped)
  shape.isEscaped = false
  for (;;) {
    const end = chunk.indexOf(quote, at)
    const to = end === -1 ? chunk.length : end
    let slashes = 0
    while (to - 1 - slashes >= at && chunk[to - 1 - slashes] === backslash) slashes++
    if (end === -1) {
      shape.isEscaped = slashes % 2 === 1
      return chunk.length
    }
    at = end + 1
    if (slashes % 2 === 1) continue
    shape.isText = false
    return at
  }
}

/**
 * Counts a chunk.
 */
export const push = (shape: JsonShape, chunk: Uint8Array): void => {
  shape.bytes += chunk.length
  for (let at = 0; at < chunk.length; at++) {
    if (shape.isText) {
      at = skipText(shape, chunk, at) - 1
      continue
    }
    switch (chunk[at]) {
      case quote: {
        const end = ShortText.endOf(chunk, at + 1)
        if (end === -1) shape.isText = true
        else at = end
        break
      }
      case 0x7b:
      case 0x5b:
        shape.values += 1
        shape.depth += 1
        if (shape.depth > shape.deepest) shape.deepest = shape.depth
        break
      case 0x7d:
      case 0x5d:
        shape.depth -= 1
        break
      case 0x2c:
        shape.values += 1
        break
      default:
    }
  }
}

/**
 * True for a text that must not be parsed.
 */
export const isExcessive = ({ deepest, values }: JsonShape): boolean => deepest > maxDepth || values > maxValues
