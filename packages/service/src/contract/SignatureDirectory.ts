/**
 * Signatures from a file or folder named by the operator, as published by public directories: a million texts that anyone may have
 * submitted. They only decode calls that nothing else decodes, and only if exactly one matches; ABIs, built-in signatures and packs take
 * precedence. Texts are stored compactly in memory and parsed when their selector is first looked up.
 *
 * Source: decision 0059.
 */
import { createReadStream } from "node:fs"
import { opendir, stat } from "node:fs/promises"
import { basename, join } from "node:path"
import { createInterface } from "node:readline"
import * as Decoder from "@daybook/abi/Decoder"
import * as Signature from "@daybook/abi/Signature"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { InvalidConfig } from "../config/InvalidConfig.ts"

/** A function, and the other texts with its selector. */
export interface NamedFunction extends Decoder.NamedFunction {
  readonly others?: ReadonlyArray<string>
}

/** Looks signatures up. */
export interface SignatureDirectory {
  /** Number of texts. */
  readonly size: number
  /** Number of texts that are not function signatures, or too long. */
  readonly leftOut: number
  /** The call of an input, if exactly one signature matches it. */
  readonly call: (input: string) => Decoder.DecodedItemWire | null
  /** Function of a selector, with the other texts that share it. */
  readonly functionOf: (selector: string) => NamedFunction | null
}

/** Texts of a directory: each key combines the number of its selector and its index, in one table sorted by `Float64Array.sort`. */
const keysOfSelector = 2 ** 21
const maxTexts = keysOfSelector - 1
const maxLineCharacters = 65_536
/** Maximum number of characters of a text: the longest calls of exchanges have about 900 including parameter names. */
const maxTextCharacters = 1024
const maxBytes = 256 * 1024 * 1024
/** Maximum number of signatures tried per selector; public directories have about ten for the most imitated selectors. */
const maxOfSelector = 32
const maxParsed = 8192
/** Number of computed selectors after which the log explains the time that reading takes. */
const manyComputed = 20_000

/** The name before a parenthesis. A name is only tried from its first character, so that a long one costs no more. */
const nameForm = /(?<![\w$])[A-Za-z_$][\w$]*\s*$/
/** Texts passed to the parser, which is slow for missing parameters. */
const textForm = /^[\w$]+\s*\((?!\s*,)(?:[^,"'|]|,(?!\s*[,)]))*\)$/
/** A selector next to the text: with its prefix anywhere, without it as the first field. */
const keyForm = /(?:^|\W)0x([0-9a-fA-F]{8})(?!\w)|^"?([0-9a-fA-F]{8})(?!\w)/
const fileForm = /^(?:0x)?([0-9a-fA-F]{8})(?:\.\w+)?$/
const selectorForm = /^0x[0-9a-f]{8}$/

const parse = (text: string): Signature.Signature | null =>
  Result.getOrElse(Signature.fromText(`function ${text}`), () => null)

/** The signature in a part of a line: from the name before its first parenthesis to its last one. */
const signatureIn = (part: string): string | undefined => {
  const [opening, end] = [part.indexOf("("), part.lastIndexOf(")") + 1]
  const name = nameForm.exec(part.slice(0, Math.max(0, opening)))
  if (name === null || end - name.index > maxTextCharacters) return undefined
  const text = part.slice(name.index, end)
  return textForm.test(text) ? text : undefined
}

/** The selector that a line states in addition to its signatures. */
const selectorBeside = (line: string): string | undefined => {
  const before = line.slice(0, Math.max(0, line.indexOf("("))).replace(nameForm, "")
  const [, prefixed, bare] = keyForm.exec(`${before} ${line.slice(line.lastIndexOf(")") + 1)}`) ?? []
  return prefixed ?? bare
}

/** The signature in a part of a line, with its own selector or the stated one; undefined for any other text. */
const entryIn = (part: string, stated: string | undefined) => {
  const text = signatureIn(part)
  if (text === undefined) return undefined
  const selector = stated ?? parse(text)?.key
  return selector === undefined ? undefined : { text, selector }
}

/** Key of the text with index 0, for a selector in hex with or without a prefix. */
const firstKeyOf = (selector: string): number => Number.parseInt(selector, 16) * keysOfSelector

/** Collects texts by selector. */
class Collector {
  #keys = new Float64Array(1024)
  #texts: Array<string> = []
  readonly #onComputed: () => void
  leftOut = 0

  /** `onComputed` is called for each text without a selector. */
  constructor(onComputed: () => void) {
    this.#onComputed = onComputed
  }

  get size(): number {
    return this.#texts.length
  }

  /** Adds the texts of a line; `of` is the selector given by the file name. */
  add(line: string, of: string | undefined): void {
    const text = line.trim()
    if (text.startsWith("#")) return
    if (text.length > maxLineCharacters) {
      this.leftOut++
      return
    }
    const selector = of ?? selectorBeside(text)
    for (const part of text.split(";")) if (part.trim() !== "") this.#addPart(part, selector)
  }

  #addPart(part: string, selector: string | undefined): void {
    const found = entryIn(part, selector)
    if (found === undefined) {
      this.leftOut++
      return
    }
    if (selector === undefined) this.#onComputed()
    const at = this.#texts.push(found.text) - 1
    if (at >= this.#keys.length) {
      const larger = new Float64Array(this.#keys.length * 2)
      larger.set(this.#keys)
      this.#keys = larger
    }
    this.#keys[at] = firstKeyOf(found.selector) + at
  }

  /** Returns the texts of a selector, in the order added. */
  finish(): (selector: string) => ReadonlyArray<string> {
    const keys = this.#keys.subarray(0, this.size).sort()
    const texts = this.#texts
    /** Number of keys below a key. */
    const countBelow = (key: number): number => {
      let [low, high] = [0, keys.length]
      while (low < high) {
        const middle = (low + high) >>> 1
        if (keys[middle]! < key) low = middle + 1
        else high = middle
      }
      return low
    }
    return (selector) => {
      const key = firstKeyOf(selector)
      const start = countBelow(key)
      const end = Math.min(countBelow(key + keysOfSelector), start + maxOfSelector)
      // Sound: each key has the index of a text.
      return Array.from(keys.subarray(start, end), (one) => texts[one - key]!)
    }
  }
}

/** A signature, and the decoder for it alone. */
interface Candidate {
  readonly signature: Signature.Signature
  readonly set: Decoder.SignatureSet
}

/** Signatures of the texts that have the selector looked up; if two differ only in parameter names, the one that has names. */
const candidatesOf = (texts: ReadonlyArray<string>, selector: string): ReadonlyArray<Candidate> => {
  const found = new Map<string, Signature.Signature>()
  for (const text of texts) {
    const signature = parse(text)
    if (signature?.key !== selector) continue
    const known = found.get(signature.canonical)
    const isNamed = signature.parameters.some(({ name }) => name !== "")
    if (known === undefined || isNamed) found.set(signature.canonical, signature)
  }
  return Array.from(found.values(), (signature) => ({ signature, set: Decoder.fromSignatures([signature]) }))
}

const make = (collector: Collector): SignatureDirectory => {
  const textsOf = collector.finish()
  const parsed = new Map<string, ReadonlyArray<Candidate>>()
  const candidates = (selector: string): ReadonlyArray<Candidate> => {
    if (!selectorForm.test(selector)) return []
    const known = parsed.get(selector)
    if (known !== undefined) return known
    const found = candidatesOf(textsOf(selector), selector)
    if (parsed.size >= maxParsed) parsed.clear()
    parsed.set(selector, found)
    return found
  }
  return {
    size: collector.size,
    leftOut: collector.leftOut,
    call: (input) => {
      const matches = candidates(input.slice(0, 10).toLowerCase()).flatMap(({ set }) => set.call(input) ?? [])
      return matches.length === 1 ? matches[0]! : null
    },
    functionOf: (selector) => {
      const [first, ...others] = candidates(selector.toLowerCase()).map(({ signature }) => signature)
      if (first === undefined) return null
      const named = { label: first.label, signature: first.canonical }
      return others.length === 0 ? named : { ...named, others: others.map(({ canonical }) => canonical) }
    },
  }
}

/** The regular files of a folder, or the file itself. */
async function* filesOf(path: string): AsyncGenerator<string> {
  const found = await stat(path)
  if (found.isFile()) return yield path
  if (!found.isDirectory()) throw new TypeError("neither a file nor a folder")
  for await (const entry of await opendir(path)) {
    if (entry.isFile() && !entry.name.startsWith(".")) yield join(path, entry.name)
  }
}

/** Adds the lines of a file and returns its size. */
const readFile = async (path: string, collector: Collector, bytesLeft: number): Promise<number> => {
  const { size } = await stat(path)
  if (size > bytesLeft) throw new RangeError(`more than ${maxBytes} bytes`)
  const of = fileForm.exec(basename(path))?.[1]
  const stream = createReadStream(path, { encoding: "utf8", end: maxBytes })
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })
  for await (const line of lines) {
    collector.add(line, of)
    if (collector.size > maxTexts) throw new RangeError(`more than ${maxTexts} signatures`)
  }
  return size
}

/** Reads a file or a folder. Logs why it takes long once so many selectors were computed. */
export const read = Effect.fnUntraced(function* (
  path: string,
  many = manyComputed,
): Effect.fn.Return<SignatureDirectory, InvalidConfig> {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let computed = 0
  const onComputed = () => {
    if (++computed !== many) return
    const message = `Signatures without selectors take long to read: ${path}. Use a directory with selectors.`
    run(Effect.logWarning(message))
  }
  const directory = yield* Effect.tryPromise({
    try: async () => {
      const collector = new Collector(onComputed)
      let bytes = 0
      for await (const file of filesOf(path)) bytes += await readFile(file, collector, maxBytes - bytes)
      return make(collector)
    },
    catch: (cause) =>
      new InvalidConfig({
        found: [
          {
            path: "signatures",
            message: `Cannot read the signatures: ${path} (${cause instanceof Error ? cause.message : String(cause)}). Name a file or a folder of lines such as "0xa9059cbb: transfer(address,uint256)".`,
          },
        ],
      }),
  })
  const { leftOut, size } = directory
  yield* Effect.logInfo(`Read ${size} signatures from ${path}; skipped ${leftOut} lines`)
  return directory
})
