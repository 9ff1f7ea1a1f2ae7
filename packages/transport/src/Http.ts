/**
 * One HTTP request over `fetch`: returns the complete response as text, within a time and size limit, or a typed error. It never follows a
 * redirect, closes the socket when it fails or is interrupted, and puts no URL or key into its output. For retries, a deadline over several
 * requests and shared waits use `RequestExecutor`.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Tracer from "effect/Tracer"
import { platformFetch as defaultFetch } from "#platform"
import type { Attempt } from "./Attempt.ts"
import { InvalidOption, InvalidResponse, type Phase, TimeoutError, TransportError } from "./ClientError.ts"
import type * as Fetch from "./Fetch.ts"
import * as BodyReader from "./internal/BodyReader.ts"
import { relative, resolve } from "./internal/EndpointUrl.ts"
import { headersOf, methodOf, type Request } from "./internal/HttpRequest.ts"
import * as NetworkFault from "./internal/NetworkFault.ts"
import * as OptionCheck from "./internal/OptionCheck.ts"
import { shorten } from "./internal/Redaction.ts"
import * as RetryAfter from "./internal/RetryAfter.ts"

export type { Request } from "./internal/HttpRequest.ts"

/**
 * Default `fetch` of the clients: the modules `http` and `https` on Node, the global `fetch` elsewhere.
 *
 * **Details**
 *
 * - On Node the global `fetch` is used if the program replaced it or set undici's global dispatcher, or if Node uses a proxy
 *   (`NODE_USE_ENV_PROXY`).
 *
 * **Example** (Counting the requests of a client)
 *
 * ```ts
 * import type { Fetch } from "@daybook/transport/Fetch"
 * import { platformFetch } from "@daybook/transport/Http"
 *
 * let requests = 0
 * export const counting: Fetch = (url, init) => {
 *   requests++
 *   return platformFetch(url, init)
 * }
 * ```
 *
 * Source: decision 0057.
 */
export const platformFetch: Fetch.Fetch = defaultFetch

/**
 * A complete response with any status except a redirect.
 */
export interface Reply {
  readonly status: number
  /** Header names in lower case; repeated headers are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Body, decompressed and decoded from UTF-8. */
  readonly text: string
  /** Host and port of the server. */
  readonly host: string
  /** Request id assigned by the server, from `x-request-id` or `request-id`. */
  readonly requestId: string | undefined
  /** Wait requested by the headers. */
  readonly retryAfter: Duration.Duration | undefined
  /** All requests of the call so far, including this one as the last. */
  readonly attempts: ReadonlyArray<Attempt>
  /** Removes the keys of the endpoint from a text. Apply it to all text received from the server before it enters an error. */
  readonly scrub: (text: string) => string
}

/**
 * Limits of one request.
 */
export interface Limits {
  readonly fetch: Fetch.Fetch
  /** Maximum number of bytes of the decompressed body. */
  readonly maxBytes: number
  /** Time until the last byte of the body. */
  readonly within: Duration.Duration
  /** Limit that a `TimeoutError` reports. Default `within`. */
  readonly deadline?: Duration.Duration | undefined
  /** Requests that the call made before this one. */
  readonly attempts?: ReadonlyArray<Attempt>
  /** Added to the attributes of the span. */
  readonly attributes?: Readonly<Record<string, unknown>>
  /** Called when the request enters its next phase. */
  readonly onPhase?: ((phase: Phase) => void) | undefined
  /** Takes up a response once its headers are received: waits for its turn in a shared program, and may replace it. */
  readonly takeUp?: ((response: Fetch.Response, signal: AbortSignal) => Promise<Fetch.Response>) | undefined
}

interface Progress {
  phase: Phase
  status: number | undefined
  headers: Record<string, string>
}

const headersOfResponse = (response: Fetch.Response): Record<string, string> => {
  const headers: Record<string, string> = {}
  response.headers.forEach((value, name) => {
    headers[name.toLowerCase()] = value
  })
  return headers
}

const isRedirect = (response: Fetch.Response): boolean =>
  response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400 && response.status !== 304)

/** A `fetch` of the program that does not return responses is a mistake of the program, which no other request repairs. */
const noResponse = (received: unknown): InvalidOption =>
  OptionCheck.invalid("fetch", "a function that resolves to a Response", received)

const fetchText = async (
  request: Request,
  limits: Limits,
  progress: Progress,
  signal: AbortSignal,
): Promise<string | BodyReader.BodyFault> => {
  const { endpoint, body } = request
  const init = { method: methodOf(request), headers: headersOf(request), redirect: "manual" as const, signal }
  const url = Redacted.value(resolve(endpoint, request))
  const received = await limits.fetch(url, body === undefined ? init : { ...init, body })
  if (!received) throw noResponse(received)
  progress.phase = "body"
  limits.onPhase?.("body")
  const response = limits.takeUp === undefined ? received : await limits.takeUp(received, signal)
  progress.status = response.status
  if (typeof progress.status !== "number") throw noResponse(received)
  progress.headers = headersOfResponse(response)
  if (isRedirect(response)) return { reason: "redirect" }
  if (request.onBody !== undefined && response.status < 300 && response.body != null) {
    request.onBody(response.body.getReader())
    return ""
  }
  return await BodyReader.read(response, progress.headers, limits.maxBytes, response.status < 300)
}

const timedOut = Symbol("timed out")

/** Sends the request and reads the response within the time limit. One timer is enough; a race would need two more fibers. */
const fetchWithin = (request: Request, limits: Limits, progress: Progress) =>
  Effect.withFiber((fiber) =>
    Effect.callback<string | BodyReader.BodyFault | typeof timedOut, { readonly error: unknown }>((resume) => {
      const controller = new AbortController()
      const timer = Effect.runForkWith(fiber.context)(Effect.sleep(limits.within))
      const stop = () => {
        controller.abort()
        timer.interruptUnsafe()
      }
      timer.addObserver((exit) => {
        if (Exit.isFailure(exit)) return
        controller.abort()
        resume(Effect.succeed(timedOut))
      })
      fetchText(request, limits, progress, controller.signal).then(
        (outcome) => {
          timer.interruptUnsafe()
          if (typeof outcome !== "string") controller.abort()
          resume(Effect.succeed(outcome))
        },
        (error: unknown) => {
          stop()
          resume(error instanceof InvalidOption ? Effect.die(error) : Effect.fail({ error }))
        },
      )
      return Effect.sync(stop)
    }),
  )

interface Facts {
  readonly host: string
  readonly requestId: string | undefined
  readonly attempts: ReadonlyArray<Attempt>
  readonly scrub: (text: string) => string
}

/** Describes a redirect by its host. Keys are removed before the URL is parsed, because parsing changes the case of the host. */
const describeRedirect = ({ headers, status }: Progress, scrub: (text: string) => string): string => {
  const target = scrub(headers["location"] ?? "")
  const host = URL.canParse(target) ? ` to ${scrub(new URL(target).host)}` : ""
  return `a redirect${status ? ` (status ${status})` : ""}${host}`
}

const bodyError = (
  { reason }: BodyReader.BodyFault,
  facts: Facts,
  progress: Progress,
  maxBytes: number,
): InvalidResponse => {
  const { status } = progress
  const invalid = (path: string, expected: string, received: string, advice?: string) =>
    new InvalidResponse({ ...facts, status, reason, path, expected, received, advice })
  switch (reason) {
    case "redirect":
      return invalid(
        "status",
        "a response without a redirect, which would send the key to another server",
        shorten(describeRedirect(progress, facts.scrub)),
      )
    case "too-large": {
      const advice = "Request less at once, or raise maxBytes."
      return invalid("body", `at most ${maxBytes} bytes`, `more than ${maxBytes} bytes`, advice)
    }
    case "encoding":
      return invalid("body", "text in UTF-8", "invalid UTF-8")
  }
}

/** Status of 400 or above, as text: it fails the span but not the request. */
type FailedStatus = string

const exchange = Effect.fnUntraced(function* (
  request: Request,
  limits: Limits,
  span: Tracer.Span,
  keep: (reply: Reply) => void,
): Effect.fn.Return<void, TransportError | TimeoutError | InvalidResponse | FailedStatus> {
  const { host, scrub } = request.endpoint
  const progress: Progress = { phase: "headers", status: undefined, headers: {} }
  const clock = yield* Clock.Clock
  const startedAt = clock.currentTimeMillisUnsafe()
  const startedNanos = clock.monotonicTimeNanosUnsafe()

  const factsAfter = (outcome: string): Facts => {
    const id = progress.headers["x-request-id"] ?? progress.headers["request-id"]
    const duration = Duration.nanos(clock.monotonicTimeNanosUnsafe() - startedNanos)
    const at = new Date(startedAt)
    const attempt: Attempt = { host, at, outcome, duration, durationMillis: Duration.toMillis(duration) }
    const requestId = id === undefined ? undefined : shorten(scrub(id), 100)
    if (progress.status !== undefined) span.attribute("http.response.status_code", progress.status)
    return { host, scrub, requestId, attempts: [...(limits.attempts ?? []), attempt] }
  }

  const outcome = yield* fetchWithin(request, limits, progress).pipe(
    Effect.catch(({ error }) => {
      const fault = NetworkFault.fromError(error, progress.phase)
      const reason = shorten(scrub(fault.reason))
      const facts = factsAfter(`TransportError ${fault.phase}`)
      return Effect.fail(new TransportError({ ...facts, phase: fault.phase, reason }))
    }),
  )
  const { phase, status = 0, headers } = progress
  if (outcome === timedOut) {
    const facts = factsAfter(`TimeoutError ${phase}`)
    return yield* new TimeoutError({ ...facts, phase, deadline: limits.deadline ?? limits.within })
  }
  if (typeof outcome !== "string") {
    const { maxBytes = limits.maxBytes, reason } = outcome
    return yield* bodyError(outcome, factsAfter(`InvalidResponse ${reason}`), progress, maxBytes)
  }
  const retryAfter = RetryAfter.fromHeaders(headers, clock.currentTimeMillisUnsafe())
  keep({ ...factsAfter(String(status)), status, headers, text: outcome, retryAfter })
  if (status >= 400) return yield* Effect.fail(String(status))
})

/** Adds the trace context header to a request; a disabled span has no ids. Source: W3C Trace Context. */
const withTrace = (request: Request, { sampled, spanId, traceId }: Tracer.Span): Request => {
  if (spanId.length !== 16) return request
  const traceparent = `00-${traceId.padStart(32, "0")}-${spanId}-0${sampled ? 1 : 0}`
  return { ...request, headers: { ...request.headers, traceparent } }
}

/**
 * Sends one request and reads its complete response.
 *
 * **Details**
 *
 * - Any status but a redirect is a reply: the caller decides what it means.
 * - The span has the method as its name, and the attributes of the OpenTelemetry conventions for HTTP clients; a status of 400 or above
 *   fails it. It ends without a value, because a tracer that keeps exits would retain whole responses and print their contents.
 * - If a tracer is installed, the request carries a `traceparent` header. Without a tracer the header is omitted, because in a browser it
 *   needs the server's permission.
 *
 * **Errors**
 *
 * - `TransportError`: no connection, or a connection that broke.
 * - `TimeoutError`: the last byte of the body was not received in time.
 * - `InvalidResponse`: a redirect, too many bytes, or a successful response that is not UTF-8.
 *
 * **Example** (Sending one request)
 *
 * ```ts
 * import * as Endpoint from "@daybook/transport/Endpoint"
 * import * as Http from "@daybook/transport/Http"
 * import * as Duration from "effect/Duration"
 * import * as Effect from "effect/Effect"
 *
 * const fetch = async () => new Response("pong")
 * const endpoint = Endpoint.makeUnsafe({ url: "https://s.example" })
 * const limits = { fetch, maxBytes: 1_024, within: Duration.seconds(1) }
 * const reply = await Effect.runPromise(Http.send({ endpoint, path: "/ping" }, limits))
 * console.log(reply.status, reply.text) // 200 pong
 * ```
 */
export const send = (
  request: Request,
  limits: Limits,
): Effect.Effect<Reply, TransportError | TimeoutError | InvalidResponse> =>
  Effect.withFiber((fiber) => {
    let reply: Reply | undefined
    const { endpoint } = request
    const method = methodOf(request)
    const resends = limits.attempts?.length ?? 0
    const isTraced = fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer
    const traced = Effect.useSpan(
      method,
      {
        kind: "client",
        attributes: {
          ...endpoint.attributes,
          "http.request.method": method,
          ...limits.attributes,
        },
      },
      (span) => {
        if (resends > 0) span.attribute("http.request.resend_count", resends)
        if (isTraced) span.attribute("url.full", endpoint.shownUrl + endpoint.scrub(relative(request)))
        const sent = isTraced ? withTrace(request, span) : request
        return exchange(sent, limits, span, (kept) => (reply = kept)).pipe(
          Effect.catch((error) => {
            span.attribute("error.type", typeof error === "string" ? error : error._tag)
            return Effect.fail(error)
          }),
        )
      },
    )
    const replied = traced.pipe(Effect.catch((error) => (typeof error === "string" ? Effect.void : Effect.fail(error))))
    // Sound: a successful exchange has called `keep`.
    return Effect.map(replied, () => reply as Reply)
  })
