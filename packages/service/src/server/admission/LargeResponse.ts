/**
 * Responses that are written as a stream of chunks, each made once the client has read the previous one, and counted while in flight.
 *
 * Source: decision 0039.
 */
import { Readable } from "node:stream"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Bounds } from "./Bounds.ts"
import * as Closing from "../http/Closing.ts"
import * as InFlight from "./InFlight.ts"
import type * as Response from "../http/Response.ts"
import * as Turns from "./Turns.ts"

/** A smaller response is written at once: it nearly fits into the buffers of its connection. */
export const minBytes = 256 * 1024

const chunkCharacters = 64 * 1024

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800

/** Number of characters before a cut that are searched for a comma. A long value may contain none, but a name with a short value is shorter. */
const searched = 512

/** Where to cut a text before `limit`: after a nearby comma, otherwise within a long value, but never within a character. */
const cutBefore = (text: string, limit: number): number => {
  const comma = text.slice(limit - searched, limit).lastIndexOf(",")
  if (comma >= 0) return limit - searched + comma + 1
  const inside = limit - searched / 2
  return isHighSurrogate(text.charCodeAt(inside - 1)) ? inside - 1 : inside
}

/** Splits a text into parts of at most 64 Ki characters. */
export const cutText = function* (text: string, end = text.length): Generator<string> {
  for (let start = 0; start < end;) {
    const limit = start + chunkCharacters
    const stop = limit >= end ? end : cutBefore(text, limit)
    yield text.slice(start, stop)
    start = stop
  }
}

/** Joins texts into chunks of about 64 KiB. An empty text ends a chunk: what follows is made in a turn of its own. */
export const chunksOf = function* (texts: Iterable<string>): Generator<Uint8Array> {
  let chunk = ""
  for (const text of texts) {
    if (chunk !== "" && (text === "" || chunk.length + text.length > chunkCharacters)) {
      yield Buffer.from(chunk)
      chunk = ""
    }
    chunk += text
  }
  yield Buffer.from(chunk)
}

/** Splits bytes into chunks. */
export const cutBytes = function* (bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += chunkCharacters) {
    yield bytes.subarray(start, start + chunkCharacters)
  }
}

/** A JSON body. */
export interface Body {
  readonly chunks: Iterable<Uint8Array>
  /** Size in bytes, or an approximation. */
  readonly size: number
  readonly headers: Response.Headers
}

/** A stream that makes each chunk in a turn of the event loop that has time for it. */
const streamOf = (
  chunks: Iterable<Uint8Array>,
  { enter }: Turns.Turns,
  holder: string,
  kind: string | undefined,
): Readable => {
  const iterator = chunks[Symbol.iterator]()
  const stream = new Readable({
    highWaterMark: 1,
    read() {
      enter(
        () => {
          if (this.destroyed) return
          const { done, value } = iterator.next()
          this.push(done === true ? null : value)
        },
        (error) =>
          this.destroy(error instanceof Error ? error : new Error("A chunk could not be made", { cause: error })),
        holder,
        kind,
      )
    },
  })
  // The server hashes the response of a client that leaves: without this, it would hash everything connected to the stream.
  return Equal.byReferenceUnsafe(stream)
}

/** Sends a body to its client. Its bytes are counted for their holder until the connection has taken them or is closed. */
export const send = (
  { chunks, headers, size }: Body,
  holder: string,
  { responses, turns }: Pick<Bounds["Service"], "responses" | "turns">,
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const held = responses.count(InFlight.clientOf(request, holder), size)
    const response = NodeHttpServerRequest.toServerResponse(request)
    if (response.destroyed) held.release()
    else Closing.onClose(response, held.release)
    const stream = streamOf(chunks, turns, holder, yield* Turns.Kind)
    return HttpServerResponse.raw(stream, { status: 200, headers, contentType: "application/json" })
  })
