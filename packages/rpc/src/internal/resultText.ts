/**
 * Finds the text of `result` in the text of a response, untouched: numbers keep their spelling, objects their order and white space.
 * It reads text that `JSON.parse` has accepted; it does not check it again.
 */

const quote = 0x22
const backslash = 0x5c

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

const skipSpace = (text: string, from: number): number => {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

/** The position after a string that opens at `from`. */
const skipString = (text: string, from: number): number => {
  let at = from
  for (;;) {
    at = text.indexOf('"', at + 1)
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return at + 1
  }
}

/** The position after a value that begins at `from`. */
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

/** The text of a member of the object that `text` is; of the last one when it is doubled, as `JSON.parse` has it. */
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

/** The text of the item of a batch that carries this id, of the array that `text` is; undefined when there is none. */
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
