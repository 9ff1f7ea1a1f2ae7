/**
 * Writes the responses to relayed calls. The results of a batch share one size limit, and large responses are streamed.
 *
 * Source: docs/interface.md#2.7; decisions 0016 and 0039.
 */
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as BodyCoding from "../http/BodyCoding.ts"
import type { Bounds } from "../admission/Bounds.ts"
import * as InFlight from "../admission/InFlight.ts"
import * as LargeResponse from "../admission/LargeResponse.ts"
import * as Response from "../http/Response.ts"
import * as JsonRpcEnvelope from "./JsonRpcEnvelope.ts"
import type * as RelayCall from "./RelayCall.ts"
import * as RelayError from "./RelayError.ts"

/** Recipient of a response. */
export interface Receiver {
  /** Holder for which its bytes are counted. */
  readonly holder: string
  readonly headers: Response.Headers
  readonly bounds: Bounds["Service"]
}

/** An outcome with the text of its call's id. */
export interface CallResponse {
  readonly id: string
  readonly outcome: RelayCall.Outcome
}

const textsOf = function* ({ id, outcome }: CallResponse): Generator<string | Uint8Array> {
  if (outcome._tag !== "Success") return yield JsonRpcEnvelope.failure(id, outcome.failure)
  yield JsonRpcEnvelope.successHead(id)
  yield outcome.result
  yield "}"
}

const chunksOf = function* (parts: Iterable<string | Uint8Array>): Generator<Uint8Array> {
  let small = ""
  for (const part of parts) {
    if (typeof part === "string" && part.length < LargeResponse.minBytes) {
      small += part
      continue
    }
    yield Buffer.from(small)
    small = ""
    yield* typeof part === "string" ? LargeResponse.chunksOf(LargeResponse.cutText(part)) : LargeResponse.cutBytes(part)
  }
  yield Buffer.from(small)
}

const batchParts = function* (responses: ReadonlyArray<CallResponse>): Generator<string | Uint8Array> {
  for (const [at, response] of responses.entries()) {
    yield at === 0 ? "[" : ","
    yield* textsOf(response)
  }
  yield "]"
}

const sizeOf = (responses: ReadonlyArray<CallResponse>): number =>
  responses.reduce((sum, { outcome }) => sum + (outcome._tag === "Success" ? outcome.result.length : 0), 0)

/** Sends a large response, unless its client has not read enough of the previous ones. */
const sendLarge = (
  parts: Iterable<string | Uint8Array>,
  size: number,
  { bounds, headers, holder }: Receiver,
): Written =>
  Effect.flatMap(HttpServerRequest, (request) => {
    const bound = bounds.responses.reached(InFlight.clientOf(request, holder))
    return bound === undefined
      ? LargeResponse.send({ chunks: chunksOf(parts), size, headers }, holder, bounds)
      : Effect.fail(RelayError.fromBound(bound))
  })

/** Sends a small response at once, with a fast content coding if the client accepts one. */
const sendSmall = (bytes: Uint8Array, { headers }: Receiver): Written =>
  Effect.map(HttpServerRequest, (request) => BodyCoding.respond(bytes, headers, request, BodyCoding.fast))

const send = (parts: () => Iterable<string | Uint8Array>, size: number, receiver: Receiver): Written =>
  size < LargeResponse.minBytes
    ? sendSmall(Buffer.concat([...chunksOf(parts())]), receiver)
    : sendLarge(parts(), size, receiver)

/** Response to one call, as bytes. */
export const singleBytes = (response: CallResponse): Uint8Array => Buffer.concat([...chunksOf(textsOf(response))])

/** Response to a batch, as bytes. */
export const batchBytes = (responses: ReadonlyArray<CallResponse>): Uint8Array =>
  Buffer.concat([...chunksOf(batchParts(responses))])

type Written = Effect.Effect<HttpServerResponse, RelayError.RelayError, HttpServerRequest>

/** Response to one call; `id` is undefined for a notification. */
export const single = (id: string | undefined, outcome: RelayCall.Outcome, receiver: Receiver): Written => {
  const { headers } = receiver
  if (id === undefined) return Effect.succeed(Response.empty(headers))
  switch (outcome._tag) {
    case "Success": {
      const { length } = outcome.result
      return length < LargeResponse.minBytes
        ? sendSmall(JsonRpcEnvelope.successBytes(id, outcome.result), receiver)
        : send(() => textsOf({ id, outcome }), length, receiver)
    }
    case "Failure":
      return Effect.succeed(Response.json(JsonRpcEnvelope.failure(id, outcome.failure), { headers }))
    case "Unavailable":
      return Effect.fail(
        RelayError.make({
          ...outcome.failure,
          reason: "unavailable",
          id,
          headers: { ...headers, "retry-after": String(outcome.retryAfterSeconds) },
        }),
      )
  }
}

/** Response to a batch; a batch of only notifications gets none. */
export const batch = (responses: ReadonlyArray<CallResponse>, receiver: Receiver): Written =>
  responses.length === 0
    ? Effect.succeed(Response.empty(receiver.headers))
    : send(() => batchParts(responses), sizeOf(responses), receiver)

/**
 * Passes results until their total is too large. A call beyond the limit gets an error, while a smaller result still passes. Passed bytes
 * are counted.
 */
export const bounded = (maxBytes: number, { force }: Pick<InFlight.Hold, "force">) => {
  let left = maxBytes
  const failure = {
    code: RelayError.code.tooLarge,
    message: `Response too large: the results of the batch exceed limits.batchBytes (${maxBytes} bytes). Send the call alone.`,
  }
  return (outcome: RelayCall.Outcome): RelayCall.Outcome => {
    const bytes = outcome._tag === "Success" ? outcome.result.length : 0
    if (bytes > left) return { _tag: "Failure", failure }
    left -= bytes
    force(bytes)
    return outcome
  }
}
