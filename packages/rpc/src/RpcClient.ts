/**
 * Calls a node over JSON-RPC: one method per wire name, results validated and typed, every failure one of a typed union.
 * A reply is given to the call whose id it carries and to no other. For promises use `@daybook/rpc/promise`.
 */
import * as RpcMethod from "@daybook/schema/RpcMethod"
import { InvalidOption, InvalidResponse } from "@daybook/transport/ClientError"
import { shorten } from "@daybook/transport/Redaction"
import * as RetryPolicy from "@daybook/transport/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import type * as Scope from "effect/Scope"
import * as SchemaParser from "effect/SchemaParser"
import type { Call, Known, Methods, ReturnedBy } from "./Method.ts"
import type { CallOptions, Options } from "./Options.ts"
import type { CallError } from "./RpcError.ts"
import { encodeParams, notCalls, rawParams, requestOf } from "./internal/params.ts"
import { describeWhole, firstProblem } from "./internal/problem.ts"
import * as retry from "./internal/retry.ts"
import * as pools from "./internal/pool.ts"
import type { Queue } from "./internal/batcher.ts"
import type { Answer } from "./internal/reading.ts"
import { callKinds, callOptions, read, type Settings } from "./internal/settings.ts"
import * as telemetry from "./internal/telemetry.ts"

export type {
  BatchOptions,
  CallOptions,
  CommonOptions,
  EndpointOptions,
  Options,
  ProviderOptions,
  RateLimit,
  UrlOptions,
} from "./Options.ts"

/**
 * A request by name, with parameters as the wire has them.
 *
 * Source: EIP-1193.
 */
export interface RawRequest {
  readonly method: string
  /** JSON values; bigints are written as hex quantities. Default none. */
  readonly params?: ReadonlyArray<unknown> | object | undefined
  /** True: the result of a method that is known must fit it, or the call fails with `InvalidResponse`. The value stays the raw one. Default false. */
  readonly checked?: boolean | undefined
}

/**
 * The client. Beside what is listed here it has each method of `RpcMethod.all` by its wire name.
 *
 * **Errors** (of every call)
 * - `InvalidParams`: a parameter does not fit; nothing was sent.
 * - `RpcError`: the node's own error; tried again when its kind is transient, never after a revert or wrong parameters.
 * - `RateLimited`: tried again after the time the server asked for, when that fits the deadline.
 * - `TransportError`, `TimeoutError`: tried again while attempts and time last.
 * - `InvalidResponse`: the answer is not one to this call. Tried again only when it broke off or a gateway gave it.
 * - `Unauthorized`: the key is not accepted. Not tried again.
 */
export interface Client extends Methods {
  /** Host and port of the node, as in `node.example:8545`; of several, the first. */
  readonly host: string
  /** Any method; the result is the raw JSON value of the wire. */
  readonly request: (request: RawRequest) => Effect.Effect<unknown, CallError>
  /** Any method; the JSON text of the result as the node wrote it, each number and space kept. */
  readonly requestText: (method: string, params?: RawRequest["params"]) => Effect.Effect<string, CallError>
  /**
   * Several calls in one request. Each has a result of its own, in the order of the calls; replies are matched by id.
   * A call that fails does not touch the others, and only calls that failed for now are sent again. A server that refuses so many
   * at once gets fewer, from then on. What is no list of calls is a defect: it dies with `InvalidParams`.
   */
  readonly batch: <const Calls extends ReadonlyArray<Call>>(
    calls: Calls & Known<Calls>,
  ) => Effect.Effect<{ readonly [I in keyof Calls]: Result.Result<ReturnedBy<Calls[I]>, CallError> }>
  /** The same client, sharing pauses and ids, with other limits. One that makes no sense ends each call with the defect `InvalidOption`. */
  readonly with: (options: CallOptions) => Client
  /**
   * The same client held to one endpoint, the best one now, so that what belongs together comes from one node: a block, its receipts, its
   * traces. Its calls never fail over. Of several endpoints the best must have answered: where it has not, or has failed since,
   * `eth_chainId` is asked first, failing over, and the best is chosen after that.
   */
  readonly pin: Effect.Effect<Client>
}

/**
 * The client as a service.
 *
 * **Example** (Reading a block)
 *
 * ```ts
 * import * as RpcClient from "@daybook/rpc/RpcClient"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const client = yield* RpcClient.RpcClient
 *   const block = yield* client.eth_getBlockByNumber("latest", true)
 *   return block?.transactions.map((transaction) => transaction.value)
 * })
 * const provider = { rpcUrl: "https://rpc.example", chain: "eth", apiKey: "my key" }
 * export const runnable = program.pipe(Effect.provide(RpcClient.layer(provider)))
 * ```
 */
export class RpcClient extends Context.Service<RpcClient, Client>()("@daybook/rpc/RpcClient") {}

type Read = (input: unknown) => Result.Result<unknown, SchemaIssue.Issue>

const readers = new WeakMap<Schema.Codec<unknown, unknown>, Read>()

const readerOf = (schema: Schema.Codec<unknown, unknown>): Read => {
  const known = readers.get(schema)
  if (known !== undefined) return known
  const reader = SchemaParser.decodeUnknownResult(schema)
  readers.set(schema, reader)
  return reader
}

const typed = (
  name: RpcMethod.Name,
  params: ReadonlyArray<unknown>,
  answer: Answer,
): Result.Result<unknown, CallError> => {
  const decoded = readerOf(RpcMethod.resultOf(name, params))(answer.value)
  if (Result.isSuccess(decoded)) return Result.succeed(decoded.success)
  const { reply } = answer
  const issue = firstProblem(decoded.failure, answer.value, (part) => shorten(reply.scrub(describeWhole(part)), 100))
  return Result.fail(
    new InvalidResponse({
      ...reply,
      reason: "content",
      path: `${answer.isBare ? "body" : "result"}${issue.path}`,
      received: issue.received,
      expected: issue.expected,
    }),
  )
}

const attemptsOf = (error: CallError): number => (error._tag === "InvalidParams" ? 0 : error.attempts.length)

/** A client's calls: where they may go and what holds for them. */
interface Calling {
  readonly settings: Settings
  readonly members: ReadonlyArray<pools.Member>
  readonly limits: Result.Result<Limits, InvalidOption>
  readonly nextId: () => number
  /** Ends every call of a client whose scope has ended; undefined without one. */
  readonly closing: Closing | undefined
}

interface Closing {
  readonly isClosed: () => boolean
  readonly closed: Effect.Effect<never>
}

interface Limits {
  readonly policy: RetryPolicy.RetryPolicy
  readonly maxBytes: number
  readonly maxItemBytes: number
  readonly isBatched: boolean
  readonly isShared: boolean
}

const limitsOf = (settings: Settings): Limits => {
  const { policy, maxBytes, maxItemBytes = maxBytes, isBatched, isShared } = settings
  return { policy, maxBytes, maxItemBytes, isBatched, isShared }
}

const changed = (limits: Limits, given: CallOptions): Result.Result<Limits, InvalidOption> =>
  Result.flatMap(callOptions(given, callKinds), ({ timeout, maxBytes, batch, share }) => {
    const policy =
      timeout === undefined ? Result.succeed(limits.policy) : RetryPolicy.withDeadline(limits.policy, timeout)
    return Result.map(policy, (own) => ({
      policy: own,
      maxBytes: maxBytes ?? limits.maxBytes,
      maxItemBytes: Math.min(limits.maxItemBytes, maxBytes ?? limits.maxItemBytes),
      isBatched: batch ?? limits.isBatched,
      isShared: share ?? limits.isShared,
    }))
  })

const hostOf = ({ members }: Calling): string => members[0]?.batcher.endpoint.host ?? ""

/** Runs under a span that ends without the value: a tracer that keeps exits would keep whole answers alive and print them. */
const spanned = <A>(
  calling: Calling,
  name: string,
  attributes: Readonly<Record<string, unknown>>,
  run: Effect.Effect<readonly [A, number], CallError>,
): Effect.Effect<A, CallError> =>
  Effect.suspend(() => {
    let value: A | undefined
    const { chain } = calling.settings
    const noted = Effect.useSpan(
      `RpcClient.${name}`,
      {
        kind: "client",
        attributes: {
          "rpc.system": "jsonrpc",
          "rpc.method": name,
          "server.address": hostOf(calling),
          ...(chain === undefined ? {} : { "daybook.chain": chain }),
          ...attributes,
        },
      },
      (span) =>
        Effect.matchEffect(Effect.withParentSpan(run, span, { captureStackTrace: false }), {
          onFailure: (error) => {
            span.attribute("daybook.attempts", attemptsOf(error))
            return Effect.fail(error)
          },
          onSuccess: ([result, attempts]) => {
            value = result
            span.attribute("daybook.attempts", attempts)
            return Effect.void
          },
        }),
    )
    // Sound: an effect that succeeds has kept its value.
    return Effect.map(noted, () => value as A)
  })

/** Calls that a batch of their own would hold up, or that may change something, go alone unless asked for together. */
const goesAlone = (method: string): boolean =>
  !RpcMethod.isName(method) || RpcMethod.all[method].exposure === "operator"

interface Way {
  readonly maxBatchSize: number
  readonly isShared: boolean
  readonly queueOf: (member: pools.Member) => Queue
}

const wayOf = ({ isBatched, isShared }: Limits, method: string): Way => ({
  maxBatchSize: isBatched && !goesAlone(method) ? Number.POSITIVE_INFINITY : 1,
  isShared: isShared && RpcMethod.isName(method),
  queueOf: (member) => member.batcher.queue,
})

/** One call: counted, timed, and ended with the scope of its client. */
const started = <A>(
  calling: Calling,
  method: string,
  params: unknown,
  accept: (answer: Answer) => Result.Result<A, CallError>,
  way?: Way,
): Effect.Effect<readonly [A, number], CallError> =>
  Effect.withFiber((fiber) => {
    const { closing, members, nextId, settings } = calling
    if (Result.isFailure(calling.limits)) return Effect.die(calling.limits.failure)
    if (closing?.isClosed() === true) return Effect.interrupt
    const limits = calling.limits.success
    const { pool, pause } = settings
    const { policy, maxBytes, maxItemBytes } = limits
    const running = retry.run({
      pool,
      members,
      pause,
      policy,
      call: { id: nextId(), method, params },
      maxBytes,
      maxItemBytes,
      accept,
      ...(way ?? wayOf(limits, method)),
    })
    const clock = fiber.getRef(Clock.Clock)
    const from = clock.monotonicTimeNanosUnsafe()
    const count = (kind: string) =>
      telemetry.called(method, kind, Number(clock.monotonicTimeNanosUnsafe() - from) / 1e6, fiber.context)
    return Effect.matchEffect(closing === undefined ? running : Effect.raceFirst(running, closing.closed), {
      onFailure: (error) => {
        count(telemetry.kindOf(error))
        return Effect.fail(error)
      },
      onSuccess: ({ value, attempts }) => {
        count("success")
        return Effect.succeed([value, attempts.length] as const)
      },
    })
  })

const untyped = <A>(
  calling: Calling,
  method: string,
  given: unknown,
  accept: (answer: Answer, params: unknown) => Result.Result<A, CallError>,
) =>
  spanned(
    calling,
    /^\w{1,64}$/.test(method) ? method : "other",
    {},
    Effect.suspend(() => Effect.fromResult(rawParams(method, given))).pipe(
      Effect.flatMap((params) => started(calling, method, params, (answer) => accept(answer, params))),
    ),
  )

const callTyped = (calling: Calling, name: RpcMethod.Name, given: ReadonlyArray<unknown>, way?: Way) =>
  spanned(
    calling,
    name,
    {},
    Effect.suspend(() => Effect.fromResult(encodeParams(name, given))).pipe(
      Effect.flatMap((params) => started(calling, name, params, (answer) => typed(name, params, answer), way)),
    ),
  )

const batchOf = (
  calling: Calling,
  calls: ReadonlyArray<{ readonly method: string; readonly params?: ReadonlyArray<unknown> }>,
) =>
  Effect.suspend(() => {
    const queues = new Map<pools.Member, Queue>()
    const queueOf = (member: pools.Member): Queue => {
      const known = queues.get(member)
      if (known !== undefined) return known
      const made: Queue = { maxCalls: calling.settings.maxHandCalls, windowMillis: 0, items: [] }
      queues.set(member, made)
      return made
    }
    const way: Way = { maxBatchSize: Number.POSITIVE_INFINITY, isShared: false, queueOf }
    return Effect.forEach(
      calls,
      (call, at) => {
        const read = requestOf(call, at)
        if (Result.isFailure(read)) return Effect.succeed(read)
        const { method } = read.success
        const params = read.success.params ?? []
        // Sound: the type of `batch` lets no other name in, and `encodeParams` refuses one that comes all the same.
        return Effect.result(callTyped(calling, method as RpcMethod.Name, params as ReadonlyArray<unknown>, way))
      },
      { concurrency: "unbounded" },
    )
  })

/** The best endpoint, after a call that finds out where that is not known. */
const healthy = Effect.fnUntraced(function* (calling: Calling) {
  const { members, settings } = calling
  const best = retry.best(settings.pool, members, settings.pause)
  const first = yield* best
  if (members.length === 1 || pools.isProven(first)) return first
  yield* Effect.ignore(callTyped(calling, "eth_chainId", []))
  return yield* best
})

const build = (calling: Calling): Client => {
  const methods: Record<string, unknown> = {}
  for (const name of Object.keys(RpcMethod.all)) {
    if (RpcMethod.isName(name)) methods[name] = (...params: ReadonlyArray<unknown>) => callTyped(calling, name, params)
  }
  const client = {
    ...methods,
    host: hostOf(calling),
    request: (given: RawRequest) =>
      Effect.flatMap(
        Effect.suspend(() => Effect.fromResult(requestOf(given))),
        ({ method, params, checked }) =>
          untyped(calling, method, params, (answer, sent) =>
            checked && RpcMethod.isName(method) && Array.isArray(sent)
              ? Result.map(typed(method, sent, answer), () => answer.value)
              : Result.succeed(answer.value),
          ),
      ),
    requestText: (method: string, params?: RawRequest["params"]) =>
      untyped(calling, method, params, (answer) => Result.succeed(answer.text())),
    batch: (calls: ReadonlyArray<Call>) =>
      !Array.isArray(calls)
        ? Effect.die(notCalls(calls))
        : spanned(
            calling,
            "batch",
            { "daybook.batch.size": calls.length },
            Effect.map(batchOf(calling, calls), (results) => {
              const attempts = results.map((result) => (Result.isFailure(result) ? attemptsOf(result.failure) : 1))
              return [results, Math.max(0, ...attempts)] as const
            }),
          ),
    with: (options: CallOptions) =>
      build({ ...calling, limits: Result.flatMap(calling.limits, (limits) => changed(limits, options)) }),
    pin: Effect.map(healthy(calling), (member) => build({ ...calling, members: [member] })),
  }
  // Sound: the loop adds each name of `all`, and each call decodes by the schema that its type is derived from.
  return client as unknown as Client
}

const start = (settings: Settings, closing: Closing | undefined): Client => {
  let lastId = 0
  const limits = Result.succeed(limitsOf(settings))
  return build({ settings, members: settings.pool.members, limits, nextId: () => ++lastId, closing })
}

/**
 * Makes a client. While none of its calls runs, nothing does: there is nothing to close. `makeScoped` also ends calls that still run.
 *
 * **Errors**
 * - `InvalidOption`: an option makes no sense; its message never shows a URL or a key.
 */
export const make = (options: Options): Effect.Effect<Client, InvalidOption> =>
  Effect.map(read(options), (settings) => start(settings, undefined))

/**
 * Makes a client that lives as long as its scope: when that ends, every call of the client is interrupted, its socket closed, and none begins.
 *
 * **Errors**
 * - `InvalidOption`: an option makes no sense; its message never shows a URL or a key.
 */
export const makeScoped = (options: Options): Effect.Effect<Client, InvalidOption, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* read(options)
    const closed = Deferred.makeUnsafe<never>()
    yield* Effect.addFinalizer(() => Deferred.interrupt(closed))
    return start(settings, { isClosed: () => Deferred.isDoneUnsafe(closed), closed: Deferred.await(closed) })
  })

/**
 * Makes a client, or throws the `InvalidOption` that `make` fails with. For callers outside Effect.
 */
export const makeUnsafe = (options: Options): Client => Result.getOrThrow(Effect.runSync(Effect.result(make(options))))

/**
 * Provides a client; its calls end with the layer's scope.
 */
export const layer = (options: Options): Layer.Layer<RpcClient, InvalidOption> =>
  Layer.effect(RpcClient, makeScoped(options))

const variables: Readonly<Record<string, string>> = {
  url: "DAYBOOK_RPC_URL",
  rpcUrl: "DAYBOOK_RPC_URL",
  apiKey: "DAYBOOK_API_KEY",
  chain: "DAYBOOK_CHAIN",
}

const namingVariables = (error: InvalidOption | Config.ConfigError): InvalidOption | Config.ConfigError => {
  const variable = error._tag === "InvalidOption" ? variables[error.option] : undefined
  return error._tag === "InvalidOption" && variable !== undefined
    ? new InvalidOption({ option: variable, issue: error.issue })
    : error
}

/**
 * Provides a client from the configuration.
 *
 * **Details**
 * - `DAYBOOK_RPC_URL`: a node's URL, or a provider's when there is a key.
 * - `DAYBOOK_API_KEY`: the provider's key. `DAYBOOK_CHAIN`: its chain, by default `eth`.
 *
 * Source: decision 0007 (the default chain).
 */
export const layerConfig: Layer.Layer<RpcClient, InvalidOption | Config.ConfigError> = Layer.effect(
  RpcClient,
  Effect.gen(function* () {
    const url = yield* Config.Redacted("DAYBOOK_RPC_URL")
    const apiKey = yield* Config.option(Config.Redacted("DAYBOOK_API_KEY"))
    const chain = yield* Config.option(Config.String("DAYBOOK_CHAIN"))
    if (Option.isSome(apiKey)) {
      return yield* makeScoped({ rpcUrl: url, chain: Option.getOrElse(chain, () => "eth"), apiKey: apiKey.value })
    }
    if (Option.isNone(chain)) return yield* makeScoped({ url })
    const issue = "is missing, but DAYBOOK_CHAIN is set. Set both for a provider, or neither for a node's own URL."
    return yield* Effect.fail(new InvalidOption({ option: "DAYBOOK_API_KEY", issue }))
  }).pipe(Effect.mapError(namingVariables)),
)
