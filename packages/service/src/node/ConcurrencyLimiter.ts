/**
 * Adaptive concurrency limit of one node (additive increase, multiplicative decrease). It doubles while the node is fast; once the node is
 * slow, overloaded or rate-limiting, it halves, and then grows by one at a time. The client decides which calls share a request.
 */
import type { Call, Methods } from "@daybook/rpc/Method"
import type * as RpcClient from "@daybook/rpc/RpcClient"
import type { CallError } from "@daybook/rpc/RpcError"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"

/**
 * Response to several calls in one request.
 */
export interface BatchResponse {
  /** In call order. */
  readonly results: ReadonlyArray<Result.Result<unknown, CallError>>
  /** Duration of the request, in milliseconds. */
  readonly millis: number
  /** Whether the node is overloaded, rate-limiting or unreachable. */
  readonly isOverloaded: boolean
}

/**
 * Calls to a node within its concurrency limit.
 */
export interface ConcurrencyLimiter {
  readonly calls: Methods
  /** Calls any method; returns the raw JSON value. */
  readonly request: (request: RpcClient.RawRequest) => Effect.Effect<unknown, CallError>
  /** Sends several calls in as few requests as the node accepts; each request counts as one open call. */
  readonly batch: (calls: ReadonlyArray<Call>) => Effect.Effect<BatchResponse>
  /** Current maximum number of open calls. */
  readonly limit: () => number
  /** Shortest duration of the recent calls, in milliseconds: the minimum latency of a response. 0 before the first. */
  readonly latencyMillis: () => number
}

/**
 * State of the limit: a plain value.
 */
export interface Limit {
  readonly calls: number
  /** Upper bound of the limit. */
  readonly max: number
  /** Until the first decrease. */
  readonly isDoubling: boolean
  /** Number of successful calls since the last change. */
  readonly successes: number
  /** When the limit was last decreased, in milliseconds. */
  readonly decreasedAtMillis: number
}

/** Result of a call. */
export interface Outcome {
  readonly isGood: boolean
  readonly startedAtMillis: number
  readonly nowMillis: number
}

/** Durations of calls, to determine the shortest of the most recent ones. */
interface Latency {
  readonly before: number
  readonly shortest: number
  readonly calls: number
}

const windowCalls = 256
const unknownLatency: Latency = { before: Number.POSITIVE_INFINITY, shortest: Number.POSITIVE_INFINITY, calls: 0 }

const observe = ({ before, calls, shortest }: Latency, millis: number): Latency =>
  calls < windowCalls
    ? { before, shortest: Math.min(shortest, millis), calls: calls + 1 }
    : { before: shortest, shortest: millis, calls: 1 }

const latencyOf = ({ before, shortest }: Latency): number => {
  const millis = Math.min(before, shortest)
  return Number.isFinite(millis) ? millis : 0
}

/** As many as a distant node's ranges in flight, so that its first ones are requested concurrently. */
const firstCalls = 24
/** Maximum number of open calls. */
export const maxCalls = 128
/** A call that takes longer counts as slow. */
const slowMillis = 1_500

/**
 * The limit of a node that has not responded yet.
 */
export const initial: Limit = {
  calls: firstCalls,
  max: maxCalls,
  isDoubling: true,
  successes: 0,
  decreasedAtMillis: -1,
}

/**
 * The limit after a call. Calls that started before the last decrease are ignored, because they do not reflect it.
 */
export const step = (limit: Limit, { isGood, nowMillis, startedAtMillis }: Outcome): Limit => {
  const { calls, isDoubling, max } = limit
  if (startedAtMillis <= limit.decreasedAtMillis) return limit
  if (!isGood) {
    return {
      calls: Math.max(1, Math.floor(calls / 2)),
      max,
      isDoubling: false,
      successes: 0,
      decreasedAtMillis: nowMillis,
    }
  }
  const successes = limit.successes + 1
  if (successes < calls || calls >= max) return { ...limit, successes }
  return { ...limit, calls: Math.min(max, isDoubling ? calls * 2 : calls + 1), successes: 0 }
}

/** The limit with another upper bound. */
const withMax = (limit: Limit, max: number): Limit => ({ ...limit, max, calls: Math.min(limit.calls, max) })

/** The node is overloaded or unreachable; reduce concurrency. */
const isOverloaded = (error: CallError): boolean =>
  error._tag === "RateLimited" ||
  error._tag === "TimeoutError" ||
  error._tag === "TransportError" ||
  (error._tag === "InvalidResponse" && (error.status ?? 0) >= 500) ||
  (error._tag === "RpcError" && error.kind === "tooLarge")

/** The methods of a client, each wrapped in `limited`. */
const limitMethods = (
  client: RpcClient.Client,
  limited: <A>(call: Effect.Effect<A, CallError>) => Effect.Effect<A, CallError>,
): Methods => {
  const methods: Record<string, unknown> = {}
  for (const name of Object.keys(RpcMethod.all)) {
    if (!RpcMethod.isName(name)) continue
    // Sound: each method is called with its own parameters, and its result is returned unchanged.
    const call = client[name] as (...params: ReadonlyArray<unknown>) => Effect.Effect<unknown, CallError>
    methods[name] = (...params: ReadonlyArray<unknown>) => limited(call(...params))
  }
  return methods as unknown as Methods
}

/**
 * Limits set by the operator.
 */
export interface Options {
  /** Maximum number of open requests, read before each one. Default 128. */
  readonly concurrency?: () => number
  /** Maximum number of calls in one request. Default: all. */
  readonly maxBatchSize?: number | undefined
}

const chunksOf = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  all.length <= size ? [all] : Arr.chunksOf(all, size)

/**
 * Makes the limiter of a node's client.
 */
export const make = Effect.fnUntraced(function* (
  client: RpcClient.Client,
  { concurrency = () => maxCalls, maxBatchSize = Number.POSITIVE_INFINITY }: Options = {},
): Effect.fn.Return<ConcurrencyLimiter> {
  const maxNow = () => Math.min(concurrency(), maxCalls)
  let limit = withMax(initial, maxNow())
  const permits = yield* Semaphore.make(limit.calls)

  let latency = unknownLatency
  const record = (outcome: Outcome, isAnswered: boolean) => {
    const { calls } = limit
    if (isAnswered) latency = observe(latency, outcome.nowMillis - outcome.startedAtMillis)
    limit = step(limit, outcome)
    return limit.calls === calls ? Effect.void : permits.resize(limit.calls)
  }

  /** Runs a call within the limit, whose upper bound may have changed. */
  const withPermit = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const max = maxNow()
      if (max === limit.max) return permits.withPermits(1)(call)
      limit = withMax(limit, max)
      return Effect.andThen(permits.resize(limit.calls), permits.withPermits(1)(call))
    })

  const limited = <A>(call: Effect.Effect<A, CallError>): Effect.Effect<A, CallError> =>
    withPermit(
      Effect.gen(function* () {
        const startedAtMillis = yield* MonotonicClock.millis
        const outcome = yield* Effect.result(call)
        const nowMillis = yield* MonotonicClock.millis
        const isFast = nowMillis - startedAtMillis < slowMillis
        const isGood = Result.isSuccess(outcome) ? isFast : !isOverloaded(outcome.failure)
        yield* record({ isGood, startedAtMillis, nowMillis }, Result.isSuccess(outcome))
        return yield* Effect.fromResult(outcome)
      }),
    )

  const request = (calls: ReadonlyArray<Call>): Effect.Effect<BatchResponse> =>
    withPermit(
      Effect.gen(function* () {
        const startedAtMillis = yield* MonotonicClock.millis
        const results = yield* client.batch(calls)
        const nowMillis = yield* MonotonicClock.millis
        const isTooMuch = results.some((result) => Result.isFailure(result) && isOverloaded(result.failure))
        yield* record({ isGood: !isTooMuch, startedAtMillis, nowMillis }, results.some(Result.isSuccess))
        return { results, millis: nowMillis - startedAtMillis, isOverloaded: isTooMuch }
      }),
    )

  const batch = (calls: ReadonlyArray<Call>): Effect.Effect<BatchResponse> =>
    Effect.map(
      Effect.forEach(chunksOf(calls, maxBatchSize), request, { concurrency: "unbounded" }),
      (responses): BatchResponse => ({
        results: responses.flatMap(({ results }) => results),
        millis: Math.max(...responses.map(({ millis }) => millis)),
        isOverloaded: responses.some((response) => response.isOverloaded),
      }),
    )

  return {
    calls: limitMethods(client, limited),
    request: (raw) => limited(client.request(raw)),
    batch,
    limit: () => limit.calls,
    latencyMillis: () => latencyOf(latency),
  }
})
