/**
 * What is learned of a request while it is answered, for its line in the log and the trace that it belongs to.
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

/** What is known of a request so far. */
export interface RequestFacts {
  /** Name of its API key, never the key; empty for a request that needs none. */
  key?: string
  /** Name of its chain. */
  chain?: string
  /** The pattern of the path of its route; left out where none matches. */
  route?: string
  /** Where it stands in a trace. */
  span?: SpanIds
  /** The span of the caller, by the header `traceparent`. */
  readonly parent?: Tracer.ExternalSpan
  /** Ends once the server stops: a response without an end of its own ends then. */
  readonly stopping?: Effect.Effect<void>
}

/** The facts of the current request. */
export const RequestFacts = Context.Reference<RequestFacts>("@daybook/service/server/RequestFacts", {
  defaultValue: () => ({}),
})

const spanIdBytes = 8

/** The facts of a request that begins. A trace of the caller goes on, also where this process records none. */
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

/** The id that a client gives its request; `undefined` where it gives none that a log line and a header can have. */
export const requestIdIn = (headers: Headers.Headers): string | undefined => {
  const given = headers["x-request-id"]
  return given !== undefined && isRequestId(given) ? given : undefined
}
