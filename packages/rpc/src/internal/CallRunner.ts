/**
 * Runs one call to its end: chooses the endpoint of each attempt and the outcome. `Retry` decides how often and how soon to retry,
 * `PoolState` which endpoint is best, and `Batcher` what an attempt sends.
 */
import type { Attempt } from "@daybook/transport/Attempt"
import type * as RequestedWaits from "@daybook/transport/internal/RequestedWaits"
import { InvalidResponse, RateLimited } from "@daybook/transport/ClientError"
import * as EventReporter from "@daybook/transport/internal/EventReporter"
import * as MonotonicClock from "@daybook/transport/internal/MonotonicClock"
import * as Retry from "@daybook/transport/internal/Retry"
import type { TokenBucket } from "@daybook/transport/internal/TokenBucket"
import type * as RetryPolicy from "@daybook/transport/RetryPolicy"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CallOptions, Options } from "../Options.ts"
import type { CallError } from "../RpcError.ts"
import type { Ask } from "./BatchState.ts"
import type { Batcher, Queue } from "./Batcher.ts"
import * as BlockHeight from "./BlockHeight.ts"
import { canFailOver, type EndpointStates, verdictOf } from "./EndpointStates.ts"
import { callOrder, type Verdict } from "./PoolState.ts"
import type { BytesReading } from "./reply/BytesReading.ts"
import type { Decode } from "./reply/decode.ts"
import type { RequestItem } from "./reply/match.ts"
import type { Outcome } from "./reply/read.ts"
import * as Repetition from "./Repetition.ts"
import * as Telemetry from "./Telemetry.ts"

/** An endpoint of a client. */
export interface Member {
  readonly batcher: Batcher
  /** Client-side rate limit; undefined for none. */
  readonly bucket: TokenBucket | undefined
}

/** A call with its limits. */
export interface Plan<A> {
  readonly pool: EndpointStates<Member>
  /** Indexes of the endpoints that it may use. */
  readonly among: ReadonlyArray<number>
  readonly pause: RequestedWaits.RequestedWaits
  readonly policy: RetryPolicy.RetryPolicy
  /** Longest pause granted to a server; undefined for the transport's default. */
  readonly maxPause?: Duration.Duration | undefined
  readonly call: RequestItem
  readonly maxBytes: number
  readonly maxItemBytes: number
  readonly isShared: boolean
  /** Maximum number of calls in its request, including itself. */
  readonly maxBatchSize: number
  readonly queueOf: (member: Member) => Queue
  readonly decode: Decode<A>
  /** Headers of the call in addition to those of the client; undefined for none. */
  readonly headers?: CallOptions["headers"]
  readonly reading?: BytesReading | undefined
  readonly onEvent?: Options["onEvent"]
}

/** Value of a call and the requests it took. */
export interface Returned<A> {
  readonly value: A
  readonly attempts: ReadonlyArray<Attempt>
}

/** State of a call between two attempts. */
export interface State<A> extends Retry.State {
  /** Indexes of the endpoints that may still be called. */
  readonly candidates: ReadonlyArray<number>
  /** Candidates that have not been called in this round. */
  readonly untried: ReadonlyArray<number>
  readonly attempts: ReadonlyArray<Attempt>
  readonly maxBatchSize: number
  /** Time that the next attempt waits for other calls. */
  readonly windowMillis: number
  /** Value to return if no endpoint has a better one. */
  readonly fallback: Returned<A> | undefined
}

/** A failed attempt. */
export interface Failed<A> {
  readonly index: number
  readonly error: CallError
  readonly jitter: number
  readonly maxBatchSize: number
  /** True: the call is retried in a smaller batch, regardless of the error. */
  readonly mustSplit: boolean
  /** Value of this attempt, if another endpoint may have a better one. */
  readonly fallback: Returned<A> | undefined
  /** Milliseconds of the monotonic clock. */
  readonly nowMillis: number
}

/** What follows a failed attempt. */
export interface Decision<A> {
  readonly step: Retry.Step<State<A>>
  /** Pause of the endpoint, for all calls to it; undefined for none. */
  readonly pauseMillis: number | undefined
}

/** Calls that resume after the same wait do so within this time of each other. */
const regroupMillis = 3

const isOwnLimit = (error: CallError): boolean => error._tag === "RateLimited" && error.scope === "call"

const attemptsOf = (error: CallError): ReadonlyArray<Attempt> => ("attempts" in error ? error.attempts : [])

/** Maximum number of attempts: each endpoint is called once even if the policy allows fewer. */
const maxAttemptsOf = ({ among, policy }: Pick<Plan<unknown>, "among" | "policy">): number =>
  Math.max(policy.maxAttempts, among.length)

/** Granted part of the pause that the server requested. */
const grantedPause = ({ maxPause }: Pick<Plan<unknown>, "maxPause">, { retryAfter }: CallError) =>
  retryAfter === undefined || maxPause === undefined ? retryAfter : Duration.min(retryAfter, maxPause)

/** True if the call may be sent again: it only reads, or the node cannot have executed it. */
const mayRepeat = ({ call }: Pick<Plan<unknown>, "call">, error: CallError): boolean =>
  Repetition.isRepeatable(call.method) || Repetition.isUnexecuted(error)

/** Decides what follows a failed attempt: the next endpoint at once, another round after a wait, or the end of the call. */
export const decide = <A>(
  plan: Pick<Plan<A>, "among" | "policy" | "maxPause" | "call">,
  state: State<A>,
  failed: Failed<A>,
): Decision<A> => {
  const { error, index, jitter, nowMillis } = failed
  const retryAfter = grantedPause(plan, error)
  const maxAttempts = maxAttemptsOf(plan)
  const canRepeat = (error.isRetryable && failed.fallback === undefined) || failed.mustSplit
  const candidates = canRepeat ? state.candidates : state.candidates.filter((other) => other !== index)
  const untried = state.untried.filter((other) => other !== index)
  const isRetryable = candidates.length > 0 && canFailOver(error) && mayRepeat(plan, error)
  const next: State<A> = {
    ...state,
    candidates,
    untried: untried.length > 0 ? untried : candidates,
    attempts: attemptsOf(error),
    maxBatchSize: Math.min(state.maxBatchSize, failed.maxBatchSize),
    windowMillis: regroupMillis,
    fallback: failed.fallback ?? state.fallback,
  }
  const step = Retry.next(plan.policy, next, {
    isRetryable,
    nowMillis,
    random: jitter,
    maxAttempts,
    retryAfter: candidates.length === 1 ? retryAfter : undefined,
    canRetryNow: untried.length > 0,
  })
  const isLast = !isRetryable || state.attempt >= maxAttempts
  // The error of a call that cannot succeed later, such as a revert, may state a wait that the contract requires.
  if (isOwnLimit(error) || (isLast && !error.isRetryable)) return { step, pauseMillis: undefined }
  if (retryAfter !== undefined) return { step, pauseMillis: Duration.toMillis(retryAfter) }
  const isPaused = error._tag === "RateLimited" && step._tag === "Retry"
  const backoff = Retry.delayMillis(plan.policy, { attempt: state.attempt, random: jitter })
  return { step, pauseMillis: isPaused ? backoff : undefined }
}

/** An attempt without a value: the error, and what follows. */
interface Stopped<A> {
  readonly error: CallError
  readonly step: Retry.Step<State<A>>
  readonly fallback: Returned<A> | undefined
}

const ended = (error: CallError): Stopped<never> => ({ error, step: { _tag: "Fail" }, fallback: undefined })

/** Current order of endpoints, by health, pauses and rate limits. */
const orderNow = Effect.fnUntraced(function* (
  plan: Pick<Plan<unknown>, "pool" | "pause">,
  among: ReadonlyArray<number>,
  call: RequestItem | undefined,
): Effect.fn.Return<{ readonly indexes: ReadonlyArray<number>; readonly waitMillis: (index: number) => number }> {
  const { pause, pool } = plan
  const now = yield* MonotonicClock.millis
  const waits = new Map<number, number>()
  for (const index of among) {
    // Sound: callers pass indexes of the pool.
    const { batcher, bucket } = pool.endpoints[index]!
    const paused = Duration.toMillis(yield* pause.remaining(batcher.endpoint))
    waits.set(index, Math.max(paused, call === undefined ? 0 : (bucket?.waitMillis(call.method, now) ?? 0)))
  }
  const waitMillis = (index: number) => waits.get(index) ?? 0
  const needsHead = call !== undefined && BlockHeight.needsHead(call)
  const query = { now, among, method: call?.method, needsHead, waitMillis }
  return { indexes: callOrder(pool.state(), query), waitMillis }
})

/** The endpoint that is currently best for any call. */
export const best = (
  plan: Pick<Plan<unknown>, "pool" | "pause">,
  among: ReadonlyArray<number>,
): Effect.Effect<number> =>
  // Sound: a client has at least one endpoint.
  Effect.map(orderNow(plan, among, undefined), ({ indexes }) => indexes[0]!)

/** Chooses the endpoint of an attempt: the best untried one that accepts the call before the deadline, or else the best candidate. */
const chooseEndpoint = <A>(plan: Plan<A>, state: State<A>, leftMillis: number): Effect.Effect<number> =>
  Effect.map(orderNow(plan, state.candidates, plan.call), ({ indexes, waitMillis }) => {
    const open = indexes.find((index) => state.untried.includes(index) && waitMillis(index) < leftMillis)
    // Sound: a call is retried only while it has candidates.
    return open ?? indexes[0]!
  })

/** Waits for the client-side rate limit. */
const takeUnits = Effect.fnUntraced(function* <A>(plan: Plan<A>, state: State<A>, host: string, bucket: TokenBucket) {
  const retryAfter = yield* bucket.take(plan.call.method, Duration.toMillis(yield* Retry.remaining(state)))
  if (retryAfter === undefined) return
  const { attempts } = state
  return yield* new RateLimited({ host, attempts, retryAfter, scope: "call", detail: "this client's own rate limit" })
})

/** Waits for the pause of the endpoint and for the client-side rate limit. */
const waitForTurn = <A>(plan: Plan<A>, state: State<A>, { batcher, bucket }: Member, leftMillis: number) => {
  const { endpoint } = batcher
  const waited = plan.pause.wait(endpoint, Duration.millis(leftMillis), state.attempts)
  return bucket === undefined ? waited : Effect.andThen(waited, takeUnits(plan, state, endpoint.host, bucket))
}

const askOf = <A>(plan: Plan<A>, state: State<A>, now: number): Ask<A> => {
  const { call, decode, headers, isShared, maxBytes, maxItemBytes, policy, reading } = plan
  const { attempts, deadlineAtMillis, windowMillis } = state
  // A call that cannot be repeated after a timeout does not leave time for other endpoints.
  const shares = Repetition.isRepeatable(call.method) ? Math.max(1, state.untried.length) : 1
  const shareMillis = (deadlineAtMillis - now) / shares
  const attemptMillis = Duration.toMillis(policy.attemptTimeout)
  // The last attempt of a call whose batches were too large is sent alone.
  const isAlone = state.attempt >= maxAttemptsOf(plan) && state.maxBatchSize < plan.maxBatchSize
  const maxBatchSize = isAlone ? 1 : state.maxBatchSize
  const deadline = attemptMillis < shareMillis ? policy.attemptTimeout : policy.deadline
  const context = { attempts, maxBytes, maxItemBytes, maxBatchSize, deadline, decode, headers, reading }
  const endsAtMillis = Math.min(now + Math.min(shareMillis, attemptMillis), deadlineAtMillis)
  return { call, endsAtMillis, context, isShared, windowMillis }
}

const behindError = (reply: Outcome<unknown> & { _tag: "Success" }, highest: bigint): InvalidResponse =>
  new InvalidResponse({
    ...reply.reply,
    reason: "content",
    path: "result",
    received: "a block below one that this client has seen",
    expected: `block ${highest} or a later one`,
    isRetryable: true,
  })

type Settled<A> = Extract<Outcome<A>, { _tag: "Success" | "Failure" }>

/** Records an outcome in the pool; returns the value, or the failure. */
const record = <A>(plan: Plan<A>, index: number, outcome: Settled<A>, nowMillis: number): Returned<A> | Failed<A> => {
  const { call, maxBatchSize, pool } = plan
  const note = (verdict: Verdict) => pool.note({ _tag: "Judged", index, verdict, now: nowMillis })
  if (outcome._tag === "Failure") {
    note(verdictOf(outcome.error))
    return { ...outcome, index, fallback: undefined, nowMillis }
  }
  note({ _tag: "Final", method: call.method })
  const returned = { value: outcome.value, attempts: outcome.reply.attempts }
  const height = BlockHeight.observe(pool, index, call, outcome.raw, nowMillis)
  if (height === undefined) return returned
  const error = behindError(outcome, pool.state().highest)
  const fallback = height === "missing" ? returned : undefined
  return { index, error, jitter: 0, maxBatchSize, mustSplit: false, fallback, nowMillis }
}

/** One attempt, repeated without a wait while its outcome is `Repeat`. */
const attempt = Effect.fnUntraced(function* <A>(
  plan: Plan<A>,
  from: State<A>,
  given?: Outcome<A>,
): Effect.fn.Return<Returned<A>, Stopped<A>> {
  const clock = yield* Clock.Clock
  const leftMillis = from.deadlineAtMillis - MonotonicClock.millisOf(clock)
  const [only] = from.candidates
  const index =
    only !== undefined && from.candidates.length === 1 ? only : yield* chooseEndpoint(plan, from, leftMillis)
  // Sound: candidates are indexes of the pool.
  const member = plan.pool.endpoints[index]!
  if (given === undefined) yield* Effect.mapError(waitForTurn(plan, from, member, leftMillis), ended)
  const outcome =
    given ?? (yield* member.batcher.ask(askOf(plan, from, MonotonicClock.millisOf(clock)), plan.queueOf(member)))
  const state = outcome._tag === "Success" ? from : { ...from, windowMillis: regroupMillis }
  if (outcome._tag === "Repeat") {
    const maxBatchSize = Math.min(state.maxBatchSize, outcome.maxBatchSize)
    return yield* attempt(plan, { ...state, maxBatchSize, attempts: state.attempts.concat(outcome.attempts) })
  }
  const settled = record(plan, index, outcome, MonotonicClock.millisOf(clock))
  if ("value" in settled) return settled
  const { pauseMillis, step } = decide(plan, state, settled)
  if (pauseMillis !== undefined) yield* plan.pause.ask(member.batcher.endpoint, Duration.millis(pauseMillis))
  return yield* Effect.fail({ error: settled.error, step, fallback: settled.fallback ?? state.fallback })
})

const logRetry = <A>(plan: Plan<A>, { error }: Stopped<A>, state: State<A>, waitMillis: number) =>
  Effect.contextWith((context: Context.Context<never>) => {
    const { call, onEvent } = plan
    Telemetry.retried(call.method, Telemetry.kindOf(error), context)
    const { _tag: tag, message } = error
    const host = "host" in error ? error.host : ""
    const wait = Duration.millis(waitMillis)
    if (onEvent !== undefined) {
      EventReporter.notify(onEvent, {
        _tag: "Retry",
        call: call.id,
        attempt: state.attempt,
        host,
        error: tag,
        message,
        wait,
        waitMillis,
      })
    }
    return Effect.logDebug("Retrying a call").pipe(
      Effect.annotateLogs({
        method: Telemetry.methodLabel(call.method),
        host,
        attempt: state.attempt,
        maxAttempts: maxAttemptsOf(plan),
        error: tag,
        waitMillis: Math.round(waitMillis),
      }),
    )
  })

const initial = <A>(plan: Plan<A>, nowMillis: number): State<A> => ({
  ...Retry.initial(plan.policy, nowMillis),
  candidates: plan.among,
  untried: plan.among,
  attempts: [],
  maxBatchSize: plan.maxBatchSize,
  windowMillis: 0,
  fallback: undefined,
})

/** Sends the first attempts of calls to one endpoint in one request: returns their outcomes, or `null` if they must be sent one by one. */
export const sendAll = Effect.fnUntraced(function* <A>(
  plans: ReadonlyArray<Plan<A>>,
  index: number,
  maxCalls: number,
): Effect.fn.Return<ReadonlyArray<Outcome<A>> | null> {
  const [first] = plans
  const member = first?.pool.endpoints[index]
  if (first === undefined || member === undefined || member.bucket !== undefined) return null
  if (Duration.toMillis(yield* first.pause.remaining(member.batcher.endpoint)) > 0) return null
  const now = yield* MonotonicClock.millis
  return yield* member.batcher.askAll(
    plans.map((plan) => askOf(plan, initial(plan, now), now)),
    maxCalls,
  )
})

/** Value of a first attempt that ends its call; otherwise `undefined`. */
export const valueOf = <A>(
  plan: Plan<A>,
  index: number,
  outcome: Outcome<A>,
  nowMillis: number,
): Returned<A> | undefined => {
  if (outcome._tag !== "Success") return undefined
  const settled = record(plan, index, outcome, nowMillis)
  return "value" in settled ? settled : undefined
}

/**
 * Runs a call to its end, starting from the outcome of its first attempt if that was sent with others. One deadline covers all attempts,
 * which started at `sentAtMillis` of the monotonic clock.
 */
export const run = <A>(
  plan: Plan<A>,
  first?: { readonly outcome: Outcome<A>; readonly sentAtMillis: number },
): Effect.Effect<Returned<A>, CallError> =>
  Retry.run<Returned<A>, Stopped<A>, State<A>, never>({
    initial: (nowMillis) => initial(plan, first?.sentAtMillis ?? nowMillis),
    attempt: (state) => attempt(plan, state, state.attempt === 1 ? first?.outcome : undefined),
    next: (_, { error }) => error.step,
    onRetry: (stopped, state, { waitMillis }) => logRetry(plan, stopped, state, waitMillis),
  }).pipe(
    Effect.catch(({ error, fallback }) => (fallback === undefined ? Effect.fail(error) : Effect.succeed(fallback))),
  )
