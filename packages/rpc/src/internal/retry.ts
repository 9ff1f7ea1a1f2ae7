/**
 * The attempts of one call: which endpoint it asks, how often, how long it waits between, and what it ends with.
 * One deadline covers all of it. What an attempt is, `batcher` knows; which endpoint is best, `pool` does.
 */
import type { Attempt } from "@daybook/transport/Attempt"
import { type Failure, InvalidResponse, RateLimited } from "@daybook/transport/ClientError"
import type * as Backoff from "@daybook/transport/Backoff"
import * as RetryPolicy from "@daybook/transport/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CallError } from "../RpcError.ts"
import * as pools from "./pool.ts"
import type { Queue } from "./batcher.ts"
import type { Answer } from "./reading.ts"
import * as telemetry from "./telemetry.ts"
import type { RequestItem } from "./wire.ts"

/** A call, and what holds for it. */
export interface Plan<A> {
  readonly pool: pools.Pool
  /** The endpoints that it may ask. */
  readonly members: ReadonlyArray<pools.Member>
  readonly pause: Backoff.Backoff
  readonly policy: RetryPolicy.RetryPolicy
  readonly call: RequestItem
  readonly maxBytes: number
  readonly maxItemBytes: number
  readonly isShared: boolean
  /** Calls that may stand in its request, itself included. */
  readonly maxBatchSize: number
  readonly queueOf: (member: pools.Member) => Queue
  /** Turns the node's value into what the caller gets. */
  readonly accept: (answer: Answer) => Result.Result<A, CallError>
}

/** What a call gave, and the requests it took. */
export interface Given<A> {
  readonly value: A
  readonly attempts: ReadonlyArray<Attempt>
}

/** Calls that come back after the same wait come back within this time of each other. */
const meetMillis = 3

/** Reads the monotonic clock, in milliseconds. */
const timer = Effect.map(Clock.Clock, (clock) => () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6)

const isOfCall = (error: Failure): boolean => "scope" in error && error.scope === "call"

const behind = (answer: Answer, pool: pools.Pool): InvalidResponse =>
  new InvalidResponse({
    ...answer.reply,
    reason: "content",
    path: "result",
    received: "a block below one that this client has seen",
    expected: `block ${pool.highest} or a later one`,
    isRetryable: true,
  })

const attemptsOf = (error: CallError): ReadonlyArray<Attempt> => ("attempts" in error ? error.attempts : [])

/** The endpoint that is best now, whatever it will be asked. */
export const best = Effect.fnUntraced(function* (
  pool: pools.Pool,
  members: ReadonlyArray<pools.Member>,
  pause: Backoff.Backoff,
) {
  const monotonicMillis = yield* timer
  const paused = new Map<pools.Member, number>()
  for (const one of members) paused.set(one, Duration.toMillis(yield* pause.remaining(one.batcher.endpoint)))
  // Sound: a client has at least one endpoint.
  return pools.choose(
    pool,
    members,
    { id: 0, method: "", params: [] },
    monotonicMillis(),
    (one) => paused.get(one) ?? 0,
  )!
})

/** Runs a call to its end. */
export const run = Effect.fnUntraced(function* <A>(plan: Plan<A>): Effect.fn.Return<Given<A>, CallError> {
  const { accept, call, pool, pause, policy } = plan
  const monotonicMillis = yield* timer
  const deadlineAt = monotonicMillis() + Duration.toMillis(policy.deadline)
  const most = Math.max(policy.maxAttempts, plan.members.length)
  let candidates = plan.members
  let fresh = plan.members
  let attempts: ReadonlyArray<Attempt> = []
  let maxBatchSize = plan.maxBatchSize
  let windowMillis = 0
  /** A value to end with when no endpoint has a better one. */
  let fallback: Given<A> | undefined

  for (let number = 1; ;) {
    const now = monotonicMillis()
    const leftMillis = deadlineAt - now
    const paused = new Map<pools.Member, number>()
    if (candidates.length > 1) {
      for (const one of candidates) {
        const asked = Duration.toMillis(yield* pause.remaining(one.batcher.endpoint))
        paused.set(one, Math.max(asked, one.limiter?.waitMillis(call.method, now) ?? 0))
      }
    }
    const pausedMillis = (one: pools.Member) => paused.get(one) ?? 0
    const open = fresh.filter((one) => pausedMillis(one) < leftMillis)
    // Sound: the loop goes on only while there are candidates.
    const one = pools.choose(pool, open.length > 0 ? open : candidates, call, now, pausedMillis)!
    const { endpoint } = one.batcher
    yield* pause.wait(endpoint, Duration.millis(leftMillis), attempts)
    if (one.limiter !== undefined) {
      const within = deadlineAt - monotonicMillis()
      const refused = yield* one.limiter.take(call.method, within)
      if (refused !== undefined) {
        const detail = "this client's own rate limit"
        return yield* new RateLimited({ host: endpoint.host, attempts, retryAfter: refused, scope: "call", detail })
      }
    }

    const startMillis = monotonicMillis()
    const shareMillis = (deadlineAt - startMillis) / Math.max(1, fresh.length)
    const attemptMillis = Duration.toMillis(policy.attemptTimeout)
    const endsAtMillis = startMillis + Math.min(shareMillis, attemptMillis)
    const { maxBytes, maxItemBytes, isShared } = plan
    const outcome = yield* one.batcher.ask(
      {
        call,
        endsAtMillis: Math.min(endsAtMillis, deadlineAt),
        deadline: attemptMillis < shareMillis ? policy.attemptTimeout : policy.deadline,
        maxBytes,
        maxItemBytes,
        attempts,
        isShared,
        maxBatchSize: number >= most && maxBatchSize < plan.maxBatchSize ? 1 : maxBatchSize,
        windowMillis,
      },
      plan.queueOf(one),
    )
    windowMillis = meetMillis
    if (outcome._tag === "Paused") continue
    if (outcome._tag === "Refused") {
      maxBatchSize = Math.min(maxBatchSize, outcome.maxBatchSize)
      attempts = attempts.concat(outcome.attempts)
      continue
    }

    let error: CallError
    let jitter = 0
    let mustSplit = false
    if (outcome._tag === "Answer") {
      const { answer } = outcome
      const height = pools.noteHeight(pool, one, call, answer.value)
      const accepted = accept(answer)
      if (Result.isSuccess(accepted)) {
        pools.noteSuccess(one)
        const given = { value: accepted.success, attempts: answer.reply.attempts }
        if (height === undefined) return given
        if (height === "missing") fallback = given
      }
      error = Result.isFailure(accepted) ? accepted.failure : behind(answer, pool)
    } else {
      error = outcome.error
      jitter = outcome.jitter
      mustSplit = outcome.mustSplit
      maxBatchSize = Math.min(maxBatchSize, outcome.maxBatchSize)
    }
    attempts = attemptsOf(error)
    const failedAt = monotonicMillis()
    pools.noteFailure(one, call, error, failedAt)

    const isMissing = fallback !== undefined && fallback.attempts === attempts
    const mayRepeat = (error.isRetryable && !isMissing) || mustSplit
    if (!mayRepeat) candidates = candidates.filter((other) => other !== one)
    fresh = fresh.filter((other) => other !== one)
    const isLast = number >= most || candidates.length === 0 || !pools.canFailOver(error)
    if (isLast) return fallback ?? (yield* Effect.fail(error))
    number++

    const retryAfter = candidates.length === 1 ? error.retryAfter : undefined
    const wait =
      fresh.length > 0 ? 0 : RetryPolicy.delayMillis(policy, { attempt: number - 1, random: jitter, retryAfter })
    const isLate = failedAt + wait >= deadlineAt
    if (!isOfCall(error) && (error.retryAfter !== undefined || (error._tag === "RateLimited" && !isLate))) {
      const own = RetryPolicy.delayMillis(policy, { attempt: number - 1, random: jitter })
      yield* pause.ask(endpoint, error.retryAfter ?? Duration.millis(own))
    }
    if (isLate) return fallback ?? (yield* Effect.fail(error))
    telemetry.retried(call.method, telemetry.kindOf(error), yield* Effect.context())
    yield* Effect.logDebug(
      `${endpoint.host}: attempt ${number - 1} of ${most} of ${telemetry.methodLabel(call.method)} ended with ${error._tag}; the next one in ${Math.round(wait)} ms`,
    )
    if (wait > 0) yield* Effect.sleep(Duration.millis(wait))
    if (fresh.length === 0) fresh = candidates
  }
})
