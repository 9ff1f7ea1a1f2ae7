/**
 * Bounds the response of a tracer as it arrives, so that no more of it is held than may be stored. An input or output beyond a number of
 * bytes is replaced by its length and hash, and a trace that is too deep or has too many frames by an error. Everything else passes
 * unchanged.
 *
 * It is a policy over the tokens of `JsonScanner`: text that is not JSON passes too, and fails when it is parsed.
 *
 * Source: decision 0036.
 */
import * as JsonScanner from "@daybook/transport/internal/JsonScanner"
import * as ByteList from "./ByteList.ts"
import * as FrameData from "./FrameData.ts"
import * as TraceBudget from "./TraceBudget.ts"
import * as TraceKeys from "./TraceKeys.ts"

const { Token } = JsonScanner

interface Container {
  readonly isArray: boolean
  /** Key of the enclosing object; `""` in an array. */
  readonly key: string
  /** Whether it holds the traces of a block. */
  readonly isResult: boolean
  /** Whether the next text is a key. */
  expectsKey: boolean
}

/** Kind of a text. */
type Text = "key" | "data" | "hash" | "other"

/** Levels and values of JSON text. */
export type Shape = Pick<JsonScanner.JsonScanner, "deepest" | "values">

/** The trace of a transaction, or an entry of a flat list, that is not forwarded yet. */
interface Element extends TraceBudget.Element {
  /** Number of containers around it, and as counted by the scanner: text that is not JSON may close too many. */
  readonly base: number
  readonly depth: number
  /** Counts of the scanner at its start. */
  readonly before: Shape
}

/**
 * State of a filter between two chunks.
 */
export interface TraceFilter {
  readonly budget: TraceBudget.TraceBudget
  readonly scanner: JsonScanner.JsonScanner
  readonly out: ByteList.ByteList
  readonly pending: ByteList.ByteList
  readonly stack: Array<Container>
  element: Element | null
  /** The last key, if it is relevant. */
  key: string
  /** Data that continues in the next chunk. */
  data: FrameData.FrameData | null
  /** A key or hash that continues in the next chunk, from its quote. */
  cutText: Uint8Array
  /** Whether the key `result` is held back until its value shows if it can be forwarded. */
  isHeld: boolean
  /** Number of forwarded items of the result. */
  items: number
  /** First byte of the chunk that is not forwarded. */
  from: number
}

const colon = 0x3a

/** Maximum number of bytes of a key or hash that wait for the next chunk: no relevant key is longer. */
const maxCutText = TraceKeys.maxBytes + 1

const none = new Uint8Array()

/**
 * Makes a filter without input.
 */
export const make = (limits: TraceBudget.Limits): TraceFilter => ({
  budget: TraceBudget.make(limits),
  scanner: JsonScanner.make(),
  out: ByteList.make(),
  pending: ByteList.make(),
  stack: [],
  element: null,
  key: "",
  data: null,
  cutText: none,
  isHeld: false,
  items: 0,
  from: 0,
})

const isSkipping = ({ element }: TraceFilter): boolean => element !== null && element.excess !== null

const sink = (filter: TraceFilter): ByteList.ByteList => (filter.element === null ? filter.out : filter.pending)

/** Index of the value of the held-back key: after its colon, which is forwarded with the key. */
const valueAt = ({ from, scanner: { chunk } }: TraceFilter): number => {
  let at = from
  while (at < chunk.length && (chunk[at]! <= 0x20 || chunk[at] === colon)) at++
  return at
}

/** Forwards the chunk up to an index. */
const flush = (filter: TraceFilter, to: number): void => {
  const { scanner } = filter
  const from = filter.isHeld && filter.element === null ? valueAt(filter) : filter.from
  filter.from = to
  if (from >= to || isSkipping(filter)) return
  if (filter.isHeld) releaseKey(filter)
  ByteList.write(sink(filter), scanner.chunk.subarray(from, to))
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
  const { depth, deepest, values } = filter.scanner
  const before = { deepest, values }
  filter.element = { ...TraceBudget.element(isWhole), base: filter.stack.length, depth: depth - 1, before }
}

/** Marks the element being received as too large; what arrived of it is discarded. */
const exceed = (filter: TraceFilter, element: Element, excess: string): void => {
  element.excess = excess
  ByteList.take(filter.pending)
  filter.data = null
}

/** An object or array starts at an index. */
const open = (filter: TraceFilter, at: number, isArray: boolean): void => {
  const holder = top(filter)
  const key = holder === undefined || holder.isArray ? "" : filter.key
  // Never true inside an element, which is below an envelope.
  const isOfEnvelope = key === "result" && isEnvelope(filter)
  if (isOfEnvelope) {
    TraceBudget.beginResult(filter.budget)
    filter.items = 0
  }
  if (!isArray && (isOfEnvelope || holder?.isResult === true)) {
    if (isOfEnvelope) filter.from = at
    else flush(filter, at)
    beginElement(filter, isOfEnvelope)
  }
  filter.stack.push({ isArray, key, isResult: isOfEnvelope && isArray, expectsKey: true })
  const { budget, element, stack } = filter
  if (element === null) return
  const excess = TraceBudget.enter(budget, element, stack.length - element.base, holder?.key === "calls")
  if (excess !== null) exceed(filter, element, excess)
}

/** JSON text that replaces an element beyond a bound: a list item, or the member `error` of a reply. */
const errorOf = (element: Element): string =>
  element.isWhole
    ? `"error":${JSON.stringify({ code: TraceBudget.errorCode, message: TraceBudget.messageOf(element) })}`
    : JSON.stringify(TraceBudget.replacementOf(element))

/** Forwards a completely received element, up to an index of the chunk. */
const endElement = (filter: TraceFilter, element: Element, to: number): void => {
  const { budget, from, out, pending, scanner } = filter
  const decision = TraceBudget.end(budget, element)
  filter.element = null
  filter.from = to
  if (decision !== "drop" && !element.isWhole && filter.items++ > 0) ByteList.writeText(out, ",")
  if (decision === "keep") {
    if (filter.isHeld) releaseKey(filter)
    if (pending.length > 0) ByteList.move(pending, out)
    if (from < to) ByteList.write(out, scanner.chunk.subarray(from, to))
    return
  }
  ByteList.take(pending)
  // Discarded text is not parsed.
  Object.assign(scanner, element.before)
  if (decision === "drop") return
  filter.isHeld = false
  ByteList.writeText(out, errorOf(element))
}

/** An object or array ends at an index. */
const close = (filter: TraceFilter, at: number): void => {
  const { element, stack } = filter
  stack.pop()
  if (element !== null && stack.length === element.base) endElement(filter, element, at + 1)
}

/** A comma at an index. */
const separate = (filter: TraceFilter, at: number): void => {
  const holder = top(filter)
  if (holder === undefined) return
  holder.expectsKey = true
  if (!holder.isResult) return
  flush(filter, at)
  filter.from = at + 1
}

const textOf = (filter: TraceFilter, holder: Container | undefined): Text => {
  if (holder === undefined || holder.isArray) return "other"
  if (holder.expectsKey) return "key"
  const { element, key } = filter
  if (element === null || key === "") return "other"
  if (TraceKeys.dataKeys.has(key)) return "data"
  return TraceKeys.hashKeys.has(key) && filter.stack.length === element.base + 1 ? "hash" : "other"
}

/** A key of the chunk, between two indexes. */
const readKey = (filter: TraceFilter, holder: Container, start: number, end: number): void => {
  const { element, scanner, stack } = filter
  const key = TraceKeys.keyAt(scanner.chunk, start, end)
  holder.expectsKey = false
  filter.key = key
  if (key === "") return
  if (element === null && key === "result" && isEnvelope(filter)) {
    flush(filter, start - 1)
    filter.from = end + 1
    filter.isHeld = true
  } else if (key === "action" && element !== null && stack.length === element.base + 1) element.isFlat = true
}

const readHash = (
  { budget: { flat }, scanner: { chunk } }: TraceFilter,
  element: Element,
  start: number,
  end: number,
): void => {
  const length = Math.min(end - start, TraceBudget.maxHash)
  const isSame = flat.hash.length === length && TraceKeys.isAt(chunk, start, flat.hash)
  element.hash = isSame ? flat.hash : Buffer.from(chunk.buffer, chunk.byteOffset + start, length).toString("latin1")
}

const addData = (filter: TraceFilter, data: FrameData.FrameData, end: number): void => {
  FrameData.add(data, filter.scanner.chunk.subarray(filter.scanner.start, end))
  filter.from = end
}

/** Starts data that is replaced or continues in the next chunk. */
const beginData = (filter: TraceFilter, end: number): FrameData.FrameData => {
  flush(filter, filter.scanner.start - 1)
  const data = FrameData.make(filter.key, TraceBudget.remaining(filter.budget))
  addData(filter, data, end)
  return data
}

const endData = (filter: TraceFilter, data: FrameData.FrameData): void => {
  const list = sink(filter)
  filter.data = null
  filter.from = filter.scanner.at
  if (data.hash === null) {
    TraceBudget.keep(filter.budget, data.length)
    ByteList.writeText(list, '"')
    for (const part of data.parts) ByteList.write(list, part)
    ByteList.writeText(list, '"')
  } else ByteList.writeText(list, data.key === "revertReason" ? '""' : FrameData.replacement(data))
}

/** A text that lies entirely in the chunk. */
const readText = (filter: TraceFilter): void => {
  const { at, start } = filter.scanner
  const end = at - 1
  const holder = top(filter)
  switch (textOf(filter, holder)) {
    case "key":
      return readKey(filter, holder!, start, end)
    case "hash":
      return readHash(filter, filter.element!, start, end)
    case "data": {
      const length = end - start
      if (!FrameData.isKept(length, TraceBudget.remaining(filter.budget)))
        return endData(filter, beginData(filter, end))
      return TraceBudget.keep(filter.budget, length)
    }
    case "other":
  }
}

/** A text that starts in the chunk and continues in the next one. */
const beginText = (filter: TraceFilter): void => {
  const { scanner } = filter
  const { chunk, start } = scanner
  const holder = top(filter)
  const text = textOf(filter, holder)
  if (text === "data") filter.data = beginData(filter, chunk.length)
  if (text !== "key" && text !== "hash") return
  if (chunk.length - start < maxCutText) {
    // It is read again from its quote.
    flush(filter, start - 1)
    filter.from = chunk.length
    filter.cutText = chunk.slice(start - 1)
    scanner.isText = false
    scanner.isEscaped = false
  } else if (text === "key") {
    holder!.expectsKey = false
    filter.key = ""
  } else readHash(filter, filter.element!, start, chunk.length)
}

const readToken = (filter: TraceFilter, token: number): void => {
  const { data, scanner } = filter
  const { at } = scanner
  switch (token) {
    case Token.text:
      return readText(filter)
    case Token.textPart:
      if (data !== null) return addData(filter, data, at)
      // Otherwise it continues from the previous chunk, and passes.
      return scanner.start > 0 ? beginText(filter) : undefined
    case Token.textEnd:
      if (data === null) return
      addData(filter, data, at - 1)
      return endData(filter, data)
    case Token.openObject:
    case Token.openArray:
      return open(filter, at - 1, token === Token.openArray)
    case Token.closeObject:
    case Token.closeArray:
      return close(filter, at - 1)
    default:
      return separate(filter, at - 1)
  }
}

/** Discards the rest of an element in the chunk; false if it continues in the next one. */
const skip = (filter: TraceFilter, element: Element): boolean => {
  const { scanner, stack } = filter
  if (!JsonScanner.skip(scanner, element.depth)) return false
  stack.length = element.base
  endElement(filter, element, scanner.at)
  return true
}

/**
 * Takes a chunk; returns what can be forwarded.
 */
export const push = (filter: TraceFilter, chunk: Uint8Array): ReadonlyArray<Uint8Array> => {
  const { cutText, scanner } = filter
  JsonScanner.push(scanner, cutText.length === 0 ? chunk : Buffer.concat([cutText, chunk]))
  filter.cutText = none
  filter.from = 0
  for (;;) {
    const { element } = filter
    if (element !== null && element.excess !== null) {
      if (skip(filter, element)) continue
      break
    }
    const token = JsonScanner.next(scanner)
    if (token === Token.end) break
    readToken(filter, token)
  }
  flush(filter, scanner.chunk.length)
  return ByteList.take(filter.out)
}

/**
 * Levels and values of what is forwarded.
 */
export const shapeOf = ({ element, scanner }: TraceFilter): Shape =>
  element === null || element.excess === null ? scanner : element.before

/**
 * Number of bytes held back.
 */
export const heldBytes = ({ cutText, data, pending }: TraceFilter): number =>
  pending.length + cutText.length + (data?.hash === null ? data.length : 0)
