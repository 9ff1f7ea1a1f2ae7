/** Reads the answer to a request for each of its calls: a value, an error of that call alone, or that the batch was too much at once. */
import type { Attempt } from "@daybook/transport/Attempt"
import { InvalidResponse, TimeoutError, TransportError } from "@daybook/transport/ClientError"
import type { Reply } from "@daybook/transport/Http"
import type { CallError } from "../RpcError.ts"
import { readBare } from "./bare.ts"
import { failureOf, failureOfText } from "./failure.ts"
import { itemText, memberText } from "./resultText.ts"
import { readBatch, readSingle, type ResponseItem, type RequestItem } from "./wire.ts"

/** A result as JSON, and the HTTP answer it came in. */
export interface Answer {
  readonly value: unknown
  readonly reply: Reply
  /** True when the body is the result itself. */
  readonly isBare: boolean
  /** The text of the result as the node wrote it. */
  readonly text: () => string
}

/**
 * What an attempt came to.
 *
 * - `Failure`: `draw` is a random number that all calls of the request share, so that those tried again wait equally long and meet again;
 *   `together` is how many calls may share the next request; `mustSplit`: tried again for that alone, whatever the error says.
 * - `Refused`: the batch was too large for the server; no call of it was tried.
 * - `Paused`: the endpoint asked for a pause before the request went out.
 */
export type Outcome =
  | { readonly _tag: "Answer"; readonly answer: Answer }
  | {
      readonly _tag: "Failure"
      readonly error: CallError
      readonly jitter: number
      readonly maxBatchSize: number
      readonly mustSplit: boolean
    }
  | { readonly _tag: "Refused"; readonly maxBatchSize: number; readonly attempts: ReadonlyArray<Attempt> }
  | { readonly _tag: "Paused" }

/** What a call knows that the request does not. */
export interface CallContext {
  readonly attempts: ReadonlyArray<Attempt>
  readonly maxBytes: number
  readonly maxItemBytes: number
  readonly maxBatchSize: number
  readonly deadline: TimeoutError["deadline"]
}

type Fault = TransportError | TimeoutError | InvalidResponse

/** The fault of a request as the fault of one call of it, with all that the call has tried. */
const faultOf = (fault: Fault, asked: CallContext): Fault => {
  if (asked.attempts.length === 0 && fault._tag !== "TimeoutError") return fault
  const { host, requestId } = fault
  const facts = { host, requestId, attempts: [...asked.attempts, ...fault.attempts] }
  switch (fault._tag) {
    case "TransportError":
      return new TransportError({ ...facts, phase: fault.phase, reason: fault.reason })
    case "TimeoutError":
      return new TimeoutError({ ...facts, phase: fault.phase, deadline: asked.deadline })
    case "InvalidResponse": {
      const { reason, path, received, expected, status, isRetryable, retryAfter } = fault
      return new InvalidResponse({ ...facts, reason, path, received, expected, status, isRetryable, retryAfter })
    }
  }
}

const quarter = (calls: number): number => Math.max(1, calls >> 2)

/** What a request without an answer means for a call of it. */
export const readFault = (fault: Fault, asked: CallContext, calls: number, jitter: number): Outcome => {
  const mustSplit =
    calls > 1 && fault._tag === "InvalidResponse" && (fault.reason === "too-large" || fault.reason === "encoding")
  const maxBatchSize = mustSplit ? Math.min(asked.maxBatchSize, quarter(calls)) : asked.maxBatchSize
  return { _tag: "Failure", error: faultOf(fault, asked), jitter, maxBatchSize, mustSplit }
}

const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const replyFor = (reply: Reply, asked: CallContext): Reply =>
  asked.attempts.length === 0 ? reply : { ...reply, attempts: [...asked.attempts, ...reply.attempts] }

/** Codes that say that the request as a whole is not understood: it may be the batch, or one call of it. */
const formal = new Set([-32600, -32602, -32700])

interface Refusal {
  readonly maxBatchSize: number
  /** What the endpoint takes at most from now on; undefined when that is not known. */
  readonly detectedLimit: number | undefined
}

/** The limit that the words of a refusal name, when it is one below what was sent. */
const named = (words: string, calls: number): number | undefined => {
  const numbers = (words.match(/\d[\d,]*/g) ?? []).map((digits) => Number(digits.replaceAll(",", "")))
  const fitting = numbers.filter((number) => number >= 1 && number < calls)
  return fitting.length === 0 ? undefined : Math.max(...fitting)
}

/** Tells whether one answer to a whole batch refuses it as a batch. */
const refusalOf = (error: CallError, calls: number): Refusal | undefined => {
  const status = "status" in error ? error.status : undefined
  const kind = error._tag === "RpcError" ? error.kind : undefined
  const { message } = error
  const isOfBatch = /\bbatch/i.test(message)
  if (isOfBatch && /disabled|not (?:supported|allowed|enabled)|unsupported/i.test(message) && kind !== undefined) {
    return { maxBatchSize: 1, detectedLimit: 1 }
  }
  if (status === 413 || kind === "tooLarge") {
    const half = named(isOfBatch ? message : "", calls) ?? Math.max(1, calls >> 1)
    return { maxBatchSize: half, detectedLimit: status === 413 || isOfBatch ? half : undefined }
  }
  return error._tag === "RpcError" && formal.has(error.code) ? { maxBatchSize: 1, detectedLimit: undefined } : undefined
}

/** What one answer says to the calls of its request. */
export interface Reading {
  readonly detectedLimit: number | undefined
  readonly outcomeOf: (call: RequestItem, asked: CallContext, jitter: number) => Outcome
}

const tooLong = (path: string, reply: Reply, maxBytes: number): InvalidResponse =>
  new InvalidResponse({
    ...reply,
    reason: "too-large",
    path,
    received: `more than ${maxBytes} bytes`,
    expected: "less; ask for less at once, or allow more bytes",
  })

const fail = (error: CallError, asked: CallContext, jitter: number, maxBatchSize = asked.maxBatchSize): Outcome => ({
  _tag: "Failure",
  error,
  jitter,
  maxBatchSize,
  mustSplit: false,
})

/** A length in characters is at most the length in bytes, and equal to it in all but a few answers. */
const isLonger = (text: string, maxBytes: number): boolean => text.length > maxBytes

const settle = (
  said: ResponseItem,
  reply: Reply,
  call: RequestItem,
  asked: CallContext,
  jitter: number,
  rest: Pick<Answer, "isBare" | "text">,
): Outcome =>
  said._tag === "Value"
    ? { _tag: "Answer", answer: { value: said.value, reply, ...rest } }
    : fail(failureOf(said, reply, call.method), asked, jitter)

const readOne = (reply: Reply): Reading => {
  const parsed = parse(reply.text)
  return {
    detectedLimit: undefined,
    outcomeOf: (call, asked, jitter) => {
      const own = replyFor(reply, asked)
      if (isLonger(reply.text, asked.maxItemBytes)) return fail(tooLong("body", own, asked.maxItemBytes), asked, jitter)
      if (parsed === undefined) return fail(failureOfText(own), asked, jitter)
      const bare = readBare(parsed.value, call)
      const text = () => (bare === undefined ? (memberText(reply.text, "result") ?? "null") : reply.text.trim())
      return settle(bare ?? readSingle(parsed.value, call.id), own, call, asked, jitter, {
        isBare: bare !== undefined,
        text,
      })
    },
  }
}

const readMany = (reply: Reply, calls: ReadonlyArray<RequestItem>): Reading => {
  const parsed = parse(reply.text)
  const said = parsed === undefined ? undefined : readBatch(parsed.value, calls)
  const isForAll = parsed !== undefined && !Array.isArray(parsed.value)
  const [first] = said ?? []
  const whole =
    said === undefined
      ? failureOfText(reply)
      : isForAll && first !== undefined && first._tag !== "Value"
        ? failureOf(first, reply, calls[0]?.method ?? "")
        : undefined
  const refusal = whole === undefined ? undefined : refusalOf(whole, calls.length)
  if (refusal !== undefined) {
    const { maxBatchSize, detectedLimit } = refusal
    return { detectedLimit, outcomeOf: () => ({ _tag: "Refused", maxBatchSize, attempts: reply.attempts }) }
  }
  const byId = new Map(calls.map((call, at) => [call.id, said?.[at]]))
  return {
    detectedLimit: undefined,
    outcomeOf: (call, asked, jitter) => {
      const own = replyFor(reply, asked)
      const one = byId.get(call.id)
      if (one === undefined)
        return fail(failureOfText(own), asked, jitter, Math.min(asked.maxBatchSize, quarter(calls.length)))
      const limit = Math.min(asked.maxItemBytes, asked.maxBytes)
      const text = () => itemText(reply.text, call.id) ?? ""
      if (isLonger(reply.text, limit) && isLonger(text(), limit)) {
        return fail(tooLong(`reply ${call.id}`, own, limit), asked, jitter)
      }
      return settle(one, own, call, asked, jitter, {
        isBare: false,
        text: () => memberText(text(), "result") ?? "null",
      })
    },
  }
}

/** Reads an answer. */
export const readReply = (reply: Reply, calls: ReadonlyArray<RequestItem>): Reading =>
  calls.length === 1 ? readOne(reply) : readMany(reply, calls)
