/**
 * Retry policy of a client: number of attempts, exponential backoff with a cap and jitter, and one deadline for the whole call.
 * A wait requested by the server takes precedence over the backoff.
 */
import type * as Duration from "effect/Duration"

/** Forms of a time. Members of an interface are listed in compiler messages; a type alias would appear by its name only. */
interface Forms {
  readonly time:
    | number
    | Duration.Duration
    | `${number} millis`
    | `${number} ${"second" | "minute" | "hour" | "day"}`
    | `${number} ${"seconds" | "minutes" | "hours" | "days"}`
}

/**
 * A time as accepted by options: a number of milliseconds, text such as `"10 seconds"`, or a `Duration` from Effect.
 */
export type Time = Forms["time"]

/**
 * Limits of one call.
 */
export interface RetryPolicy {
  /** Maximum number of attempts, including the first. */
  readonly maxAttempts: number
  /** Wait before the second attempt; doubles with each further attempt. */
  readonly base: Duration.Duration
  /** Maximum backoff. A server may request a longer wait. */
  readonly cap: Duration.Duration
  /** Random share of the backoff, from 0 to 1. */
  readonly jitter: number
  /** Time for all attempts, waits and bodies of a call. */
  readonly deadline: Duration.Duration
  /** Time for one attempt; infinite when only the deadline limits it. */
  readonly attemptTimeout: Duration.Duration
}

/**
 * Options of a retry policy. Durations are milliseconds, text such as `"10 seconds"`, or a `Duration`.
 */
export interface Options {
  /** Maximum number of attempts, including the first. Default 4. */
  readonly maxAttempts?: number | undefined
  /** Wait before the second attempt; doubles with each further attempt. Default 200 milliseconds. */
  readonly base?: Time | undefined
  /** Maximum backoff. Default 5 seconds. */
  readonly cap?: Time | undefined
  /** Random share of the backoff, from 0 to 1. Default 0.5. */
  readonly jitter?: number | undefined
  /** Time for all attempts, waits and bodies of a call. Default 30 seconds. */
  readonly deadline?: Time | undefined
  /** Time for one attempt. Default infinite: only the deadline limits it. */
  readonly attemptTimeout?: Time | undefined
}
