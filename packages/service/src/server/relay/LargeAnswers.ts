/**
 * Large answers of nodes, read without parsing them: they are scanned in slices between the turns of the event loop, and the client of
 * the nodes receives a token in place of the result, and a short text in place of all else that is large. A few are read at the same time.
 *
 * Source: decision 0039.
 */
import { isUtf8 } from "node:buffer"
import { randomUUID } from "node:crypto"
import type { Fetch, Response } from "@daybook/transport/Fetch"
import type { Turns } from "../admission/Turns.ts"
import * as JsonScan from "./JsonScan.ts"
import * as RelayError from "./RelayError.ts"

/** The result of a large answer. */
export interface LargeAnswer {
  /** JSON text, unchanged. */
  readonly result: Uint8Array
  /** Levels of arrays and objects in the answer. */
  readonly depth: number
}

/** Reads the answers of nodes. */
export interface LargeAnswers {
  /** A `fetch` that reads large answers so. */
  readonly reading: (fetch: Fetch) => Fetch
  /** The large answer whose token a text is, unless it was forgotten; undefined for any other text. */
  readonly find: (text: string) => LargeAnswer | "forgotten" | undefined
}

/** What reading depends on. */
export interface Options {
  /** Bytes of an answer at most. */
  readonly maxBytes: number
  readonly turns: Turns
}

/** A smaller answer is parsed as a whole, and so is what is left of a larger one without its result. */
const largeBytes = 256 * 1024

/** Answers above `waitingBytes` that are read at the same time. */
const maxReading = 4

/** An answer waits for its turn to be read when so much of it was received. */
const waitingBytes = 1024 * 1024

/** What the client receives of an answer that it cannot use. */
const rejectedBytes = 64 * 1024

/** Time for which an answer is kept for calls that share its request. */
const keptMillis = 1_000

type Reader = ReturnType<NonNullable<NonNullable<Response["body"]>>["getReader"]>

/** Lets a number of holders in; the others wait. */
const makeSlots = (count: number) => {
  const waiting = new Set<() => void>()
  let free = count
  return {
    acquire: async (signal: AbortSignal): Promise<void> => {
      if (free > 0) {
        free--
        return
      }
      await new Promise<void>((resolve, reject) => {
        const enter = () => {
          signal.removeEventListener("abort", abort)
          resolve()
        }
        const abort = () => {
          waiting.delete(enter)
          reject(signal.reason as Error)
        }
        waiting.add(enter)
        signal.addEventListener("abort", abort, { once: true })
      })
    },
    release: () => {
      const [next] = waiting
      if (next === undefined) free++
      else {
        waiting.delete(next)
        next()
      }
    },
  }
}

const lengthOf = (response: Response): number => {
  let length = Infinity
  response.headers.forEach((value, name) => {
    if (name.toLowerCase() === "content-length") length = Number(value)
  })
  return length
}

/** Joins chunks, in steps. */
const join = function* (chunks: ReadonlyArray<Uint8Array>): Generator<undefined, Buffer> {
  const whole = Buffer.allocUnsafeSlow(chunks.reduce((length, chunk) => length + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
    yield undefined
  }
  return whole
}

/** Takes the steps of a computation, each in a turn that has time for it. */
const inTurns = async <A>(steps: Generator<undefined, A>, { enter }: Turns): Promise<A> => {
  for (;;) {
    const { done, value } = await new Promise<IteratorResult<undefined, A>>((resolve, reject) => {
      enter(() => resolve(steps.next()), reject)
    })
    if (done === true) return value
  }
}

/** The error in place of a large one. */
const largeError = JSON.stringify({
  code: RelayError.code.tooLarge,
  message: `Response too large: the node's error has more than ${largeBytes} bytes.`,
})

const replace = (whole: Buffer, { end, start }: JsonScan.Range, text: string): Buffer =>
  Buffer.concat([whole.subarray(0, start), Buffer.from(text), whole.subarray(end)])

/** Makes a reader of the answers of nodes. */
export const make = ({ maxBytes, turns }: Options): LargeAnswers => {
  const slots = makeSlots(maxReading)
  const kept = new Map<string, LargeAnswer>()
  /** Begins each token; no node can guess it. */
  const ownName = randomUUID()
  let lastToken = 0

  const keep = (answer: LargeAnswer): string => {
    const token = `"${ownName}.${++lastToken}"`
    kept.set(token, answer)
    setTimeout(() => kept.delete(token), keptMillis).unref()
    return token
  }

  /** The answer with a token in place of its result, or another error in place of its own; undefined where it has neither. */
  const replaced = (whole: Buffer, { depth, values }: JsonScan.Members<"result" | "error">): Buffer | undefined => {
    const { error, result } = values
    if (result === undefined) return error && replace(whole, error, largeError)
    return replace(whole, result, keep({ result: whole.subarray(result.start, result.end), depth: depth - 1 }))
  }

  /** What the client receives of a large answer: as much as it can parse in a short time. */
  const substitute = async (chunks: ReadonlyArray<Uint8Array>): Promise<Uint8Array> => {
    const whole = await inTurns(join(chunks), turns)
    const found = isUtf8(whole) ? await inTurns(JsonScan.findMembers(whole, ["result", "error"]), turns) : undefined
    const short = found && replaced(whole, found)
    return short !== undefined && short.length <= largeBytes ? short : whole.subarray(0, rejectedBytes)
  }

  /** Reads chunks until they are more than `limit` bytes; true at the end of the body. */
  const readUpTo = async (reader: Reader, chunks: Array<Uint8Array>, limit: number): Promise<boolean> => {
    let length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    while (length <= limit) {
      const { done, value } = await reader.read()
      if (done) return true
      if (value === undefined) continue
      chunks.push(value)
      length += value.length
    }
    return false
  }

  /** The chunks that the client receives: those of the body, or those of its substitute. */
  const received = async (reader: Reader, signal: AbortSignal): Promise<Array<Uint8Array>> => {
    const chunks: Array<Uint8Array> = []
    if (await readUpTo(reader, chunks, largeBytes)) return chunks
    const isWhole = await readUpTo(reader, chunks, Math.min(waitingBytes, maxBytes))
    if (isWhole) return [await substitute(chunks)]
    await slots.acquire(signal)
    try {
      // An answer above the limit is not read on: the client reports its size.
      if (!(await readUpTo(reader, chunks, maxBytes))) return chunks
      return [await substitute(chunks)]
    } finally {
      slots.release()
    }
  }

  const readerOf = (reader: Reader, signal: AbortSignal): Reader => {
    let chunks: Array<Uint8Array> | undefined
    return {
      read: async () => {
        chunks ??= await received(reader, signal)
        const value = chunks.shift()
        return value === undefined ? { done: true } : { done: false, value }
      },
      cancel: async () => await reader.cancel(),
    }
  }

  return {
    reading: (fetch) => async (url, init) => {
      const response = await fetch(url, init)
      const { body } = response
      if (body === null || body === undefined || lengthOf(response) <= largeBytes) return response
      const { headers, status, type } = response
      const getReader = () => readerOf(body.getReader(), init.signal)
      return { status, headers, body: { getReader }, ...(type === undefined ? {} : { type }) }
    },
    find: (text) => kept.get(text) ?? (text.startsWith(`"${ownName}.`) ? "forgotten" : undefined),
  }
}
