/** One call of a client: its limits, its span and metrics, and its end with the scope of the client. */
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
  /** Indexes of the endpoints that its calls may ask. */
  readonly among: ReadonlyArray<number>
  readonly limits: Result.Result<Limits, InvalidOption>
  readonly nextId: () => number
  /** Ends every call of a client whose scope has closed; undefined without a scope. */
  readonly closing: Closing | undefined
  /** How responses are read where results are wanted as bytes. */
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
  /** Headers of the calls beside those of the client; undefined for none. */
  readonly headers?: CallOptions["headers"]
}

export const limitsOf = (settings: Settings): Limits => {
  const { policy, maxBytes, maxItemBytes = maxBytes, isBatched, isShared } = settings
  return { policy, maxBytes, maxItemBytes, isBatched, isShared }
}

/** The limits with the options of some calls applied; `endpoint` is one that they may ask. */
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

/** The value of a call and the number of its attempts. */
export type Counted<A> = readonly [value: A, attempts: number]

/** Runs under a span that ends without the value: a tracer that keeps exits would keep whole responses in memory, and print them. */
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
        ...(chain === undefined ? {} : { "daybook.chain": chain }),
        ...attributes,
      },
    } as const
    const traced = Effect.useSpan(`RpcClient.${name}`, options, (span) =>
      Effect.matchEffect(Effect.withParentSpan(run, span, { captureStackTrace: false }), {
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
      }),
    )
    // Sound: an effect that succeeds has set its value.
    return Effect.map(traced, () => value as A)
  })

/** How a call is batched. */
export interface Batching {
  readonly maxBatchSize: number
  readonly isShared: boolean
  readonly queueOf: (member: CallRunner.Member) => Queue
}

/** Calls that would delay the others of a batch, or that may have side effects, are sent alone unless the caller batches them. */
const isSentAlone = (method: string): boolean =>
  !RpcMethod.isName(method) || RpcMethod.all[method].exposure === "operator"

const batchingOf = ({ headers, isBatched, isShared }: Limits, method: string): Batching => ({
  maxBatchSize: isBatched && headers === undefined && !isSentAlone(method) ? Number.POSITIVE_INFINITY : 1,
  isShared: isShared && headers === undefined && RpcMethod.isName(method),
  queueOf: (member) => member.batcher.queue,
})

/** Runs a call: counted, timed, and interrupted when its client's scope closes. */
export const run = <A>(
  calling: Calling,
  method: string,
  params: unknown,
  decode: Decode<A>,
  batching?: Batching,
): Effect.Effect<Counted<A>, CallError> =>
  Effect.withFiber((fiber) => {
    const { among, closing, nextId, reading, settings } = calling
    if (Result.isFailure(calling.limits)) return Effect.die(calling.limits.failure)
    if (closing?.isClosed() === true) return Effect.interrupt
    const limits = calling.limits.success
    const { maxPause, pool, pause } = settings
    const { headers, policy, maxBytes, maxItemBytes } = limits
    const call = { id: nextId(), method, params }
    const { isShared, maxBatchSize, queueOf } = batching ?? batchingOf(limits, method)
    const running = CallRunner.run({
      pool,
      among,
      pause,
      policy,
      maxPause,
      call,
      maxBytes,
      maxItemBytes,
      decode,
      isShared,
      maxBatchSize: reading === undefined ? maxBatchSize : 1,
      queueOf,
      headers,
      reading,
      onEvent: settings.onEvent,
    })
    const clock = fiber.getRef(Clock.Clock)
    const from = MonotonicClock.millisOf(clock)
    const count = (kind: string) => Telemetry.called(method, kind, MonotonicClock.millisOf(clock) - from, fiber.context)
    return Effect.matchEffect(closing === undefined ? running : Effect.raceFirst(running, closing.closed), {
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
