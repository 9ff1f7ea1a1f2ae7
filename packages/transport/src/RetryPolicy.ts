/**
 * Retry policy of a client: number of attempts, exponential backoff with a cap and jitter, and one deadline for the whole call.
 * A wait requested by the server takes precedence over the backoff.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { InvalidOption } from "./ClientError.ts"
import * as OptionCheck from "./OptionCheck.ts"

/**
 * The limits of one call.
 */
export interface RetryPolicy {
  /** Attempts at most, the first included. */
  readonly maxAttempts: number
  /** Wait before the second attempt; doubles with each further one. */
  readonly base: Duration.Duration
  /** Longest wait of our own choosing; a server may ask for a longer one. */
  readonly cap: Duration.Duration
  /** The share of a wait that is left to chance, 0 to 1. */
  readonly jitter: number
  /** Time for all attempts, their waits and their bodies together. */
  readonly deadline: Duration.Duration
  /** Time for one attempt; infinite leaves the deadline alone. */
  readonly attemptTimeout: Duration.Duration
}

/**
 * The parts of a policy that a caller may set.
 */
export interface Options {
  /** Default 4. */
  readonly maxAttempts?: number | undefined
  /** Default 200 milliseconds. */
  readonly base?: Duration.Input | undefined
  /** Default 5 seconds. */
  readonly cap?: Duration.Input | undefined
  /** Default 0.5. */
  readonly jitter?: number | undefined
  /** Default 30 seconds. */
  readonly deadline?: Duration.Input | undefined
  /** Default infinite. */
  readonly attemptTimeout?: Duration.Input | undefined
}

/**
 * What each option is, for constructors that check the options of a caller.
 */
export const optionKinds = {
  maxAttempts: "count",
  base: "wait",
  cap: "wait",
  jitter: "fraction",
  deadline: "duration",
  attemptTimeout: "duration",
} as const satisfies Readonly<Record<keyof Options, OptionCheck.Kind>>

/**
 * Makes a policy as a `Result`, for constructors that check several options. `place` is where the options stand, as in `retry`.
 */
export const parse = (options?: Options, place?: string): Result.Result<RetryPolicy, InvalidOption> =>
  Result.map(OptionCheck.members(options, optionKinds, place), () => {
    const {
      maxAttempts = 4,
      base = 200,
      cap = 5_000,
      jitter = 0.5,
      deadline = 30_000,
      attemptTimeout = Duration.infinity,
    } = options ?? {}
    return {
      maxAttempts,
      jitter,
      base: Duration.fromInputUnsafe(base),
      cap: Duration.fromInputUnsafe(cap),
      deadline: Duration.fromInputUnsafe(deadline),
      attemptTimeout: Duration.fromInputUnsafe(attemptTimeout),
    }
  })

/**
 * Makes a policy.
 *
 * **Errors**
 * - `InvalidOption`: a number or a duration that makes no sense.
 */
export const make = (options: Options = {}): Effect.Effect<RetryPolicy, InvalidOption> =>
  Effect.suspend(() => Effect.fromResult(parse(options)))

/**
 * Makes a policy, or throws the `InvalidOption` that `make` fails with. For callers outside Effect.
 */
export const makeUnsafe = (options: Options = {}): RetryPolicy => Result.getOrThrow(parse(options))

/**
 * The same policy with another deadline.
 */
export const withDeadline = (
  policy: RetryPolicy,
  deadline: Duration.Input,
): Result.Result<RetryPolicy, InvalidOption> =>
  Result.map(OptionCheck.member("timeout", "duration", deadline), () => ({
    ...policy,
    deadline: Duration.fromInputUnsafe(deadline),
  }))

/**
 * The wait after a failed attempt, in milliseconds: doubled per attempt, capped, less a random share; never less than the server asked,
 * with a little chance on top so that callers who were told the same do not all come back at once.
 */
export const delayMillis = (
  policy: RetryPolicy,
  options: { readonly attempt: number; readonly random: number; readonly retryAfter?: Duration.Duration | undefined },
): number => {
  const base = Duration.toMillis(policy.base)
  const full = Math.min(base * 2 ** (options.attempt - 1), Duration.toMillis(policy.cap))
  const own = full * (1 - policy.jitter * options.random)
  if (options.retryAfter === undefined) return own
  return Math.max(own, Duration.toMillis(options.retryAfter) + base * policy.jitter * options.random)
}
