/**
 * Reads the response to one call without parsing a large result, which is scanned as it arrives and kept as bytes. The rest of the
 * response, with an empty text in place of the result, is read like any other.
 */
import { BodyTooLarge, type Response } from "@daybook/transport/Fetch"
import * as MemberFinder from "./MemberFinder.ts"

/** Result of a call as the bytes of its JSON text. */
export interface BytesResult {
  readonly result: Uint8Array
  /** Nesting depth of arrays and objects. */
  readonly depth: number
}

/** How responses share a program with other work. */
export interface Sharing {
  /**
   * Runs a step of some milliseconds, now or later, and passes what it throws to `onError`. Work that follows synchronously belongs to the
   * step: processing a response whose headers were received, parsing a small response, and the continuation of identical calls after the
   * first that shares a request. A call whose timeout ends the wait for a step fails with `TimeoutError`; the step then does nothing.
   */
  readonly inTurn: (step: () => void, onError: (error: unknown) => void) => void
  /** Starts counting the bytes that a response holds; called once per response. */
  readonly hold: () => Hold
}

/** The bytes that a response holds in memory. */
export interface Hold {
  /** Adds bytes; no more are read until it resolves. */
  readonly add: (bytes: number, signal: AbortSignal) => Promise<void>
  /** Called when the response has been read or has failed. */
  readonly release: () => void
}

/** How the responses to a call are read. */
export interface BytesReading {
  /** Makes a function that takes up the response to one request. A large result is passed to `keep`. */
  readonly takeUp: (
    maxBytes: number,
    keep: (result: BytesResult) => void,
  ) => (response: Response, signal: AbortSignal) => Promise<Response>
  readonly inTurn: Sharing["inTurn"] | undefined
}

/** A smaller response is parsed as a whole, as is the remainder of a larger one without its result. */
const largeBytes = 256 * 1024

/** Maximum number of bytes kept of a response that cannot be used. */
const rejectedBytes = 64 * 1024

/** Bytes scanned per step: some milliseconds even while the engine interprets the code, as it does after each deoptimization. */
const stepBytes = 32 * 1024

/** Consecutive steps without yielding to the event loop. */
const stepsInTurn = 16

type Reader = ReturnType<NonNullable<NonNullable<Response["body"]>>["getReader"]>

const strictDecoder = new TextDecoder("utf-8", { fatal: true })

const spaces = new Set([0x20, 0x0a, 0x0d, 0x09])

/** Value of a member in place of a large result, following its name. */
const emptyText = new TextEncoder().encode(':""')

/** Trims white space. */
const trim = (bytes: Uint8Array): Uint8Array => {
  let [start, end] = [0, bytes.length]
  while (start < end && spaces.has(bytes[start]!)) start++
  while (start < end && spaces.has(bytes[end - 1]!)) end--
  return bytes.subarray(start, end)
}

/** Yields the part of a body that a range selects, in order and by chunks. */
const cut = function* (chunks: ReadonlyArray<Uint8Array>, { end, start }: MemberFinder.Range): Generator<Uint8Array> {
  let at = 0
  for (const chunk of chunks) {
    if (at < end && at + chunk.length > start) yield chunk.subarray(Math.max(0, start - at), end - at)
    at += chunk.length
  }
}

const join = (chunks: Iterable<Uint8Array>, length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** End of a step that starts at an index and does not split a character. */
const stepEnd = (bytes: Uint8Array, from: number): number => {
  let end = Math.min(bytes.length, from + stepBytes)
  while (end < bytes.length && end > from && (bytes[end]! & 0xc0) === 0x80) end--
  return end > from ? end : from + stepBytes
}

/** State of one response while it is read. */
interface Reading {
  readonly reader: Reader
  readonly maxBytes: number
  readonly signal: AbortSignal
  readonly keep: (result: BytesResult) => void
  readonly hold: Hold
  readonly step: (work: () => void) => Promise<void>
  /** Waits for a step in which to parse a small body as a whole. */
  readonly turn: () => Promise<void>
}

const isUtf8 = async (bytes: Uint8Array, { step }: Reading): Promise<boolean> => {
  try {
    for (let from = 0; from < bytes.length;) {
      const end = stepEnd(bytes, from)
      await step(() => void strictDecoder.decode(bytes.subarray(from, end)))
      from = end
    }
    return true
  } catch {
    return false
  }
}

/** Keeps the result of a whole body and returns the body without it; undefined if it cannot be used. */
const takeResult = async (
  chunks: ReadonlyArray<Uint8Array>,
  length: number,
  found: MemberFinder.Members<"result" | "error">,
  reading: Reading,
): Promise<Uint8Array | undefined> => {
  const { error, result } = found.values
  const large = result ?? error
  if (large === undefined || length - (large.end - large.start) > largeBytes) return undefined
  if (result === undefined) throw new BodyTooLarge(largeBytes)
  const size = result.end - result.start
  await reading.hold.add(size, reading.signal)
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of cut(chunks, result)) {
    await reading.step(() => bytes.set(chunk, at))
    at += chunk.length
  }
  const value = trim(bytes)
  if (value[0] !== emptyText[0] || !(await isUtf8(bytes, reading))) return undefined
  reading.keep({ result: trim(value.subarray(1)), depth: found.depth - 1 })
  const rest = [...cut(chunks, { start: 0, end: result.start }), emptyText]
  return join([...rest, ...cut(chunks, { start: result.end, end: length })], length - size + emptyText.length)
}

/** Reads a body; returns the chunks of it that the client receives. */
const read = async (reading: Reading): Promise<Array<Uint8Array>> => {
  const { hold, maxBytes, reader, signal, step, turn } = reading
  const chunks: Array<Uint8Array> = []
  const finder = MemberFinder.make(["result", "error"])
  const scan = async (chunk: Uint8Array) => {
    await hold.add(chunk.length, signal)
    for (let from = 0; from < chunk.length; from += stepBytes) {
      await step(() => MemberFinder.push(finder, chunk.subarray(from, from + stepBytes)))
    }
  }
  let length = 0
  let isLarge = false
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    if (value === undefined) continue
    chunks.push(value)
    length += value.length
    if (length > maxBytes) throw new BodyTooLarge(maxBytes)
    if (length <= largeBytes) continue
    for (const chunk of isLarge ? [value] : chunks) await scan(chunk)
    isLarge = true
  }
  if (!isLarge) {
    await turn()
    return chunks
  }
  const found = MemberFinder.end(finder)
  const rest = found && (await takeResult(chunks, length, found, reading))
  return rest === undefined ? [...cut(chunks, { start: 0, end: rejectedBytes })] : [rest]
}

/** Makes steps for a program without turns of its own: several in a row, then a turn of the event loop. */
const ownTurns = (): Sharing["inTurn"] => {
  let steps = 0
  return (step, onError) => {
    const run = () => {
      try {
        step()
      } catch (error) {
        onError(error)
      }
    }
    if (++steps % stepsInTurn === 0) setTimeout(run)
    else run()
  }
}

const uncounted: Hold = { add: async () => undefined, release: () => undefined }

const takeUp =
  ({ hold = () => uncounted, inTurn: sharedTurns }: Partial<Sharing>): BytesReading["takeUp"] =>
  (maxBytes, keep) =>
  async (response, signal) => {
    const inTurn = sharedTurns ?? ownTurns()
    const step = (work: () => void): Promise<void> =>
      new Promise((resolve, reject) => {
        inTurn(() => {
          signal.throwIfAborted()
          work()
          resolve()
        }, reject)
      })
    const turn = async () => sharedTurns && (await step(() => undefined))
    // One turn of the event loop may receive hundreds of responses, and would process all of them.
    await turn()
    const { body } = response
    if (body === null || body === undefined) return response
    const getReader = () => {
      const reader = body.getReader()
      let chunks: Array<Uint8Array> | undefined
      const readAll = async () => {
        const held = hold()
        try {
          return await read({ reader, maxBytes, signal, keep, hold: held, step, turn })
        } finally {
          held.release()
        }
      }
      return {
        read: async () => {
          chunks ??= await readAll()
          const value = chunks.shift()
          return value === undefined ? { done: true } : { done: false, value }
        },
        cancel: async () => await reader.cancel(),
      }
    }
    return { status: response.status, type: response.type, headers: response.headers, body: { getReader } }
  }

/** Makes the reading of the responses to a call. */
export const make = (sharing: Partial<Sharing>): BytesReading => ({ takeUp: takeUp(sharing), inTurn: sharing.inTurn })
