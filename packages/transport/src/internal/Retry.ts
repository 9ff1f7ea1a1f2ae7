/**
 * Retry of one call: a pure step decides after each failed attempt whether another one follows and when, and `run` interprets it.
 * One deadline covers all attempts and the waits between them. What an attempt sends, and to which endpoint, is decided by the caller.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import type { Failure as CallFailure, InvalidOption } from "../ClientError.ts"
import type { Options, RetryPolicy, Time } from "../RetryPolicy.ts"
import * as Backoff from "./Backoff.ts"
import * as MonotonicClock from "./MonotonicClock.ts"
import * as OptionCheck from "./OptionCheck.ts"

/** What each option of a policy accepts, for constructors that check the options of a caller. */
export const optionKinds = {
  maxAttempts: "count",
  base: "wait",
  cap: "wait",
  jitter: "fraction",
  deadline: "duration",
  attemptTimeout: "duration",
} as const satisfies Readonly<Record<keyof Options, OptionCheck.Kind>>

/**
 * Makes a policy from checked options.
 *
 * **Errors**
 *
 * - `InvalidOption`: a number or a duration is invalid. `parent` is the path of the options in the message, as in `retry`.
 */
export const policyFromOptions = (options?: Options, parent?: string): Result.Result<RetryPolicy, InvalidOption> =>
  Result.map(OptionCheck.members(options, optionKinds, parent), () => {
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

/** The same policy with another deadline, from the option `timeout`. */
export const withDeadline = (policy: RetryPolicy, timeout: Time): Result.Result<RetryPolicy, InvalidOption> =>
  Result.map(OptionCheck.member("timeout", "duration", timeout), () => ({
    ...policy,
    deadline: Duration.fromInputUnsafe(timeout),
  }))

/**
 * Wait after a failed attempt, in milliseconds: exponential backoff up to the cap, less the jitter. It is never shorter than the server
 * requested; a small random part is added to a requested wait, so that callers with the same `Retry-After` do not all resume at once.
 */
export const delayMillis = (
  policy: RetryPolicy,
  options: { readonly attempt: number; readonly random: number; readonly retryAfter?: Duration.Duration | undefined },
): number => {
  const base = Duration.toMillis(policy.base)
  const full = Backoff.delayMillis({ firstMillis: base, maxMillis: Duration.toMillis(policy.cap) }, options.attempt)
  const backoff = full * (1 - policy.jitter * options.random)
  if (options.retryAfter === undefined) return backoff
  return Math.max(backoff, Duration.toMillis(options.retryAfter) + base * policy.jitter * options.random)
}

/** State of a call between two attempts. A caller with several endpoints extends it. */
export interface State {
  /** Number of the current attempt, from 1. */
  readonly attempt: number
  /** End of the call on the monotonic clock, in milliseconds. */
  readonly deadlineAtMillis: number
}

/** A failed attempt. */
export interface Failure<E> {
  readonly error: E
  /** Monotonic time of the failure, in milliseconds. */
  readonly nowMillis: number
  /** A random number from 0 up to 1, for the jitter. */
  readonly random: number
}

/** What follows a failed attempt: another one after `waitMillis`, in `state`; or the end of the call. */
export type Step<S extends State> = Retry<S> | Fail

/** Another attempt follows. */
export interface Retry<S extends State> {
  readonly _tag: "Retry"
  readonly waitMillis: number
  readonly state: S
}

/** No attempt follows: the call fails with the error of the last one. */
export interface Fail {
  readonly _tag: "Fail"
}

const fail: Fail = { _tag: "Fail" }

/** State before the first attempt. */
export const initial = (policy: RetryPolicy, nowMillis: number): State => ({
  attempt: 1,
  deadlineAtMillis: nowMillis + Duration.toMillis(policy.deadline),
})

/**
 * Decides what follows a failed attempt: another one if the error is retryable, attempts are left, and the wait ends before the deadline.
 *
 * **Details**
 *
 * - The wait is the policy's backoff, or zero with `canRetryNow`.
 * - `maxAttempts` replaces the policy's.
 */
export const next = <S extends State>(
  policy: RetryPolicy,
  state: S,
  failure: {
    readonly isRetryable: boolean
    readonly nowMillis: number
    readonly random: number
    /** Wait requested by the server. */
    readonly retryAfter?: Duration.Duration | undefined
    /** Another endpoint can be called without a wait. */
    readonly canRetryNow?: boolean | undefined
    readonly maxAttempts?: number | undefined
  },
): Step<S> => {
  const { canRetryNow = false, isRetryable, maxAttempts = policy.maxAttempts, nowMillis, random, retryAfter } = failure
  const { attempt, deadlineAtMillis } = state
  if (!isRetryable || attempt >= maxAttempts) return fail
  const waitMillis = canRetryNow ? 0 : delayMillis(policy, { attempt, random, retryAfter })
  if (nowMillis + waitMillis >= deadlineAtMillis) return fail
  return { _tag: "Retry", waitMillis, state: { ...state, attempt: attempt + 1 } }
}

/** Time left for the whole call when it is read; infinite without a deadline. */
export const remaining = ({ deadlineAtMillis }: State): Effect.Effect<Duration.Duration> =>
  Effect.map(MonotonicClock.millis, (now) => Duration.millis(deadlineAtMillis - now))

/**
 * Repeats an attempt until it succeeds or `next` ends the call, which then fails with the error of the last attempt.
 *
 * **Details**
 *
 * - An attempt limits itself to the time that `remaining` gives. Time is that of the clock service.
 * - No attempt follows a wait that ended after the deadline.
 * - `onRetry` runs before each wait.
 */
export const run = <A, E, S extends State, R, R2 = never>(options: {
  readonly initial: (nowMillis: number) => S
  readonly attempt: (state: S) => Effect.Effect<A, E, R>
  readonly next: (state: S, failure: Failure<E>) => Step<S>
  readonly onRetry?: ((error: E, state: S, retry: Retry<S>) => Effect.Effect<void, never, R2>) | undefined
}): Effect.Effect<A, E, R | R2> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const { attempt, initial, onRetry } = options
    const from = (state: S): Effect.Effect<A, E, R | R2> =>
      attempt(state).pipe(
        Effect.catch((error) =>
          Effect.flatMap(Random.next, (random) => {
            const step = options.next(state, { error, nowMillis: MonotonicClock.millisOf(clock), random })
            if (step._tag === "Fail") return Effect.fail(error)
            const { waitMillis } = step
            const before = onRetry === undefined ? Effect.void : onRetry(error, state, step)
            const wait = waitMillis > 0 ? Effect.sleep(Duration.millis(waitMillis)) : Effect.void
            const { deadlineAtMillis } = step.state
            // A busy process resumes late: an attempt without time would report a timeout although nothing was sent.
            return Effect.flatMap(Effect.andThen(before, wait), () =>
              MonotonicClock.millisOf(clock) >= deadlineAtMillis ? Effect.fail(error) : from(step.state),
            )
          }),
        ),
      )

    return Effect.suspend(() => from(initial(MonotonicClock.millisOf(clock))))
  })

/**
 * Wait that a server's error imposes on other calls of the client. An unavailable server may recover before the time that it states. If
 * that time is beyond the deadline, no call could wait for it, so the longest backoff is used instead. A rate limit is kept for its full
 * duration.
 */
export const requestedWait = ({ _tag, retryAfter }: CallFailure, { cap, deadline }: RetryPolicy) =>
  retryAfter !== undefined && _tag !== "RateLimited" && Duration.isGreaterThan(retryAfter, deadline) ? cap : retryAfter

/**
 * Repeats a call of a stream that has started, until the policy's deadline and only after retryable errors, so that a stream survives a
 * server restart. Not repeated if the policy allows a single attempt.
 */
export const untilDeadline = <A, E extends CallFailure, R>(
  policy: RetryPolicy,
  call: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => {
  const maxAttempts = policy.maxAttempts === 1 ? 1 : Number.POSITIVE_INFINITY
  return run({
    initial: (nowMillis) => initial(policy, nowMillis),
    attempt: () => call,
    next: (state, { error, ...failure }) => {
      const retryAfter = requestedWait(error, policy)
      return next(policy, state, { ...failure, isRetryable: error.isRetryable, retryAfter, maxAttempts })
    },
  })
}
