/** Builds a promise client from an Effect client. */
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as CallerStack from "@daybook/transport/internal/CallerStack"
import * as PromiseRunner from "@daybook/transport/internal/PromiseRunner"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Client from "../Client.ts"
import type { Call, Known, PromiseMethods, ReturnedBy } from "../Method.ts"
import type * as Options from "../Options.ts"
import { callKinds, callOptions } from "./Settings.ts"

/**
 * Options of some calls, replacing those of the client.
 */
export interface CallOptions extends Options.CallOptions {
  /** Aborting closes the socket and rejects with the reason of the signal. The timeout still applies. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The client. Besides the members listed here, it has each method of `RpcMethod.all` under its wire name. Promises reject with the errors
 * of `CallError`, which are `Error`s; recognise them by `_tag`.
 */
export interface RpcClient extends PromiseMethods {
  /** Host and port of the node, as in `node.example:8545`. */
  readonly host: string
  /** Calls any method; resolves with the raw wire JSON. Source: EIP-1193. */
  readonly request: (request: Client.RawRequest, options?: CallOptions) => Promise<unknown>
  /** Calls any method; resolves with the JSON text of the result unchanged. */
  readonly requestText: (method: string, params?: Client.RawRequest["params"]) => Promise<string>
  /** Sends several calls in one request; each is settled separately, in call order. */
  readonly batch: <const Calls extends ReadonlyArray<Call>>(
    calls: Calls & Known<Calls>,
  ) => Promise<{ -readonly [I in keyof Calls]: PromiseSettledResult<ReturnedBy<Calls[I]>> }>
  /**
   * Returns the same client with other limits or a signal; pauses, batches and ids are shared. A signal is combined with those of the
   * client. Throws `InvalidOption` for an invalid option.
   */
  readonly with: (options: CallOptions) => RpcClient
  /**
   * Returns the same client restricted to its best endpoint, so that data that belongs together is read from one node. Its calls never fail
   * over. If no endpoint is known to be healthy, `eth_chainId` is called first to find one.
   */
  readonly pin: () => Promise<RpcClient>
}

/** A signal that is aborted when either of two is. */
export const both = (one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined =>
  one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other])

const settled = (result: Result.Result<unknown, unknown>): PromiseSettledResult<unknown> =>
  Result.isSuccess(result)
    ? { status: "fulfilled", value: result.success }
    : { status: "rejected", reason: result.failure }

/** Builds a client whose calls end when the signal is aborted. */
export const build = (client: Client.Client, signal: AbortSignal | undefined): RpcClient => {
  const run = <A>(effect: Effect.Effect<A, unknown>): Promise<A> => PromiseRunner.run(effect, { signal })
  const methods: Record<string, unknown> = {}
  for (const name of Object.keys(RpcMethod.all)) {
    if (!RpcMethod.isName(name)) continue
    // Sound: each method passes its parameters on, and its type is the type of the method.
    const call = client[name] as (...params: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>
    methods[name] = (...params: ReadonlyArray<unknown>) => run(call(...params))
  }
  const withOptions = (options: CallOptions): RpcClient =>
    CallerStack.keepThrown(() => {
      const { signal: added, ...limits } = Result.getOrThrow(callOptions(options, { ...callKinds, signal: "signal" }))
      return build(client.with(limits), both(signal, added))
    })
  const promises = {
    ...methods,
    host: client.host,
    // web3 recognises EIP-1193 providers by an async `request`; otherwise it passes a callback to another function.
    request: async (request: Client.RawRequest, options?: CallOptions) =>
      options === undefined ? run(client.request(request)) : withOptions(options).request(request),
    requestText: (method: string, params?: Client.RawRequest["params"]) => run(client.requestText(method, params)),
    batch: (calls: ReadonlyArray<Call>) =>
      run(Effect.map(client.batch(calls), (results) => results.map((result) => settled(result)))),
    with: withOptions,
    pin: () => run(Effect.map(client.pin, (pinned) => build(pinned, signal))),
  }
  // Sound: the loop adds each name of `all` as a promise of the result of its effect.
  return promises as unknown as RpcClient
}
