/**
 * Calls a node over JSON-RPC: one method per wire name, results validated and typed, every failure one of a typed union.
 * A reply is given to the call whose id it carries and to no other. For promises use `@daybook/rpc/promise`.
 */
import * as RpcMethod from "@daybook/schema/RpcMethod"
import { InvalidOption, InvalidResponse } from "@daybook/transport/ClientError"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type { Call, Methods, ReturnedBy } from "./Method.ts"
import type { Options } from "./Options.ts"
import type { CallError } from "./RpcError.ts"
import { encodeParams, rawParams } from "./internal/params.ts"
import { firstProblem } from "./internal/problem.ts"
import { memberText } from "./internal/resultText.ts"
import type { Answer, Limits, Session } from "./internal/session.ts"
import { read } from "./internal/settings.ts"

export type { CommonOptions, Options, ProviderOptions, UrlOptions } from "./Options.ts"

/**
 * Limits of calls in place of the client's own.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallOptions extends Limits {}

/**
 * A request by name, with parameters as the wire has them.
 *
 * Source: EIP-1193.
 *
 * @category models
 * @since 0.1.0
 */
export interface RawRequest {
  readonly method: string
  /** JSON values; bigints are written as hex quantities. Default none. */
  readonly params?: ReadonlyArray<unknown> | object | undefined
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
 *
 * @category services
 * @since 0.1.0
 */
export interface Client extends Methods {
  /** Host and port of the node, as in `node.example:8545`. */
  readonly host: string
  /** Any method; the result is the raw JSON value of the wire. */
  readonly request: (request: RawRequest) => Effect.Effect<unknown, CallError>
  /** Any method; the JSON text of the result as the node wrote it, each number and space kept. */
  readonly requestText: (method: string, params?: RawRequest["params"]) => Effect.Effect<string, CallError>
  /**
   * Several calls in one request. Each has a result of its own, in the order of the calls; replies are matched by id.
   * A call that fails does not touch the others, and only calls that failed for now are sent again.
   */
  readonly batch: <const Calls extends ReadonlyArray<Call>>(
    calls: Calls,
  ) => Effect.Effect<{ readonly [I in keyof Calls]: Result.Result<ReturnedBy<Calls[I]>, CallError> }>
  /** The same client, sharing pauses and ids, with other limits. One that makes no sense ends each call with the defect `InvalidOption`. */
  readonly with: (options: CallOptions) => Client
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
 *
 * @category services
 * @since 0.1.0
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
  const problem = firstProblem(decoded.failure, answer.value)
  const { reply } = answer
  return Result.fail(
    new InvalidResponse({
      ...reply,
      reason: "content",
      path: `${answer.isBare ? "body" : "result"}${problem.path}`,
      came: reply.scrub(problem.came),
      expected: problem.expected,
    }),
  )
}

const attemptsOf = (error: CallError): number => (error._tag === "InvalidParams" ? 0 : error.attempts.length)

interface Calling {
  readonly session: Session
  readonly chain: string | undefined
  readonly limits: CallOptions
}

/** Runs under a span that ends without the value: a tracer that keeps exits would keep whole answers alive and print them. */
const spanned = <A>(
  { session, chain }: Calling,
  method: string,
  attributes: Readonly<Record<string, unknown>>,
  run: Effect.Effect<readonly [A, number], CallError>,
): Effect.Effect<A, CallError> =>
  Effect.suspend(() => {
    let value: A | undefined
    const noted = run.pipe(
      Effect.tapError((error) => Effect.annotateCurrentSpan("daybook.attempts", attemptsOf(error))),
      Effect.flatMap(([result, attempts]) => {
        value = result
        return Effect.annotateCurrentSpan("daybook.attempts", attempts)
      }),
      Effect.withSpan(`RpcClient.${method}`, {
        kind: "client",
        attributes: {
          "rpc.system": "jsonrpc",
          "rpc.method": method,
          "server.address": session.endpoint.host,
          ...(chain === undefined ? {} : { "daybook.chain": chain }),
          ...attributes,
        },
      }),
    )
    // Sound: an effect that succeeds has kept its value.
    return Effect.map(noted, () => value as A)
  })

const untyped = <A>(calling: Calling, method: string, given: unknown, result: (answer: Answer) => A) =>
  spanned(
    calling,
    /^\w{1,64}$/.test(method) ? method : "other",
    {},
    Effect.suspend(() => Effect.fromResult(rawParams(method, given))).pipe(
      Effect.flatMap((params) =>
        calling.session.single({ id: calling.session.nextId(), method, params }, calling.limits),
      ),
      Effect.map((answer) => [result(answer), answer.reply.attempts.length] as const),
    ),
  )

const callTyped = (calling: Calling, name: RpcMethod.Name, given: ReadonlyArray<unknown>) =>
  spanned(
    calling,
    name,
    {},
    Effect.gen(function* () {
      const params = yield* Effect.fromResult(encodeParams(name, given))
      const { session, limits } = calling
      const answer = yield* session.single({ id: session.nextId(), method: name, params }, limits)
      return [yield* Effect.fromResult(typed(name, params, answer)), answer.reply.attempts.length] as const
    }),
  )

const batchOf = (
  calling: Calling,
  calls: ReadonlyArray<{ readonly method: string; readonly params?: ReadonlyArray<unknown> }>,
) =>
  Effect.gen(function* () {
    const { session, limits } = calling
    const prepared = calls.map(({ method, params = [] }) => {
      // Sound: the type of `batch` lets no other name in, and `encodeParams` refuses one that comes all the same.
      const name = method as RpcMethod.Name
      return Result.map(encodeParams(name, params), (wire) => ({ id: session.nextId(), method: name, params: wire }))
    })
    const sent = prepared.flatMap((call) => (Result.isSuccess(call) ? [call.success] : []))
    const answers = sent.length === 0 ? [] : yield* session.batch(sent, limits)
    const byId = new Map(sent.map((call, at) => [call.id, answers[at]!]))
    const results = prepared.map((call) =>
      Result.flatMap(call, ({ id, method, params }) =>
        Result.flatMap(byId.get(id)!, (answer) => typed(method, params, answer)),
      ),
    )
    const attempts = answers.map((answer) =>
      Result.isSuccess(answer) ? answer.success.reply.attempts.length : attemptsOf(answer.failure),
    )
    return [results, Math.max(0, ...attempts)] as const
  })

const build = (calling: Calling): Client => {
  const methods: Record<string, unknown> = {}
  for (const name of Object.keys(RpcMethod.all)) {
    if (RpcMethod.isName(name)) methods[name] = (...params: ReadonlyArray<unknown>) => callTyped(calling, name, params)
  }
  const client = {
    ...methods,
    host: calling.session.endpoint.host,
    request: ({ method, params }: RawRequest) => untyped(calling, method, params, (answer) => answer.value),
    requestText: (method: string, params?: RawRequest["params"]) =>
      untyped(calling, method, params, ({ reply, isBare }) =>
        isBare ? reply.text.trim() : (memberText(reply.text, "result") ?? "null"),
      ),
    batch: (calls: ReadonlyArray<Call>) =>
      spanned(calling, "batch", { "daybook.batch.size": calls.length }, batchOf(calling, calls)),
    with: (options: CallOptions) => build({ ...calling, limits: { ...calling.limits, ...options } }),
  }
  // Sound: the loop adds each name of `all`, and each call decodes by the schema that its type is derived from.
  return client as unknown as Client
}

/**
 * Makes a client. It holds no resources: there is nothing to close.
 *
 * **Errors**
 * - `InvalidOption`: an option makes no sense; its message never shows a URL or a key.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options): Effect.Effect<Client, InvalidOption> =>
  Effect.map(read(options), ({ session, chain }) => build({ session, chain, limits: {} }))

/**
 * Makes a client, or throws the `InvalidOption` that `make` fails with. For callers outside Effect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeUnsafe = (options: Options): Client => Result.getOrThrow(Effect.runSync(Effect.result(make(options))))

/**
 * Provides a client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<RpcClient, InvalidOption> => Layer.effect(RpcClient, make(options))

/**
 * Provides a client from the configuration.
 *
 * **Details**
 * - `DAYBOOK_RPC_URL`: a node's URL, or a provider's when there is a key.
 * - `DAYBOOK_API_KEY`: the provider's key. `DAYBOOK_CHAIN`: its chain, by default `eth`.
 *
 * Source: decision 0007 (the default chain).
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<RpcClient, InvalidOption | Config.ConfigError> = Layer.effect(
  RpcClient,
  Effect.gen(function* () {
    const url = yield* Config.Redacted("DAYBOOK_RPC_URL")
    const apiKey = yield* Config.option(Config.Redacted("DAYBOOK_API_KEY"))
    const chain = yield* Config.option(Config.String("DAYBOOK_CHAIN"))
    if (Option.isSome(apiKey)) {
      return yield* make({ rpcUrl: url, chain: Option.getOrElse(chain, () => "eth"), apiKey: apiKey.value })
    }
    if (Option.isNone(chain)) return yield* make({ url })
    const problem = "is missing, but DAYBOOK_CHAIN is set. Set both for a provider, or neither for a node's own URL."
    return yield* Effect.fail(new InvalidOption({ option: "DAYBOOK_API_KEY", problem }))
  }),
)
