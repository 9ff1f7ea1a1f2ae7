/**
 * Retry policy of a client: number of attempts, exponential backoff with a cap and jitter, and one deadline for the whole call.
 * A wait requested by the server takes precedence over the backoff.
 */
import type * as Duration from "effect/Duration"

/**
 * Limits of one call.
 */
export interface RetryPolicy {
  /** Maximum number of attempts, the first included. */
  readonly maxAttempts: number
  /** Wait before the second attempt; doubles with each further one. */
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
  /** Maximum number of attempts, the first included. Default 4. */
  readonly maxAttempts?: number | undefined
  /** Wait before the second attempt; doubles with each further one. Default 200 milliseconds. */
  readonly base?: Duration.Input | undefined
  /** Maximum backoff. Default 5 seconds. */
  readonly cap?: Duration.Input | undefined
  /** Random share of the backoff, from 0 to 1. Default 0.5. */
  readonly jitter?: number | undefined
  /** Time for all attempts, waits and bodies of a call. Default 30 seconds. */
  readonly deadline?: Duration.Input | undefined
  /** Time for one attempt. Default infinite: only the deadline limits it. */
  readonly attemptTimeout?: Duration.Input | undefined
}
