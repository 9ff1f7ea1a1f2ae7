/**
 * Facts collected about a request while it is answered, for its log line and its trace.
 */
import { randomBytes } from "node:crypto"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"

/** The span of a request: its own, or one of the caller's trace. */
type SpanIds = Pick<Tracer.Span, "sampled" | "spanId" | "traceId">

/** What is known about a request so far. */
export interface RequestFacts {
  /** Name of its API key, never the key; empty for a request that needs none. */
  key?: string
  /** Name of its chain. */
  chain?: string
  /** Path pattern of its route; absent if none matches. */
  route?: string
  /** Its position in a trace. */
  span?: SpanIds
  /** Span of the caller, from the header `traceparent`. */
  readonly parent?: Tracer.ExternalSpan
  /** Completes when the server stops, which ends a response that has no end of its own. */
  readonly stopping?: Effect.Effect<void>
}

/** The facts of the current request. */
export const RequestFacts = Context.Reference<RequestFacts>("@daybook/service/server/RequestFacts", {
  defaultValue: () => ({}),
})

const spanIdBytes = 8

/** Facts of a new request. A trace of the caller is continued even if this process records none. */
export const make = (headers: Headers.Headers, stopping: Effect.Effect<void>): RequestFacts => {
  const parent = Option.getOrUndefined(HttpTraceContext.w3c(headers))
  if (parent === undefined) return { stopping }
  const { sampled, traceId } = parent
  return { stopping, parent, span: { traceId, sampled, spanId: randomBytes(spanIdBytes).toString("hex") } }
}

/** The header `traceparent` of the response, and of calls that belong to the request. Source: W3C Trace Context. */
export const traceparent = ({ sampled, spanId, traceId }: SpanIds): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

const isRequestId = (text: string): boolean => /^[\w.:=+-]{1,128}$/.test(text)

/** Request id chosen by the client; `undefined` if there is none that a log line and a header can carry. */
export const requestIdIn = (headers: Headers.Headers): string | undefined => {
  const given = headers["x-request-id"]
  return given !== undefined && isRequestId(given) ? given : undefined
}
