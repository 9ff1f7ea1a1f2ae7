/**
 * Finds members of a JSON object chunk by chunk, without parsing it. Pure; it only validates brackets and strings.
 */
import * as JsonScanner from "@daybook/transport/internal/JsonScanner"

const { Token } = JsonScanner

/** Range of a text, in bytes from its start. */
export interface Range {
  readonly start: number
  /** Byte after the last one. */
  readonly end: number
}

/** State of a finder between two chunks. */
export interface MemberFinder<Name extends string> {
  readonly scanner: JsonScanner.JsonScanner
  readonly names: ReadonlyArray<Name>
  readonly values: Partial<Record<Name, Range>>
  /** Number of bytes in previous chunks. */
  before: number
  /** The object has started. */
  isBegun: boolean
  /** The text is not a single object. */
  isInvalid: boolean
  /** The next text is a key. */
  isKeyNext: boolean
  /** The last key as far as received, cut to a maximum length. */
  key: string
  /** Index of the byte after the last key; -1 before the next one. */
  valueStart: number
}

/** Members of an object. */
export interface Members<Name extends string> {
  /** Last value of each name, as in `JSON.parse`, with the preceding colon and surrounding white space. */
  readonly values: Readonly<Partial<Record<Name, Range>>>
  /** Nesting depth of the whole text. */
  readonly depth: number
}

/** Longer keys are cut: all member names are shorter, even with every character escaped. */
const maxKey = 128

/** Makes a finder of members by their names. */
export const make = <Name extends string>(names: ReadonlyArray<Name>): MemberFinder<Name> => ({
  scanner: JsonScanner.make(),
  names,
  values: {},
  before: 0,
  isBegun: false,
  isInvalid: false,
  isKeyNext: false,
  key: "",
  valueStart: -1,
})

const addToKey = (finder: MemberFinder<string>, end: number): void => {
  if (!finder.isKeyNext) return
  const { chunk, start } = finder.scanner
  finder.key += String.fromCharCode(...chunk.subarray(start, Math.min(end, start + maxKey - finder.key.length)))
}

/** Removes the escapes that a server may write in place of any character of a key. */
const unescaped = (key: string): string => {
  try {
    return key.includes("\\") ? String(JSON.parse(`"${key}"`)) : key
  } catch {
    return key
  }
}

const endValue = <Name extends string>(finder: MemberFinder<Name>): void => {
  const { before, names, scanner, valueStart: start } = finder
  const key = unescaped(finder.key)
  const name = names.find((one) => one === key)
  if (name !== undefined && start >= 0) finder.values[name] = { start, end: before + scanner.at - 1 }
  finder.key = ""
  finder.valueStart = -1
  finder.isKeyNext = true
}

/** Reads a token of the object that is not within a value. */
const read = (finder: MemberFinder<string>, token: number): void => {
  const { at } = finder.scanner
  switch (token) {
    case Token.textPart:
      return addToKey(finder, at)
    case Token.text:
    case Token.textEnd:
      addToKey(finder, at - 1)
      if (finder.isKeyNext) finder.valueStart = finder.before + at
      finder.isKeyNext = false
      return
    case Token.comma:
    case Token.closeArray:
    case Token.closeObject:
      return endValue(finder)
    default:
  }
}

/** Takes the next chunk. */
export const push = (finder: MemberFinder<string>, chunk: Uint8Array): void => {
  const { scanner } = finder
  JsonScanner.push(scanner, chunk)
  while (!finder.isInvalid && (scanner.depth <= 1 || JsonScanner.skip(scanner, 1))) {
    const { depth } = scanner
    const token = JsonScanner.next(scanner)
    if (token === Token.end) break
    if (depth === 1) read(finder, token)
    else if (finder.isBegun || token !== Token.openObject) finder.isInvalid = true
    else finder.isBegun = finder.isKeyNext = true
  }
  finder.before += chunk.length
}

/** Members of a complete text; undefined if it is not an object, or truncated. */
export const end = <Name extends string>({
  isBegun,
  isInvalid,
  scanner,
  values,
}: MemberFinder<Name>): Members<Name> | undefined =>
  isBegun && !isInvalid && !scanner.isText && scanner.depth === 0 ? { values, depth: scanner.deepest } : undefined
