/** Builds a client from its settings: typed calls, raw requests, batches, and clients derived from it. */
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Client, RawRequest } from "../Client.ts"
import type { Call as BatchCall } from "../Method.ts"
import type { CallOptions, Options } from "../Options.ts"
import type { CallError } from "../RpcError.ts"
import * as BatchState from "./BatchState.ts"
import type { Queue } from "./Batcher.ts"
import * as Call from "./Call.ts"
import * as CallRunner from "./CallRunner.ts"
import { encodeParams, notCalls, rawParams, requestOf } from "./Params.ts"
import { isHealthy } from "./PoolState.ts"
import * as decode from "./reply/decode.ts"
import { read, type Settings } from "./Settings.ts"

const callTyped = (
  calling: Call.Calling,
  name: RpcMethod.Name,
  given: ReadonlyArray<unknown>,
  batching?: Call.Batching,
): Effect.Effect<unknown, CallError> => {
  const encoded = Effect.suspend(() => Effect.fromResult(encodeParams(name, given)))
  const called = Effect.flatMap(encoded, (params) =>
    Call.run(calling, name, params, decode.typed(name, params), batching),
  )
  return Call.spanned(calling, name, {}, called)
}

/** Calls a method with parameters in wire form. */
export const callRaw = <A>(
  calling: Call.Calling,
  method: string,
  given: unknown,
  decoderOf: (params: unknown) => decode.Decode<A>,
): Effect.Effect<A, CallError> => {
  const checked = Effect.suspend(() => Effect.fromResult(rawParams(method, given)))
  const called = Effect.flatMap(checked, (params) => Call.run(calling, method, params, decoderOf(params)))
  return Call.spanned(calling, /^\w{1,64}$/.test(method) ? method : "other", {}, called)
}

const request = (calling: Call.Calling, given: RawRequest): Effect.Effect<unknown, CallError> =>
  Effect.flatMap(
    Effect.suspend(() => Effect.fromResult(requestOf(given))),
    ({ checked, method, params }) =>
      callRaw(calling, method, params, (wire) =>
        checked && RpcMethod.isName(method) && Array.isArray(wire) ? decode.checked(method, wire) : decode.raw,
      ),
  )

/** Makes one queue per endpoint: the calls of a batch are sent together, apart from all others. */
const batchQueues = (maxCalls: number): ((member: CallRunner.Member) => Queue) => {
  const queues = new Map<CallRunner.Member, Queue>()
  return (member) => {
    const known = queues.get(member)
    if (known !== undefined) return known
    const queue: Queue = BatchState.queue(maxCalls, 0)
    queues.set(member, queue)
    return queue
  }
}

/** A call of a batch in wire form. */
const encoded = ({ method, params }: { readonly method: string; readonly params: unknown }) => {
  // Sound: `encodeParams` rejects names that the type of `batch` does not admit.
  const name = method as RpcMethod.Name
  return Result.map(encodeParams(name, (params ?? []) as ReadonlyArray<unknown>), (wire) => ({
    method: name,
    params: wire,
    decode: decode.typed(name, wire),
  }))
}

const callEach = (calling: Call.Calling, calls: ReadonlyArray<BatchCall>) =>
  Effect.suspend(() => {
    const queueOf = batchQueues(calling.settings.maxBatchCalls)
    const batching: Call.Batching = { maxBatchSize: Number.POSITIVE_INFINITY, isShared: false, queueOf }
    const read = calls.map((call, at) => Result.flatMap(requestOf(call, at), encoded))
    const valid = read.flatMap((one) => (Result.isSuccess(one) ? [one.success] : []))
    return Effect.map(Call.runAll(calling, valid, batching), (results) => {
      let next = 0
      return read.map((one) => (Result.isSuccess(one) ? results[next++]! : Result.fail(one.failure)))
    })
  })

const batch = (calling: Call.Calling, calls: ReadonlyArray<BatchCall>) => {
  if (!Array.isArray(calls)) return Effect.die(notCalls(calls))
  const called = Effect.map(callEach(calling, calls), (results) => {
    const attempts = results.map((result) => (Result.isFailure(result) ? Call.attemptsOf(result.failure) : 1))
    return [results, Math.max(0, ...attempts)] as const
  })
  return Call.spanned(calling, "batch", { "daybook.batch.size": calls.length }, called)
}

/** The best endpoint. If none is known to be healthy, a call is made first to find one. */
const healthy = Effect.fnUntraced(function* (calling: Call.Calling) {
  const { among, settings } = calling
  const best = CallRunner.best(settings, among)
  const first = yield* best
  const state = settings.pool.state().endpoints[first]
  if (among.length === 1 || (state !== undefined && isHealthy(state))) return first
  yield* Effect.ignore(callTyped(calling, "eth_chainId", []))
  return yield* best
})

const callings = new WeakMap<Client, Call.Calling>()

/** Returns what a client was built from. */
export const callingOf = (client: Client): Call.Calling | undefined => callings.get(client)

const build = (calling: Call.Calling): Client => {
  const methods: Record<string, unknown> = {}
  for (const name of Object.keys(RpcMethod.all)) {
    if (RpcMethod.isName(name)) methods[name] = (...params: ReadonlyArray<unknown>) => callTyped(calling, name, params)
  }
  const client = {
    ...methods,
    host: Call.hostOf(calling),
    request: (given: RawRequest) => request(calling, given),
    requestText: (method: string, params?: RawRequest["params"]) => callRaw(calling, method, params, () => decode.text),
    batch: (calls: ReadonlyArray<BatchCall>) => batch(calling, calls),
    with: (options: CallOptions) =>
      build({
        ...calling,
        limits: Result.flatMap(calling.limits, (limits) => Call.withOptions(limits, options, Call.endpointOf(calling))),
      }),
    pin: Effect.map(healthy(calling), (index) => build({ ...calling, among: [index] })),
  }
  // Sound: the loop adds each name of `all`, and each call decodes with the schema from which its type is derived.
  const built = client as unknown as Client
  callings.set(built, calling)
  return built
}

/** Starts a client without sending anything. */
export const start = (settings: Settings, closing: Call.Closing | undefined): Client => {
  let lastId = 0
  return build({
    settings,
    among: Array.from(settings.pool.endpoints.keys()),
    limits: Result.succeed(Call.limitsOf(settings)),
    nextId: () => ++lastId,
    closing,
  })
}

/** Makes a client, or throws `InvalidOption`. Defined here so that promise clients do not bundle layers and their configuration. */
export const makeUnsafe = (options: Options): Client =>
  start(Result.getOrThrow(Effect.runSync(Effect.result(read(options)))), undefined)
