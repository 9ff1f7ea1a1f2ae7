/**
 * Reads the response to a request for each of its calls: parse, match by id, classify errors, decode values. Each call receives its own
 * value, its own error, or the information that the batch must be split.
 */
import type { Attempt } from "@daybook/transport/Attempt"
import { InvalidResponse, TimeoutError, TransportError } from "@daybook/transport/ClientError"
import type { Reply } from "@daybook/transport/Http"
import * as Result from "effect/Result"
import type { CallOptions, CommonOptions } from "../../Options.ts"
import type { CallError } from "../../RpcError.ts"
import { batchEffectOf } from "../error/Providers.ts"
import type { BytesReading, BytesResult } from "./BytesReading.ts"
import { type BatchRejection, batchRejectionOf, classify, classifyText } from "./classify.ts"
import type { Decode } from "./decode.ts"
import { matchBatch, matchSingle, type RequestItem, type ResponseItem } from "./match.ts"
import { type Body, memberText, parse } from "./parse.ts"

/** Limits and previous attempts of a call. */
export interface CallContext<A> {
  readonly attempts: ReadonlyArray<Attempt>
  /** Maximum number of bytes of one response. */
  readonly maxBytes: number
  /** Maximum number of bytes of the call's own part of a response. */
  readonly maxItemBytes: number
  /** Maximum number of calls in one request, including this one. */
  readonly maxBatchSize: number
  /** Limit that a `TimeoutError` reports. */
  readonly deadline: TimeoutError["deadline"]
  readonly decode: Decode<A>
  /** Headers of the call; undefined for none. All calls of a request have the same headers. */
  readonly headers?: CallOptions["headers"]
  /** How to read the response if its result is requested as bytes; such a call is sent alone. */
  readonly reading?: BytesReading | undefined
}

/**
 * Outcome of one attempt.
 *
 * - `Failure`: `jitter` is a random number shared by all calls of the request, so that retried calls wait equally long and are batched
 *   again. `maxBatchSize` limits the next request of the call. `mustSplit` retries the call for that reason alone, regardless of the error.
 * - `Repeat`: the call is sent again at once, which does not count as another attempt. Either the server did not accept the batch or the
 *   call in a batch, or the endpoint requested a pause, or the request of an identical call ended before the deadline of this one.
 */
export type Outcome<A> =
  | { readonly _tag: "Success"; readonly value: A; readonly raw: unknown; readonly reply: Reply }
  | {
      readonly _tag: "Failure"
      readonly error: CallError
      readonly jitter: number
      readonly maxBatchSize: number
      readonly mustSplit: boolean
    }
  | { readonly _tag: "Repeat"; readonly maxBatchSize: number; readonly attempts: ReadonlyArray<Attempt> }

/** A response, parsed and matched once for all calls of its request. */
export interface Received {
  readonly reply: Reply
  readonly body: Body
  readonly calls: number
  /** Items by call id; empty if the body is not JSON. */
  readonly items: ReadonlyMap<number, ResponseItem>
  readonly rejection: BatchRejection | undefined
  /** The result as bytes, if it is large. */
  readonly bytes?: BytesResult | undefined
}

const rejectionOf = (reply: Reply, { value }: Body, call: RequestItem, item: ResponseItem, calls: number) => {
  if (Array.isArray(value) || item._tag === "Value") return undefined
  return batchRejectionOf(value === undefined ? classifyText(reply) : classify(item, reply, call.method), calls)
}

/** Applies the caller's limit to the result of an item. */
const limited = (
  item: ResponseItem,
  { method }: RequestItem,
  limitResult: CommonOptions["limitResult"],
): ResponseItem => {
  if (limitResult === undefined || item._tag !== "Value") return item
  const found = limitResult(item.value, method)
  if (found._tag === "Result") return { ...item, value: found.result }
  return { _tag: "Error", error: { code: found.code, message: found.message } }
}

/** Parses a response and matches it to the calls of its request. */
export const receive = (
  reply: Reply,
  calls: ReadonlyArray<RequestItem>,
  bytes?: BytesResult,
  limitResult?: CommonOptions["limitResult"],
): Received => {
  const body = parse(reply.text)
  const [first, second] = calls
  const items = new Map<number, ResponseItem>()
  if (first !== undefined && second === undefined) {
    if (body.value !== undefined) items.set(first.id, limited(matchSingle(body.value, first), first, limitResult))
    return { reply, body, calls: 1, items, rejection: undefined, bytes }
  }
  const matched = matchBatch(body.value, calls)
  // Sound: each call has an item.
  if (body.value !== undefined) {
    for (const [at, call] of calls.entries()) items.set(call.id, limited(matched[at]!, call, limitResult))
  }
  const [item] = matched
  const rejection =
    first === undefined || item === undefined ? undefined : rejectionOf(reply, body, first, item, calls.length)
  return { reply, body, calls: calls.length, items, rejection }
}

const quarter = (calls: number): number => Math.max(1, calls >> 2)

const replyFor = (reply: Reply, { attempts }: CallContext<unknown>): Reply =>
  attempts.length === 0 ? reply : { ...reply, attempts: [...attempts, ...reply.attempts] }

const tooLarge = (path: string, reply: Reply, maxBytes: number): InvalidResponse =>
  new InvalidResponse({
    ...reply,
    reason: "too-large",
    path,
    received: `more than ${maxBytes} bytes`,
    expected: `at most ${maxBytes} bytes; request less at once, or allow more`,
  })

const failure = (error: CallError, jitter: number, maxBatchSize: number, mustSplit = false): Outcome<never> => ({
  _tag: "Failure",
  error,
  jitter,
  maxBatchSize,
  mustSplit,
})

/**
 * The part of a response that belongs to a call, if it exceeds the limit of a call. Its length in characters never exceeds its length in
 * bytes, and nearly always equals it.
 */
const excess = ({ body, calls }: Received, id: number, limit: number): string | undefined => {
  if (body.text.length <= limit) return undefined
  if (calls === 1) return "body"
  return body.itemText(id).length > limit ? `reply ${id}` : undefined
}

const resultText = ({ body, calls }: Received, id: number, isBare: boolean): string => {
  if (isBare) return body.text.trim()
  const envelope = calls === 1 ? body.text : body.itemText(id)
  return memberText(envelope, "result") ?? "null"
}

/** Outcome of one call of a request that received a response. `item` is the entry of `received` for the call. */
export const outcomeOf = <A>(
  received: Received,
  call: RequestItem,
  item: ResponseItem | undefined,
  context: CallContext<A>,
  jitter: number,
): Outcome<A> => {
  const { calls, rejection } = received
  const { decode, maxBatchSize, maxBytes, maxItemBytes } = context
  if (rejection !== undefined) {
    return { _tag: "Repeat", maxBatchSize: rejection.maxBatchSize, attempts: received.reply.attempts }
  }
  const reply = replyFor(received.reply, context)
  const limit = calls === 1 ? maxItemBytes : Math.min(maxItemBytes, maxBytes)
  const path = item === undefined && calls > 1 ? undefined : excess(received, call.id, limit)
  if (path !== undefined) return failure(tooLarge(path, reply, limit), jitter, maxBatchSize)
  if (item === undefined) {
    return failure(classifyText(reply), jitter, calls === 1 ? maxBatchSize : Math.min(maxBatchSize, quarter(calls)))
  }
  if (item._tag !== "Value") {
    const error = classify(item, reply, call.method)
    // The server accepts the call alone, and other calls in a batch. A revert may have any message.
    const isOfBatch = error._tag === "RpcError" && error.kind === "tooLarge" && batchEffectOf(error) === "one"
    if (calls > 1 && isOfBatch) return { _tag: "Repeat", maxBatchSize: 1, attempts: received.reply.attempts }
    return failure(error, jitter, maxBatchSize)
  }
  const { isBare, value } = item
  const { bytes } = received
  const decoded = decode({ value, reply, isBare, bytes, text: () => resultText(received, call.id, isBare) })
  return Result.isSuccess(decoded)
    ? { _tag: "Success", value: decoded.success, raw: value, reply }
    : failure(decoded.failure, jitter, maxBatchSize)
}

/** A request that received no response. */
export type Fault = TransportError | TimeoutError | InvalidResponse

/** The fault of a request as an error of one call, with all attempts of the call. */
const faultFor = (fault: Fault, { attempts: before, deadline }: CallContext<unknown>): Fault => {
  if (before.length === 0 && fault._tag !== "TimeoutError") return fault
  const attempts = [...before, ...fault.attempts]
  switch (fault._tag) {
    case "TransportError":
      return new TransportError({ ...fault, attempts })
    case "TimeoutError":
      return new TimeoutError({ ...fault, attempts, deadline })
    case "InvalidResponse":
      return new InvalidResponse({ ...fault, attempts })
  }
}

/** Outcome of one call of a request that received no response. */
export const outcomeOfFault = (
  fault: Fault,
  context: CallContext<unknown>,
  calls: number,
  jitter: number,
): Outcome<never> => {
  const isSize = fault._tag === "InvalidResponse" && (fault.reason === "too-large" || fault.reason === "encoding")
  const mustSplit = calls > 1 && isSize
  const { maxBatchSize } = context
  const next = mustSplit ? Math.min(maxBatchSize, quarter(calls)) : maxBatchSize
  return failure(faultFor(fault, context), jitter, next, mustSplit)
}
