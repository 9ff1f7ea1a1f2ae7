/**
 * The failures that both clients share, one class for each decision a caller can make.
 * They are yieldable Effect errors and real `Error`s; recognise them by `_tag`, because two copies of a package make two classes.
 * No field, message or stack holds a key, or a URL that may hold one.
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import type { Attempt } from "./Attempt.ts"

/**
 * Where a request was when it failed. `fetch` tells connecting from waiting only by the fault's code,
 * so a timeout before the first header is `headers`.
 */
export type Phase = "connect" | "headers" | "body"

/**
 * What every error of a client answers: may it be tried again, and did the server say how long to wait.
 */
export interface Failure {
  readonly _tag: string
  readonly message: string
  /** True when the same call may succeed later. */
  readonly isRetryable: boolean
  /** The wait the server asked for, counted from the answer; undefined when it asked for none. */
  readonly retryAfter: Duration.Duration | undefined
}

/**
 * The facts that each error of a client carries.
 */
export interface Facts {
  /** Host and port of the endpoint that was asked last. */
  readonly host: string
  /** The id that the server gave the request; quote it to whoever runs the server. */
  readonly requestId?: string | undefined
  /** Every HTTP request made for this call, oldest first. */
  readonly attempts?: ReadonlyArray<Attempt>
}

/**
 * What each error of a client holds, beside its own fields.
 */
export interface Fields {
  readonly message: string
  /** Host and port of the endpoint that was asked last. */
  readonly host: string
  /** True when the same call may succeed later. */
  readonly isRetryable: boolean
  /** The wait the server asked for, counted from the answer; undefined when it asked for none. */
  readonly retryAfter: Duration.Duration | undefined
  /** The id that the server gave the request; quote it to whoever runs the server. */
  readonly requestId: string | undefined
  /** Every HTTP request made for this call, oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
}

/**
 * Makes them of the facts of a call. The message tells how many attempts were made, when there were several.
 */
export const fields = (facts: Facts, message: string, isRetryable = false, retryAfter?: Duration.Duration): Fields => {
  const attempts = facts.attempts ?? []
  return {
    message: attempts.length > 1 ? `${message} (${attempts.length} attempts were made.)` : message,
    host: facts.host,
    isRetryable,
    retryAfter,
    requestId: facts.requestId,
    attempts,
  }
}

const brokenOff = (phase: Phase, host: string, reason: string): string => {
  switch (phase) {
    case "connect":
      return `Could not connect to ${host}: ${reason}. Check the address and that the server is up.`
    case "headers":
      return `The connection to ${host} failed before an answer came: ${reason}. Try again later.`
    case "body":
      return `The answer of ${host} broke off: ${reason}. Try again later.`
  }
}

/**
 * The network failed: no connection, or one that broke before the answer was whole. May be tried again.
 */
export class TransportError extends Data.TaggedError("TransportError")<
  Fields & {
    /** Where the request was when it failed. */
    readonly phase: Phase
    /** The fault as the platform names it, without any key. */
    readonly reason: string
  }
> {
  constructor(options: Facts & { readonly phase: Phase; readonly reason: string }) {
    const { phase, reason } = options
    super({ ...fields(options, brokenOff(phase, options.host, reason), true), phase, reason })
  }
}

/**
 * The time allowed ran out before the last byte of the answer was read. May be tried again, with more time.
 */
export class TimeoutError extends Data.TaggedError("TimeoutError")<
  Fields & {
    /** What was awaited when the time ran out: the headers, or the rest of the body. */
    readonly phase: Phase
    /** The time that was allowed: for all attempts together, or for one where the policy limits that. */
    readonly deadline: Duration.Duration
  }
> {
  constructor(options: Facts & { readonly phase: Phase; readonly deadline: Duration.Duration }) {
    const { phase, deadline } = options
    const awaited = phase === "body" ? "the rest of the body" : "an answer"
    const message = `${options.host} did not send ${awaited} within ${Duration.format(deadline)}. Allow more time or try again later.`
    super({ ...fields(options, message, true), phase, deadline })
  }
}

/**
 * Why an answer is not usable. `status`: the status has no meaning here. `redirect`: the server sent us elsewhere.
 * `too-large`: more bytes than allowed. `encoding`: not the text it claims to be. `content`: text that is not what the interface says.
 */
export type InvalidReason = "status" | "redirect" | "too-large" | "encoding" | "content"

/**
 * An answer came, and it is not one of the interface. Tried again only when `isRetryable` says so (a 5xx of a proxy, say).
 */
export class InvalidResponse extends Data.TaggedError("InvalidResponse")<
  Fields & {
    readonly reason: InvalidReason
    /** Where in the answer the fault is, as in `result[3].hash`; `status` or `body` for the whole. */
    readonly path: string
    /** What came there, shortened and without any key. */
    readonly received: string
    /** What the interface has there. */
    readonly expected: string
    /** The HTTP status of the answer. */
    readonly status: number | undefined
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
      /** A sentence at the end of the message: what to look at. */
      readonly advice?: string | undefined
    },
  ) {
    const { reason, path, received, expected, status } = options
    const advice = options.advice === undefined ? "" : ` ${options.advice}`
    const message = `The answer of ${options.host} is not usable: ${path} is ${received}; expected ${expected}.${advice}`
    const facts = fields(options, message, options.isRetryable ?? false, options.retryAfter)
    super({ ...facts, reason, path, received, expected, status })
  }
}

/**
 * Whom a rate limit holds for: every call to that endpoint with that key, or the refused call alone.
 */
export type RateLimitScope = "endpoint" | "call"

/**
 * The server refuses calls for a while. Tried again after the time it asked for, when that fits the deadline.
 */
export class RateLimited extends Data.TaggedError("RateLimited")<
  Fields & {
    readonly scope: RateLimitScope
    /** The HTTP status; undefined when no request was made because the endpoint had asked for a pause. */
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
    const { retryAfter, status } = options
    const detail = options.detail === undefined ? "" : ` (${options.detail})`
    const advice =
      retryAfter === undefined ? "Send fewer requests." : `It asked to wait ${Duration.format(retryAfter)}.`
    const facts = fields(options, `${options.host} refuses more requests for now${detail}. ${advice}`, true, retryAfter)
    super({ ...facts, scope: options.scope ?? "endpoint", status })
  }
}

/**
 * The server does not accept the key, or none was given. Never tried again.
 */
export class Unauthorized extends Data.TaggedError("Unauthorized")<Fields & { readonly status: number | undefined }> {
  constructor(options: Facts & { readonly status?: number | undefined; readonly detail?: string | undefined }) {
    const detail = options.detail === undefined ? "" : ` (${options.detail})`
    const message = `${options.host} does not accept the API key${detail}. Check the key and what it is allowed to do.`
    super({ ...fields(options, message, false), status: options.status })
  }
}

/**
 * Any failure that this package itself can end a call with.
 */
export type ClientError = TransportError | TimeoutError | InvalidResponse | RateLimited | Unauthorized

/**
 * An option of a client cannot be used. It is reported before any request is made; the message names the option and what it takes.
 */
export class InvalidOption extends Data.TaggedError("InvalidOption")<{
  readonly message: string
  /** The option's name. */
  readonly option: string
  /** What is wrong, as the end of a sentence that begins with the name. */
  readonly issue: string
}> {
  constructor(options: { readonly option: string; readonly issue: string }) {
    super({ ...options, message: `The option "${options.option}" ${options.issue}` })
  }
}
