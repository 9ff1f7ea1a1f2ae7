/**
 * Parts of a request that several handlers need: its id, a URL in the form that the router matches, and a body that is bounded while
 * it is read.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** The id of the current request, sent as `x-request-id` and written to the log. */
export const RequestId = Context.Reference<string>("@daybook/service/server/RequestId", { defaultValue: () => "" })

/** The body is larger than the limit. */
export class BodyTooLarge extends Data.TaggedError("BodyTooLarge")<{ readonly maxBytes: number }> {}

/** The connection was closed before the body was complete. */
export class BodyIncomplete extends Data.TaggedError("BodyIncomplete")<{}> {}

const encodeSegment = (segment: string): string => {
  try {
    return encodeURIComponent(decodeURIComponent(segment))
  } catch {
    return encodeURIComponent(segment)
  }
}

/**
 * The URL of a request in the form that the router matches and reads.
 *
 * **Details**
 * A segment whose percent-encoding is invalid is text; `;` and `#` are characters of a segment. A list of one parameter
 * (`include[]=x`), as some clients write it, is that parameter.
 */
export const normalizeUrl = (url: string): string => {
  const at = url.indexOf("?")
  const path = at < 0 ? url : url.slice(0, at)
  const query = at < 0 ? "" : url.slice(at)
  const normalPath = /[%;#]/.test(path) ? path.split("/").map(encodeSegment).join("/") : path
  return `${normalPath}${query.includes("include") ? query.replaceAll(/([?&]include)(?:\[\]|%5B%5D)(?=[=&]|$)/gi, "$1") : query}`
}

/** True where the path of a URL holds an empty segment before its end. */
export const hasEmptySegment = (url: string): boolean => {
  const at = url.indexOf("//")
  if (at < 0) return false
  const query = url.indexOf("?")
  return query < 0 || at < query
}

/** Reads a body as Node delivers it: most arrive in one chunk, for which a stream costs more than the rest of a small request. */
const collect = (request: HttpServerRequest, maxBytes: number): Effect.Effect<string, BodyTooLarge | BodyIncomplete> =>
  Effect.callback((resume) => {
    const message = NodeHttpServerRequest.toIncomingMessage(request)
    if (message.destroyed) return resume(Effect.fail(new BodyIncomplete()))
    const chunks: Array<Buffer> = []
    let size = 0
    const settle = (outcome: Effect.Effect<string, BodyTooLarge | BodyIncomplete>) => {
      removeListeners()
      resume(outcome)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) settle(Effect.fail(new BodyTooLarge({ maxBytes })))
      else chunks.push(chunk)
    }
    const onEnd = () => settle(Effect.succeed(Buffer.concat(chunks).toString("utf8")))
    const onFailure = () => settle(Effect.fail(new BodyIncomplete()))
    const removeListeners = () =>
      message.off("data", onData).off("end", onEnd).off("error", onFailure).off("close", onFailure)
    message.on("data", onData).on("end", onEnd).on("error", onFailure).on("close", onFailure)
    return Effect.sync(removeListeners)
  })

/**
 * The body of a request as text.
 *
 * **Errors**
 * - `BodyTooLarge`: the body exceeds `maxBytes`; the rest is not read.
 * - `BodyIncomplete`: the connection was closed before the body was complete.
 */
export const readText = (
  request: HttpServerRequest,
  maxBytes: number,
): Effect.Effect<string, BodyTooLarge | BodyIncomplete> =>
  Number(request.headers["content-length"] ?? 0) > maxBytes
    ? Effect.fail(new BodyTooLarge({ maxBytes }))
    : collect(request, maxBytes)
