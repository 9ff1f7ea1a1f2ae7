/**
 * A request as the handlers see it: an id, the path in segments, the raw query, and a body that is bounded while it is read.
 */
import { randomUUID } from "node:crypto"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** The body is larger than is accepted. */
export class BodyTooLarge extends Data.TaggedError("BodyTooLarge")<{ readonly maxBytes: number }> {}

/** The connection broke before the body was whole. */
export class BodyBroken extends Data.TaggedError("BodyBroken")<{}> {}

/** A request. */
export interface Request {
  /** Sent with the answer and written to the log. */
  readonly id: string
  /** In upper case. */
  readonly method: string
  /** The segments of the path, still percent-encoded. */
  readonly segments: ReadonlyArray<string>
  /** The query without its `?`, still percent-encoded. */
  readonly query: string
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  readonly text: (maxBytes: number) => Effect.Effect<string, BodyTooLarge | BodyBroken>
}

/** Reads a body as Node gives it: most arrive in one piece, and a stream of pieces costs more than all else about a small one. */
const readText = (request: HttpServerRequest, maxBytes: number): Effect.Effect<string, BodyTooLarge | BodyBroken> =>
  Effect.callback((resume) => {
    const message = NodeHttpServerRequest.toIncomingMessage(request)
    if (message.destroyed) return resume(Effect.fail(new BodyBroken()))
    const pieces: Array<Buffer> = []
    let size = 0
    const settle = (outcome: Effect.Effect<string, BodyTooLarge | BodyBroken>) => {
      leave()
      resume(outcome)
    }
    const take = (piece: Buffer) => {
      size += piece.length
      if (size > maxBytes) settle(Effect.fail(new BodyTooLarge({ maxBytes })))
      else pieces.push(piece)
    }
    const end = () => settle(Effect.succeed(Buffer.concat(pieces).toString("utf8")))
    const fail = () => settle(Effect.fail(new BodyBroken()))
    const leave = () => message.off("data", take).off("end", end).off("error", fail).off("close", fail)
    message.on("data", take).on("end", end).on("error", fail).on("close", fail)
    return Effect.sync(leave)
  })

/** Wraps a request of the platform. */
export const fromRequest = (request: HttpServerRequest): Request => {
  const at = request.url.indexOf("?")
  const path = at < 0 ? request.url : request.url.slice(0, at)
  return {
    id: randomUUID(),
    method: request.method,
    segments: path.split("/").slice(1),
    query: at < 0 ? "" : request.url.slice(at + 1),
    header: (name) => request.headers[name],
    text: (maxBytes) =>
      Number(request.headers["content-length"] ?? 0) > maxBytes
        ? Effect.fail(new BodyTooLarge({ maxBytes }))
        : readText(request, maxBytes),
  }
}

/** A segment of a path as text; `undefined` when its percent-encoding is broken. */
export const segmentText = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
