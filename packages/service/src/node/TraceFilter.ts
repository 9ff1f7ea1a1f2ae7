/**
 * Bounds the response of a tracer while it arrives, so that no more of it is held than may be stored: inputs and outputs of frames
 * beyond a number of bytes are replaced by their length and hash, and the trace of a transaction with too many frames, or too deep, by
 * an error. Everything else passes unchanged.
 *
 * It reads the structure of the JSON alone: text that is not JSON passes too, and fails where it is parsed.
 *
 * Source: decision 0036.
 */
import { excessPrefix } from "../block/Traces.ts"
import * as ByteList from "./ByteList.ts"
import * as FrameData from "./FrameData.ts"
import * as ShortText from "./ShortText.ts"

/**
 * Bounds of traces.
 */
export interface Limits {
  /** Characters of the inputs and outputs of one transaction's frames together. */
  readonly transactionBytes: number
  /** The same of one block. */
  readonly blockBytes: number
  /** Frames of one transaction. */
  readonly frames: number
  /** Levels of calls. */
  readonly depth: number
}

interface Container {
  readonly isArray: boolean
  /** Key of the object that holds it; `""` in an array. */
  readonly key: string
  /** Holds the traces of a block. */
  readonly isResult: boolean
  /** The next text is a key. */
  expectsKey: boolean
}

/** What a text is. */
type Text = "key" | "held key" | "data" | "hash" | "other"

/** The trace of a transaction, or an entry of a flat list, that is not passed on yet. */
interface Element {
  /** Containers around it. */
  readonly base: number
  /** It is the result itself, not an item of it. */
  readonly isWhole: boolean
  hash: string
  isFlat: boolean
  frames: number
  /** Which bound it exceeds; `null` for none. */
  excess: string | null
}

/**
 * A filter, between two chunks.
 */
export interface TraceFilter {
  readonly limits: Limits
  readonly out: ByteList.ByteList
  readonly pending: ByteList.ByteList
  readonly stack: Array<Container>
  element: Element | null
  /** Containers inside an element that is discarded. */
  skipped: number
  text: Text | null
  isEscaped: boolean
  /** The last key. */
  key: string
  /** A key or a hash as far as it has arrived. */
  word: string
  data: FrameData.FrameData | null
  /** The key `result` is held back until its value shows whether it can be passed on. */
  isHeld: boolean
  /** Items of the result that were passed on. */
  items: number
  /** Characters of data that were kept, of the transaction and of the block. */
  ofTransaction: number
  ofBlock: number
  /** The transaction that the last entry of a flat list belongs to, and its number of entries. */
  flat: { readonly hash: string; readonly frames: number }
  chunk: Uint8Array
  /** First byte of the chunk that is not passed on. */
  from: number
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openObject, closeObject, openArray, closeArray] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Keys and hashes are no longer, also where each character of a key is written as an escape. */
const maxWord = 100

/**
 * Makes a filter that has received nothing.
 */
export const make = (limits: Limits): TraceFilter => ({
  limits,
  out: ByteList.make(),
  pending: ByteList.make(),
  stack: [],
  element: null,
  skipped: 0,
  text: null,
  isEscaped: false,
  key: "",
  word: "",
  data: null,
  isHeld: false,
  items: 0,
  ofTransaction: 0,
  ofBlock: 0,
  flat: { hash: "", frames: 0 },
  chunk: new Uint8Array(),
  from: 0,
})

const isSkipping = ({ element }: TraceFilter): boolean => element !== null && element.excess !== null

const sink = (filter: TraceFilter): ByteList.ByteList => (filter.element === null ? filter.out : filter.pending)

/** Passes on the chunk up to an index. */
const flush = (filter: TraceFilter, to: number): void => {
  const { chunk, from } = filter
  filter.from = to
  if (from >= to || isSkipping(filter)) return
  if (filter.isHeld) releaseKey(filter)
  ByteList.write(sink(filter), chunk.subarray(from, to))
}

const releaseKey = (filter: TraceFilter): void => {
  filter.isHeld = false
  ByteList.writeText(sink(filter), '"result":')
}

const top = ({ stack }: TraceFilter): Container | undefined => stack.at(-1)

/** True inside the object of a response: the body, or an item of it. */
const isEnvelope = ({ stack }: TraceFilter): boolean =>
  stack.length === 1 ? !stack[0]!.isArray : stack.length === 2 && stack[0]!.isArray && !stack[1]!.isArray

const beginElement = (filter: TraceFilter, isWhole: boolean): void => {
  filter.element = { base: filter.stack.length, isWhole, hash: "", isFlat: false, frames: 0, excess: null }
}

/** Marks the element that is being received; what has arrived of it is discarded. */
const exceed = (filter: TraceFilter, element: Element, excess: string): void => {
  element.excess = excess
  filter.skipped = filter.stack.length - element.base
  ByteList.take(filter.pending)
  filter.data = null
}

/** An object or array begins at an index. */
const open = (filter: TraceFilter, at: number, isArray: boolean): void => {
  const holder = top(filter)
  const key = holder === undefined || holder.isArray ? "" : filter.key
  // Never inside an element, which is below an envelope.
  const isOfEnvelope = key === "result" && isEnvelope(filter)
  if (isOfEnvelope) {
    filter.ofBlock = 0
    filter.ofTransaction = 0
    filter.items = 0
    filter.flat = { hash: "", frames: 0 }
  }
  if (!isArray && (isOfEnvelope || holder?.isResult === true)) {
    if (isOfEnvelope) filter.from = at
    else flush(filter, at)
    beginElement(filter, isOfEnvelope)
  }
  filter.stack.push({ isArray, key, isResult: isOfEnvelope && isArray, expectsKey: true })
  const { element, limits, stack } = filter
  if (element === null) return
  if (holder?.key === "calls" && ++element.frames > limits.frames) {
    exceed(filter, element, `more than ${limits.frames} frames`)
  } else if (stack.length - element.base > 2 * limits.depth + 8)
    exceed(filter, element, `deeper than ${limits.depth} calls`)
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

/** What is passed on in place of an element that exceeds a bound. */
const errorOf = ({ excess, hash, isFlat, isWhole }: Element): string => {
  const message = `${excessPrefix}: ${excess ?? ""}.`
  if (isWhole) return `"error":{"code":-32000,"message":"${message}"}`
  if (isFlat) {
    return `{"type":"excess","action":{},"error":"${message}","subtraces":0,"traceAddress":[],"transactionHash":"${hash}"}`
  }
  return hash === "" ? `{"error":"${message}"}` : `{"txHash":"${escaped(hash)}","error":"${message}"}`
}

/** Counts an entry of a flat list; false when it is not passed on. */
const countFlat = (filter: TraceFilter, element: Element): boolean => {
  const isSame = element.hash === filter.flat.hash
  const frames = isSame ? filter.flat.frames + 1 : 1
  filter.flat = { hash: element.hash, frames }
  const { limits } = filter
  // The first entry of a transaction is the transaction itself.
  if (frames === limits.frames + 2) element.excess = `more than ${limits.frames} frames`
  return frames <= limits.frames + 2
}

/** Passes on an element that has arrived as a whole, up to an index of the chunk. */
const endElement = (filter: TraceFilter, element: Element, to: number): void => {
  const { chunk, from, out, pending } = filter
  const flatHash = filter.flat.hash
  const isPassed = !element.isFlat || countFlat(filter, element)
  filter.element = null
  filter.from = to
  if (!element.isFlat || element.hash !== flatHash) filter.ofTransaction = 0
  if (!isPassed) {
    ByteList.take(pending)
    return
  }
  if (!element.isWhole && filter.items++ > 0) ByteList.writeText(out, ",")
  if (element.excess === null) {
    if (filter.isHeld) releaseKey(filter)
    if (pending.length > 0) ByteList.move(pending, out)
    if (from < to) ByteList.write(out, chunk.subarray(from, to))
    return
  }
  filter.isHeld = false
  ByteList.take(pending)
  ByteList.writeText(out, errorOf(element))
}

/** An object or array ends at an index. */
const close = (filter: TraceFilter, at: number): void => {
  const { element, stack } = filter
  stack.pop()
  if (element !== null && stack.length === element.base) endElement(filter, element, at + 1)
}

/** A comma or a colon. */
const separate = (filter: TraceFilter, at: number, isComma: boolean): void => {
  const holder = top(filter)
  if (holder === undefined) return
  if (!isComma) {
    holder.expectsKey = false
    if (filter.isHeld && filter.element === null) filter.from = at + 1
    return
  }
  holder.expectsKey = true
  if (!holder.isResult) return
  flush(filter, at)
  filter.from = at + 1
}

const remaining = ({ limits, ofBlock, ofTransaction }: TraceFilter): number =>
  Math.min(limits.transactionBytes - ofTransaction, limits.blockBytes - ofBlock)

const textOf = (filter: TraceFilter): Text => {
  const holder = top(filter)
  if (holder === undefined || holder.isArray) return "other"
  if (holder.expectsKey) return isEnvelope(filter) ? "held key" : "key"
  if (filter.element === null) return "other"
  if (ShortText.dataKeys.has(filter.key)) return "data"
  return ShortText.hashKeys.has(filter.key) && filter.stack.length === filter.element.base + 1 ? "hash" : "other"
}

/** A text begins at an index. */
const openText = (filter: TraceFilter, at: number): void => {
  const text = textOf(filter)
  filter.text = text
  filter.word = ""
  if (text === "held key" || text === "data") {
    flush(filter, at)
    filter.from = at + 1
  }
  if (text === "data") filter.data = FrameData.make(filter.key, remaining(filter))
}

const textOfBytes = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("latin1", 0, maxWord + 1)

/** A part of a text, up to its end or that of the chunk. */
const addText = (filter: TraceFilter, from: number, to: number): void => {
  const part = filter.chunk.subarray(from, to)
  switch (filter.text) {
    case "key":
    case "held key":
    case "hash":
      if (filter.word.length <= maxWord) filter.word += textOfBytes(part)
      return
    case "data":
      FrameData.add(filter.data!, part)
      filter.from = to
      return
    default:
  }
}

const endData = (filter: TraceFilter, data: FrameData.FrameData): void => {
  const list = sink(filter)
  if (data.hash === null) {
    filter.ofTransaction += data.length
    filter.ofBlock += data.length
    ByteList.writeText(list, '"')
    for (const part of data.parts) ByteList.write(list, part)
    ByteList.writeText(list, '"')
  } else ByteList.writeText(list, data.key === "revertReason" ? '""' : FrameData.replacement(data))
}

/** A key without escapes, which a node may write in place of any character. */
const keyOf = (word: string): string => {
  if (!word.includes("\\") || word.length > maxWord) return word
  try {
    return String(JSON.parse(`"${word}"`))
  } catch {
    return word
  }
}

/** A text ends at the index of its quote. */
const closeText = (filter: TraceFilter, at: number): void => {
  const { data, element, text, word } = filter
  filter.text = null
  if (text === "held key") {
    filter.key = keyOf(word)
    filter.from = at + 1
    if (filter.key === "result" && element === null) filter.isHeld = true
    else ByteList.writeText(sink(filter), `"${word}"`)
  }
  if (text === "key") {
    filter.key = keyOf(word)
    if (filter.key === "action" && element !== null && filter.stack.length === element.base + 1) element.isFlat = true
  }
  if (text === "hash" && element !== null) element.hash = word
  if (text === "data" && data !== null) {
    filter.data = null
    filter.from = at + 1
    endData(filter, data)
  }
}

/** Reads a text from an index; gives the index after it, or the end of the chunk. */
const readText = (filter: TraceFilter, begin: number): number => {
  const { chunk } = filter
  let at = begin
  if (filter.isEscaped) {
    filter.isEscaped = false
    at += 1
  }
  for (;;) {
    const end = chunk.indexOf(quote, at)
    const to = end === -1 ? chunk.length : end
    let slashes = 0
    while (to - 1 - slashes >= at && chunk[to - 1 - slashes] === backslash) slashes++
    if (end !== -1 && slashes % 2 === 1) {
      at = end + 1
      continue
    }
    if (end === -1) filter.isEscaped = slashes % 2 === 1
    addText(filter, begin, to)
    if (end === -1) return to
    closeText(filter, end)
    return end + 1
  }
}

/** Reads an element that is discarded from an index; gives the index after it, or the end of the chunk. */
const skip = (filter: TraceFilter, begin: number): number => {
  const { chunk } = filter
  for (let at = begin; at < chunk.length; at++) {
    const byte = chunk[at]
    if (byte === quote) {
      filter.text = "other"
      return at + 1
    }
    if (byte === openObject || byte === openArray) filter.skipped += 1
    else if ((byte === closeObject || byte === closeArray) && --filter.skipped === 0) {
      filter.stack.length = filter.element!.base
      filter.from = at + 1
      endElement(filter, filter.element!, at + 1)
      return at + 1
    }
  }
  return chunk.length
}

/** Reads a short text in place; false for one that may have to be replaced or held back. */
const passShort = (filter: TraceFilter, begin: number, end: number): boolean => {
  const { chunk, element } = filter
  switch (textOf(filter)) {
    case "other":
      return true
    case "key":
      filter.key = ShortText.keyAt(chunk, begin, end)
      if (filter.key === "action" && element !== null && filter.stack.length === element.base + 1) element.isFlat = true
      return true
    case "hash": {
      const { hash } = filter.flat
      const isSame = hash.length === end - begin && ShortText.isAt(chunk, begin, hash)
      element!.hash = isSame ? hash : textOfBytes(chunk.subarray(begin, end))
      return true
    }
    case "data": {
      const length = end - begin
      if (!FrameData.isKept(length, remaining(filter))) return false
      filter.ofTransaction += length
      filter.ofBlock += length
      return true
    }
    default:
      return false
  }
}

/** Reads everything but texts from an index; gives the index at which something else has to read on. */
const readStructure = (filter: TraceFilter, begin: number): number => {
  const { chunk } = filter
  for (let at = begin; at < chunk.length; at++) {
    switch (chunk[at]) {
      case quote: {
        const end = ShortText.endOf(chunk, at + 1)
        if (end === -1 || !passShort(filter, at + 1, end)) {
          openText(filter, at)
          return at + 1
        }
        at = end
        break
      }
      case openObject:
      case openArray:
        open(filter, at, chunk[at] === openArray)
        if (isSkipping(filter)) return at + 1
        break
      case closeObject:
      case closeArray:
        close(filter, at)
        break
      case comma:
      case colon:
        separate(filter, at, chunk[at] === comma)
        break
      default:
    }
  }
  return chunk.length
}

/** The key `result` is held back, and its value has not begun. */
const isHeldBack = ({ chunk, element, from, isHeld }: TraceFilter): boolean => {
  if (!isHeld || element !== null) return false
  for (let at = from; at < chunk.length; at++) if (chunk[at]! > 0x20) return false
  return true
}

/**
 * Takes a chunk; gives what can be passed on.
 */
export const push = (filter: TraceFilter, chunk: Uint8Array): ReadonlyArray<Uint8Array> => {
  filter.chunk = chunk
  filter.from = 0
  let at = 0
  while (at < chunk.length) {
    if (filter.text !== null) at = readText(filter, at)
    else at = isSkipping(filter) ? skip(filter, at) : readStructure(filter, at)
  }
  if (filter.text !== "held key" && !isHeldBack(filter)) flush(filter, chunk.length)
  return ByteList.take(filter.out)
}

/**
 * Characters that are held and not passed on yet.
 */
export const heldBytes = ({ data, pending }: TraceFilter): number =>
  pending.length + (data?.hash === null ? data.length : 0)
