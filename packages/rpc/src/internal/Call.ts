/** One call of a client: its limits, span and metrics, and its interruption with the client's scope. */
import * as RpcMethod from "@daybook/schema/RpcMethod"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Endpoint from "@daybook/transport/Endpoint"
import * as MonotonicClock from "@daybook/transport/internal/MonotonicClock"
import * as Retry from "@daybook/transport/internal/Retry"
import type * as RetryPolicy from "@daybook/transport/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CallOptions } from "../Options.ts"
import type { CallError } from "../RpcError.ts"
import type { Queue } from "./Batcher.ts"
import * as CallRunner from "./CallRunner.ts"
import type { BytesReading } from "./reply/BytesReading.ts"
import type { Decode } from "./reply/decode.ts"
import { callKinds, callOptions, type Settings } from "./Settings.ts"
import * as Telemetry from "./Telemetry.ts"

/** What the calls of a client have in common. */
export interface Calling {
  readonly settings: Settings
  /** Indexes of the endpoints that its calls may use. */
  readonly among: ReadonlyArray<number>
  readonly limits: Result.Result<Limits, InvalidOption>
  readonly nextId: () => number
  /** Ends every call of a client whose scope has closed; undefined without a scope. */
  readonly closing: Closing | undefined
  /** How responses are read if results are requested as bytes. */
  readonly reading?: BytesReading | undefined
}

export interface Closing {
  readonly isClosed: () => boolean
  readonly closed: Effect.Effect<never>
}

/** The limits of a call. */
export interface Limits {
  readonly policy: RetryPolicy.RetryPolicy
  readonly maxBytes: number
  readonly maxItemBytes: number
  readonly isBatched: boolean
  readonly isShared: boolean
  /** Headers of the calls in addition to those of the client; undefined for none. */
  readonly headers?: CallOptions["headers"]
}

export const limitsOf = (settings: Settings): Limits => {
  const { policy, maxBytes, maxItemBytes = maxBytes, isBatched, isShared } = settings
  return { policy, maxBytes, maxItemBytes, isBatched, isShared }
}

/** Applies the options of some calls to the limits; `endpoint` is any one that they may use. */
export const withOptions = (
  limits: Limits,
  given: CallOptions,
  endpoint: Endpoint.Endpoint | undefined,
): Result.Result<Limits, InvalidOption> =>
  Result.gen(function* () {
    const { batch, headers, maxBytes, share, timeout } = yield* callOptions(given, callKinds)
    if (endpoint !== undefined) yield* Endpoint.withHeaders(endpoint, headers)
    return {
      policy: timeout === undefined ? limits.policy : yield* Retry.withDeadline(limits.policy, timeout),
      maxBytes: maxBytes ?? limits.maxBytes,
      maxItemBytes: Math.min(limits.maxItemBytes, maxBytes ?? limits.maxItemBytes),
      isBatched: batch ?? limits.isBatched,
      isShared: share ?? limits.isShared,
      headers: headers === undefined ? limits.headers : { ...limits.headers, ...headers },
    }
  })

export const endpointOf = ({ among, settings }: Calling) => settings.pool.endpoints[among[0] ?? 0]?.batcher.endpoint

export const hostOf = (calling: Calling): string => endpointOf(calling)?.host ?? ""

export const attemptsOf = (error: CallError): number => (error._tag === "InvalidParams" ? 0 : error.attempts.length)

/** Value of a call and its number of attempts. */
export type Counted<A> = readonly [value: A, attempts: number]

/** Runs in a span that ends without a value: a tracer that keeps exits would retain whole responses and print them. */
export const spanned = <A>(
  calling: Calling,
  name: string,
  attributes: Readonly<Record<string, unknown>>,
  run: Effect.Effect<Counted<A>, CallError>,
): Effect.Effect<A, CallError> =>
  Effect.suspend(() => {
    let value: A | undefined
    const { chain } = calling.settings
    const options = {
      kind: "client",
      attributes: {
        "rpc.system": "jsonrpc",
        "rpc.method": name,
        ...endpointOf(calling)?.attributes,
        ...attributes,
      },
    } as const
    const traced = Effect.useSpan(`RpcClient.${name}`, options, (span) => {
      if (chain !== undefined) span.attribute("daybook.chain", chain)
      return Effect.matchEffect(Effect.withParentSpan(run, span, { captureStackTrace: false }), {
        onFailure: (error) => {
          span.attribute("daybook.attempts", attemptsOf(error))
          span.attribute("error.type", Telemetry.kindOf(error))
          if (error._tag === "RpcError") span.attribute("rpc.jsonrpc.error_code", error.code)
          return Effect.fail(error)
        },
        onSuccess: ([result, attempts]) => {
          value = result
          span.attribute("daybook.attempts", attempts)
          return Effect.void
        },
      })
    })
    // Sound: a successful effect has set its value.
    return Effect.map(traced, () => value as A)
  })

/** How a call is batched. */
export interface Batching {
  readonly maxBatchSize: number
  readonly isShared: boolean
  readonly queueOf: (member: CallRunner.Member) => Queue
}

/** Calls that would delay others in a batch, or that may have side effects, are sent alone unless the caller batches them. */
const isSentAlone = (method: string): boolean =>
  !RpcMethod.isName(method) || RpcMethod.all[method].exposure === "operator"

const batchingOf = ({ headers, isBatched, isShared }: Limits, method: string): Batching => ({
  maxBatchSize: isBatched && headers === undefined && !isSentAlone(method) ? Number.POSITIVE_INFINITY : 1,
  isShared: isShared && headers === undefined && RpcMethod.isName(method),
  queueOf: (member) => member.batcher.queue,
})

/** Makes the plan of a call from its client's limits. */
const planOf = <A>(
  { among, nextId, reading, settings }: Calling,
  limits: Limits,
  { decode, method, params }: CallToSend<A>,
  batching?: Batching,
): CallRunner.Plan<A> => {
  const { maxPause, onEvent, pool, pause } = settings
  const { headers, policy, maxBytes, maxItemBytes } = limits
  const { isShared, maxBatchSize, queueOf } = batching ?? batchingOf(limits, method)
  return {
    pool,
    among,
    pause,
    policy,
    maxPause,
    call: { id: nextId(), method, params },
    maxBytes,
    maxItemBytes,
    decode,
    isShared,
    maxBatchSize: reading === undefined ? maxBatchSize : 1,
    queueOf,
    headers,
    reading,
    onEvent,
  }
}

/** A method with its parameters in wire form, and how to read its result. */
export interface CallToSend<A> {
  readonly method: string
  readonly params: unknown
  readonly decode: Decode<A>
}

/** Runs an effect until the client's scope closes. */
const whileOpen = <A, E>({ closing }: Calling, running: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  closing === undefined ? running : Effect.raceFirst(running, closing.closed)

/** Runs a plan: counted, timed, and interrupted when the client's scope closes. */
const runPlan = <A>(
  calling: Calling,
  plan: CallRunner.Plan<A>,
  first?: Parameters<typeof CallRunner.run<A>>[1],
): Effect.Effect<Counted<A>, CallError> =>
  Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock)
    const from = first?.sentAtMillis ?? MonotonicClock.millisOf(clock)
    const count = (kind: string) =>
      Telemetry.called(plan.call.method, kind, MonotonicClock.millisOf(clock) - from, fiber.context)
    return Effect.matchEffect(whileOpen(calling, CallRunner.run(plan, first)), {
      onFailure: (error) => {
        count(Telemetry.kindOf(error))
        return Effect.fail(error)
      },
      onSuccess: ({ value, attempts }) => {
        count("success")
        return Effect.succeed([value, attempts.length] as const)
      },
    })
  })

/** Runs a call. */
export const run = <A>(
  calling: Calling,
  method: string,
  params: unknown,
  decode: Decode<A>,
  batching?: Batching,
): Effect.Effect<Counted<A>, CallError> =>
  Effect.suspend(() => {
    if (Result.isFailure(calling.limits)) return Effect.die(calling.limits.failure)
    if (calling.closing?.isClosed() === true) return Effect.interrupt
    return runPlan(calling, planOf(calling, calling.limits.success, { method, params, decode }, batching))
  })

/**
 * Runs calls whose first attempts are sent in one request to the only endpoint. A call that does not end with its first attempt continues
 * as if it had been sent alone. Results are in call order.
 */
export const runAll = <A>(
  calling: Calling,
  calls: ReadonlyArray<CallToSend<A>>,
  batching: Batching,
): Effect.Effect<ReadonlyArray<Result.Result<A, CallError>>> =>
  Effect.withFiber((fiber) => {
    const { among, closing, limits, settings } = calling
    const [index, other] = among
    if (Result.isFailure(limits)) return Effect.die(limits.failure)
    if (closing?.isClosed() === true) return Effect.interrupt
    const clock = fiber.getRef(Clock.Clock)
    const now = () => MonotonicClock.millisOf(clock)
    const plans = calls.map((call) => planOf(calling, limits.success, call, batching))
    const sentAtMillis = now()
    const sent =
      index === undefined || other !== undefined
        ? Effect.succeed(null)
        : whileOpen(calling, CallRunner.sendAll(plans, index, settings.maxBatchCalls))
    return Effect.flatMap(sent, (outcomes) => {
      const results: Array<Result.Result<A, CallError>> = []
      const goOn = (plan: CallRunner.Plan<A>, at: number, first?: Parameters<typeof CallRunner.run<A>>[1]) => {
        const called = Effect.result(spanned(calling, plan.call.method, {}, runPlan(calling, plan, first)))
        return Effect.map(called, (result) => void (results[at] = result))
      }
      const going: Array<Effect.Effect<void>> = []
      for (const [at, plan] of plans.entries()) {
        const outcome = outcomes?.[at]
        const returned =
          outcome === undefined || index === undefined ? undefined : CallRunner.valueOf(plan, index, outcome, now())
        if (returned === undefined) {
          going.push(goOn(plan, at, outcome === undefined ? undefined : { outcome, sentAtMillis }))
          continue
        }
        results[at] = Result.succeed(returned.value)
        Telemetry.called(plan.call.method, "success", now() - sentAtMillis, fiber.context)
      }
      return Effect.as(Effect.all(going, { concurrency: "unbounded", discard: true }), results)
    })
  })
