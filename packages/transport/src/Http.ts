/**
 * One HTTP request over `fetch`: the whole answer as text within a time and a size, or a typed error.
 * It never follows a redirect, closes the socket when it gives up or is interrupted, and lets no URL or key out.
 * For retry, deadline over several requests and pauses use `Exchange`.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import type * as Tracer from "effect/Tracer"
import { platformFetch as ofPlatform } from "#platform"
import type { Attempt } from "./Attempt.ts"
import { InvalidResponse, type Phase, TimeoutError, TransportError } from "./ClientError.ts"
import { type Endpoint, resolve, type Target } from "./Endpoint.ts"
import { shorten } from "./Redaction.ts"
import * as RetryAfter from "./RetryAfter.ts"
import { type BodyFault, readBody, type ReadableBody } from "./internal/body.ts"
import { faultOf } from "./internal/fault.ts"

/**
 * The part of `fetch` that is used; the global one, undici's and those of Deno, Bun and edge workers fit.
 */
export type Fetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body?: string
    readonly redirect: "manual"
    readonly signal: AbortSignal
  },
) => Promise<FetchResponse>

/**
 * The `fetch` of a client that is given none: undici's requests on Node, the global `fetch` elsewhere.
 *
 * **Details**
 * - On Node the global `fetch` is used all the same once a program has replaced it or set undici's global dispatcher, and when Node is
 *   told to use a proxy (`NODE_USE_ENV_PROXY`).
 *
 * Source: decision 0025.
 */
export const platformFetch: Fetch = ofPlatform

/**
 * The part of a `Response` that is used.
 */
export interface FetchResponse extends ReadableBody {
  readonly status: number
  readonly type?: string
  readonly headers: { readonly forEach: (visit: (value: string, name: string) => void) => void }
}

/**
 * What one request asks for.
 */
export interface Request extends Target {
  readonly endpoint: Endpoint
  /** Default `GET`, or `POST` with a body. */
  readonly method?: string
  /** Added to the endpoint's own headers, which win. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * A whole answer, whatever its status.
 */
export interface Reply {
  readonly status: number
  /** Names in lower case; doubled headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, decompressed and decoded from UTF-8. */
  readonly text: string
  /** Host and port that answered. */
  readonly host: string
  /** The server's id for the request, from `x-request-id` or `request-id`. */
  readonly requestId: string | undefined
  /** The wait the headers ask for. */
  readonly retryAfter: Duration.Duration | undefined
  /** All requests of the call so far; this one is the last. */
  readonly attempts: ReadonlyArray<Attempt>
  /** Removes the endpoint's keys from a text. Put every word of the server through it before it enters an error. */
  readonly scrub: (text: string) => string
}

/**
 * The limits of one request.
 */
export interface Limits {
  readonly fetch: Fetch
  /** Bytes of the decompressed body at most. */
  readonly maxBytes: number
  /** Time until the last byte of the body. */
  readonly within: Duration.Duration
  /** What a `TimeoutError` names as the time allowed. Default `within`. */
  readonly deadline?: Duration.Duration
  /** Requests the call has made before this one. */
  readonly attempts?: ReadonlyArray<Attempt>
  /** Added to the span's attributes. */
  readonly attributes?: Readonly<Record<string, unknown>>
  /** Told when the request goes on to its next phase. */
  readonly onPhase?: ((phase: Phase) => void) | undefined
}

interface Progress {
  phase: Phase
  status: number | undefined
  headers: Record<string, string>
}

const receivedHeaders = (response: FetchResponse): Record<string, string> => {
  const headers: Record<string, string> = {}
  response.headers.forEach((value, name) => {
    headers[name.toLowerCase()] = value
  })
  return headers
}

/** Two spellings of one name would be joined into one value. */
const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/**
 * The method a request is sent with.
 */
export const methodOf = (request: Request): string => request.method ?? (request.body === undefined ? "GET" : "POST")

/**
 * The headers a request is sent with, keys included: names in lower case, the endpoint's own on top.
 */
export const headersOf = (request: Request): Record<string, string> => ({
  ...lowerCase(request.headers ?? {}),
  ...Redacted.value(request.endpoint.headers),
})

const isRedirect = (response: FetchResponse): boolean =>
  response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400 && response.status !== 304)

const timedOut = Symbol("timed out")

/** Sends and reads, until the time is over. One timer is all that it takes; a race would take two fibers more. */
const perform = (request: Request, limits: Limits, progress: Progress) =>
  Effect.withFiber((fiber) =>
    Effect.callback<string | BodyFault | typeof timedOut, { readonly error: unknown }>((resume) => {
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
      const executor = async (): Promise<string | BodyFault> => {
        const { endpoint, body } = request
        const response = await limits.fetch(Redacted.value(resolve(endpoint, request)), {
          method: methodOf(request),
          headers: headersOf(request),
          ...(body === undefined ? {} : { body }),
          redirect: "manual",
          signal: controller.signal,
        })
        progress.phase = "body"
        limits.onPhase?.("body")
        progress.status = response.status
        progress.headers = receivedHeaders(response)
        if (isRedirect(response)) return { reason: "redirect" }
        return await readBody(response, progress.headers, limits.maxBytes, response.status < 300)
      }
      executor().then(
        (outcome) => {
          timer.interruptUnsafe()
          if (typeof outcome !== "string") controller.abort()
          resume(Effect.succeed(outcome))
        },
        (error: unknown) => {
          stop()
          resume(Effect.fail({ error }))
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

const redirectText = (progress: Progress): string => {
  const target = progress.headers["location"]
  const host = target !== undefined && URL.canParse(target) ? ` to ${new URL(target).host}` : ""
  return `a redirect${progress.status ? ` (status ${progress.status})` : ""}${host}`
}

const bodyError = (fault: BodyFault, facts: Facts, progress: Progress, maxBytes: number): InvalidResponse => {
  const { status } = progress
  switch (fault.reason) {
    case "redirect":
      return new InvalidResponse({
        ...facts,
        status,
        reason: "redirect",
        path: "status",
        received: shorten(facts.scrub(redirectText(progress))),
        expected: "an answer of its own; redirects are refused because they would carry the key elsewhere",
      })
    case "too-large":
      return new InvalidResponse({
        ...facts,
        status,
        reason: "too-large",
        path: "body",
        received: `more than ${maxBytes} bytes`,
        expected: "less; ask for less at once, or allow more bytes",
      })
    case "encoding":
      return new InvalidResponse({
        ...facts,
        status,
        reason: "encoding",
        path: "body",
        received: "not valid UTF-8",
        expected: "text in UTF-8",
      })
  }
}

const executor = Effect.fnUntraced(function* (
  request: Request,
  limits: Limits,
  span: Tracer.Span,
  keep: (reply: Reply) => void,
): Effect.fn.Return<void, TransportError | TimeoutError | InvalidResponse> {
  const { endpoint } = request
  const { host, scrub } = endpoint
  const progress: Progress = { phase: "headers", status: undefined, headers: {} }
  const clock = yield* Clock.Clock
  const startedAt = clock.currentTimeMillisUnsafe()
  const startedNanos = clock.monotonicTimeNanosUnsafe()

  const factsAfter = (outcome: string): Facts => {
    const id = progress.headers["x-request-id"] ?? progress.headers["request-id"]
    const duration = Duration.nanos(clock.monotonicTimeNanosUnsafe() - startedNanos)
    const attempt: Attempt = { host, at: new Date(startedAt), outcome, duration }
    const requestId = id === undefined ? undefined : shorten(scrub(id), 100)
    return { host, scrub, requestId, attempts: [...(limits.attempts ?? []), attempt] }
  }

  const outcome = yield* perform(request, limits, progress).pipe(
    Effect.catch(({ error }) => {
      const fault = faultOf(error, progress.phase)
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
  span.attribute("http.response.status_code", status)
  if (typeof outcome !== "string") {
    return yield* bodyError(outcome, factsAfter(`InvalidResponse ${outcome.reason}`), progress, limits.maxBytes)
  }
  const retryAfter = RetryAfter.fromHeaders(headers, clock.currentTimeMillisUnsafe())
  keep({ ...factsAfter(String(status)), status, headers, text: outcome, retryAfter })
})

/**
 * Sends one request and reads its whole answer.
 *
 * **Details**
 * - Any status but a redirect is a reply: what it means is the caller's knowledge.
 * - The span `daybook.http` has host, method, attempt and status. It ends without a value: a tracer that keeps exits
 *   would keep whole answers alive and print what they hold.
 *
 * **Errors**
 * - `TransportError`: no connection, or one that broke.
 * - `TimeoutError`: the last byte of the body did not come in time.
 * - `InvalidResponse`: a redirect, too many bytes, or a successful answer that is not UTF-8.
 */
export const send = (
  request: Request,
  limits: Limits,
): Effect.Effect<Reply, TransportError | TimeoutError | InvalidResponse> =>
  Effect.suspend(() => {
    let reply: Reply | undefined
    const traced = Effect.useSpan(
      "daybook.http",
      {
        kind: "client",
        attributes: {
          "server.address": request.endpoint.host,
          "http.request.method": methodOf(request),
          "daybook.attempt": (limits.attempts?.length ?? 0) + 1,
          ...limits.attributes,
        },
      },
      (span) => executor(request, limits, span, (kept) => (reply = kept)),
    )
    // Sound: an exchange that succeeds has kept its reply.
    return Effect.map(traced, () => reply as Reply)
  })
