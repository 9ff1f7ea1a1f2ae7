/** Fields common to all errors of the clients. */
import * as Duration from "effect/Duration"
import type { Attempt } from "../Attempt.ts"

/**
 * Whether a failed call can be retried, and the wait that the server requested.
 */
export interface Failure {
  readonly _tag: string
  readonly message: string
  /** True when the same call may succeed later. */
  readonly isRetryable: boolean
  /** Wait requested by the server, counted from the response; undefined if it requested none. */
  readonly retryAfter: Duration.Duration | undefined
}

/**
 * The wait that a server requested, as a `Duration` and as a number for programs without Effect.
 */
export interface Wait {
  /** Wait requested by the server, counted from the response; undefined if it requested none. */
  readonly retryAfter: Duration.Duration | undefined
  /** The same wait in milliseconds. */
  readonly retryAfterMillis: number | undefined
}

/**
 * Facts of a call that an error is made from.
 */
export interface Facts {
  /** Host and port of the last endpoint used. */
  readonly host: string
  /** Request id assigned by the server; quote it to the operator. */
  readonly requestId?: string | undefined
  /** Every HTTP request made for this call, oldest first. */
  readonly attempts?: ReadonlyArray<Attempt>
}

/**
 * Fields of every error of a client, in addition to its own.
 */
export interface Fields extends Wait {
  readonly message: string
  /** Host and port of the last endpoint used. */
  readonly host: string
  /** True when the same call may succeed later. */
  readonly isRetryable: boolean
  /** Request id assigned by the server; quote it to the operator. */
  readonly requestId: string | undefined
  /** Every HTTP request made for this call, oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
}

/** The fields of a wait. */
export const waitOf = (retryAfter: Duration.Duration | undefined): Wait => ({
  retryAfter,
  retryAfterMillis: retryAfter === undefined ? undefined : Duration.toMillis(retryAfter),
})

/** Makes the fields from the facts of a call. If there were several attempts, the message ends with their number. */
export const fields = (facts: Facts, message: string, isRetryable = false, retryAfter?: Duration.Duration): Fields => {
  const attempts = facts.attempts ?? []
  return {
    message: attempts.length > 1 ? `${message} (${attempts.length} attempts)` : message,
    host: facts.host,
    isRetryable,
    ...waitOf(retryAfter),
    requestId: facts.requestId,
    attempts,
  }
}

/** Recognises an error by its tag, including one from another copy of the package. */
export const hasTag = (error: unknown, tags: Readonly<Record<string, true>>): boolean =>
  error instanceof Error && "_tag" in error && typeof error._tag === "string" && Object.hasOwn(tags, error._tag)
