/**
 * Errors that both clients share, one class for each decision a caller can make.
 * They are yieldable Effect errors and real `Error`s. Recognise them by `_tag`, not by `instanceof`: two copies of a package define two
 * classes. No field, message or stack holds a key, or a URL that may hold one.
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import { type Facts, type Fields, fields } from "./internal/ErrorFields.ts"

export type { Facts, Failure, Fields } from "./internal/ErrorFields.ts"

/**
 * Phase in which a request failed. `fetch` distinguishes connecting from waiting only by the error code, so a timeout before the first
 * header counts as `headers`.
 */
export type Phase = "connect" | "headers" | "body"

const withDetail = (detail: string | undefined): string => (detail === undefined ? "" : ` (${detail})`)

const transportMessage = (phase: Phase, host: string, reason: string): string => {
  switch (phase) {
    case "connect":
      return `Could not connect to ${host}: ${reason}. Check the address and that the server is running.`
    case "headers":
      return `Connection to ${host} failed before a response was received: ${reason}. Try again later.`
    case "body":
      return `Response from ${host} was interrupted: ${reason}. Try again later.`
  }
}

/**
 * The network failed: no connection, or a connection that broke before the response was complete. Retryable.
 *
 * **Example** (Recognising it)
 *
 * ```ts
 * import { TransportError } from "@daybook/transport/ClientError"
 *
 * const error = new TransportError({ host: "s.example", phase: "connect", reason: "ECONNREFUSED" })
 * console.log(error._tag, error.isRetryable) // TransportError true
 * ```
 */
export class TransportError extends Data.TaggedError("TransportError")<
  Fields & {
    /** Phase of the request when it failed. */
    readonly phase: Phase
    /** Reason reported by the platform, without any key. */
    readonly reason: string
  }
> {
  constructor(options: Facts & { readonly phase: Phase; readonly reason: string }) {
    const { phase, reason } = options
    super({ ...fields(options, transportMessage(phase, options.host, reason), true), phase, reason })
  }
}

/**
 * The deadline passed before the last byte of the response was read. Retryable, with more time.
 *
 * **Example** (Recognising it)
 *
 * ```ts
 * import { TimeoutError } from "@daybook/transport/ClientError"
 * import * as Duration from "effect/Duration"
 *
 * const error = new TimeoutError({ host: "s.example", phase: "headers", deadline: Duration.seconds(5) })
 * console.log(error.message)
 * // Request to s.example timed out: no response within 5s. Allow more time or try again later.
 * ```
 */
export class TimeoutError extends Data.TaggedError("TimeoutError")<
  Fields & {
    /** What was missing at the deadline: the headers, or the rest of the body. */
    readonly phase: Phase
    /** Time allowed: for all attempts together, or for one attempt when the policy limits it. */
    readonly deadline: Duration.Duration
    /** The same time in milliseconds. */
    readonly deadlineMillis: number
  }
> {
  constructor(options: Facts & { readonly phase: Phase; readonly deadline: Duration.Duration }) {
    const { host, phase, deadline } = options
    const missing = phase === "body" ? "no complete response" : "no response"
    const message = `Request to ${host} timed out: ${missing} within ${Duration.format(deadline)}. Allow more time or try again later.`
    super({ ...fields(options, message, true), phase, deadline, deadlineMillis: Duration.toMillis(deadline) })
  }
}

/**
 * Why a response is invalid. `status`: unexpected status. `redirect`: the server redirects. `too-large`: more bytes than allowed.
 * `encoding`: not in the declared encoding. `content`: content that does not conform to the interface.
 */
export type InvalidReason = "status" | "redirect" | "too-large" | "encoding" | "content"

/**
 * The response does not conform to the interface. Retried only when `isRetryable` is true, for example for a 5xx from a proxy.
 *
 * **Example** (Reading what is invalid)
 *
 * ```ts
 * import { InvalidResponse } from "@daybook/transport/ClientError"
 *
 * const issue = { path: "result[0].hash", received: "nothing", expected: "a hash" }
 * console.log(new InvalidResponse({ host: "s.example", reason: "content", ...issue }).message)
 * // Invalid response from s.example: result[0].hash: expected a hash, received nothing.
 * ```
 */
export class InvalidResponse extends Data.TaggedError("InvalidResponse")<
  Fields & {
    readonly reason: InvalidReason
    /** Path of the invalid value in the response, as in `result[3].hash`; `status` or `body` for the whole. */
    readonly path: string
    /** Value received at the path, shortened and without any key. */
    readonly received: string
    /** Value that the interface expects at the path. */
    readonly expected: string
    /** HTTP status of the response. */
    readonly status: number | undefined
    /** Sentence with advice at the end of the message; undefined for none. */
    readonly advice: string | undefined
  }
> {
  constructor(
    options: Facts & {
      readonly reason: InvalidReason
      readonly path: string
      readonly received: string
      readonly expected: string
      readonly status?: number | undefined
      readonly isRetryable?: boolean
      readonly retryAfter?: Duration.Duration | undefined
      readonly advice?: string | undefined
    },
  ) {
    const { advice, reason, path, received, expected, status } = options
    const ending = advice === undefined ? "" : ` ${advice}`
    const message = `Invalid response from ${options.host}: ${path}: expected ${expected}, received ${received}.${ending}`
    const facts = fields(options, message, options.isRetryable ?? false, options.retryAfter)
    super({ ...facts, reason, path, received, expected, status, advice })
  }
}

/**
 * Calls that a rate limit applies to: every call to that endpoint with that key, or this call only.
 */
export type RateLimitScope = "endpoint" | "call"

/**
 * A rate limit was exceeded. Retried after the wait that the server requested if that ends before the deadline.
 *
 * **Example** (Reading the wait)
 *
 * ```ts
 * import { RateLimited } from "@daybook/transport/ClientError"
 * import * as Duration from "effect/Duration"
 *
 * const error = new RateLimited({ host: "s.example", retryAfter: Duration.seconds(3), status: 429 })
 * console.log(error.isRetryable, Duration.toMillis(error.retryAfter!)) // true 3000
 * ```
 */
export class RateLimited extends Data.TaggedError("RateLimited")<
  Fields & {
    readonly scope: RateLimitScope
    /** HTTP status; undefined when no request was made because an earlier response requested a wait. */
    readonly status: number | undefined
  }
> {
  constructor(
    options: Facts & {
      readonly retryAfter?: Duration.Duration | undefined
      readonly scope?: RateLimitScope
      readonly status?: number | undefined
      readonly detail?: string | undefined
    },
  ) {
    const { host, retryAfter, status } = options
    const millis = retryAfter && Math.ceil(Duration.toMillis(retryAfter) / 1_000) * 1_000
    const advice = millis ? `Retry after ${Duration.format(Duration.millis(millis))}.` : "Send fewer requests."
    const message = `Rate limit exceeded: ${host}${withDetail(options.detail)}. ${advice}`
    super({ ...fields(options, message, true, retryAfter), scope: options.scope ?? "endpoint", status })
  }
}

/**
 * The server rejected the API key, or none was sent. Never retried.
 *
 * **Example** (Recognising it)
 *
 * ```ts
 * import { Unauthorized } from "@daybook/transport/ClientError"
 *
 * console.log(new Unauthorized({ host: "s.example", status: 401 }).message)
 * // API key rejected: s.example. Check the key and its permissions.
 * ```
 */
export class Unauthorized extends Data.TaggedError("Unauthorized")<Fields & { readonly status: number | undefined }> {
  constructor(options: Facts & { readonly status?: number | undefined; readonly detail?: string | undefined }) {
    const { host, status } = options
    const message = `API key rejected: ${host}${withDetail(options.detail)}. Check the key and its permissions.`
    super({ ...fields(options, message), status })
  }
}

/**
 * Errors that this package itself can fail a call with.
 */
export type ClientError = TransportError | TimeoutError | InvalidResponse | RateLimited | Unauthorized

/**
 * An option of a client is invalid. Reported before any request is made.
 *
 * **Example** (Catching it)
 *
 * ```ts
 * import { InvalidOption } from "@daybook/transport/ClientError"
 * import * as RequestExecutor from "@daybook/transport/RequestExecutor"
 * import * as Effect from "effect/Effect"
 *
 * const error = Effect.runSync(Effect.flip(RequestExecutor.make({ policy: { maxAttempts: 0 } })))
 * console.log(error instanceof InvalidOption, error.option) // true policy.maxAttempts
 * ```
 */
export class InvalidOption extends Data.TaggedError("InvalidOption")<{
  readonly message: string
  /** Path of the option, as in `retry.maxAttempts`. */
  readonly option: string
  /** What the option accepts. */
  readonly expected: string
  /** Value received, without any text that may be a key. */
  readonly received: string
}> {
  constructor(options: { readonly option: string; readonly expected: string; readonly received: string }) {
    const { expected, option, received } = options
    super({
      option,
      expected,
      received,
      message: `Invalid option "${option}": expected ${expected}, received ${received}.`,
    })
  }
}
