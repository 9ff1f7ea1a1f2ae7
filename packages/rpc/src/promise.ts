/**
 * The client for programs without Effect: the same methods as promises that reject with the typed error itself,
 * and `request` as EIP-1193 has it.
 */
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as OptionCheck from "@daybook/transport/internal/OptionCheck"
import * as PromiseRunner from "@daybook/transport/internal/PromiseRunner"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Call, Known, PromiseMethods, ReturnedBy } from "./Method.ts"
import { callKinds, callOptions, optionKinds } from "./internal/Settings.ts"
import * as Client from "./RpcClient.ts"

/**
 * What holds for calls in place of the client's own options.
 */
export interface CallOptions extends Client.CallOptions {
  /** Closes the socket and rejects with the signal's reason. It never replaces the timeout. */
  readonly signal?: AbortSignal | undefined
}

/**
 * What a client is made of.
 */
export type Options = Client.Options & {
  /** Ends every call of the client. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The client. Beside what is listed here it has each method of `RpcMethod.all` by its wire name.
 * Promises reject with the errors of `CallError`, which are real `Error`s; tell them by `_tag`.
 */
export interface RpcClient extends PromiseMethods {
  /** Host and port of the node, as in `node.example:8545`. */
  readonly host: string
  /** Any method; the result is the raw JSON value of the wire. Source: EIP-1193. */
  readonly request: (request: Client.RawRequest, options?: CallOptions) => Promise<unknown>
  /** Any method; the JSON text of the result as the node wrote it. */
  readonly requestText: (method: string, params?: Client.RawRequest["params"]) => Promise<string>
  /** Several calls in one request; each is settled by itself, in the order of the calls. */
  readonly batch: <const Calls extends ReadonlyArray<Call>>(
    calls: Calls & Known<Calls>,
  ) => Promise<{ -readonly [I in keyof Calls]: PromiseSettledResult<ReturnedBy<Calls[I]>> }>
  /**
   * The same client, sharing pauses, batches and ids, with other limits or a signal. A signal is added to those it has. Throws
   * `InvalidOption` when an option makes no sense.
   */
  readonly with: (options: CallOptions) => RpcClient
  /**
   * The same client held to one endpoint, the best one now, so that what belongs together comes from one node. Its calls never fail over.
   * Of several endpoints the best must have answered: where it has not, or has failed since, `eth_chainId` is asked first, failing
   * over, and the best is chosen after that.
   */
  readonly pin: () => Promise<RpcClient>
}

const both = (one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined =>
  one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other])

const settled = (result: Result.Result<unknown, unknown>): PromiseSettledResult<unknown> =>
  Result.isSuccess(result)
    ? { status: "fulfilled", value: result.success }
    : { status: "rejected", reason: result.failure }

/** Options that fit; throws `InvalidOption` for others. Nothing at all counts as an empty object. */
const checked = <A extends object>(
  options: A | null | undefined,
  kinds: Readonly<Record<keyof A, OptionCheck.Kind>>,
): A => {
  Result.getOrThrow(OptionCheck.members(options, kinds))
  // Sound: every member of the options may be left out, or is looked for by those who read them.
  return options ?? ({} as A)
}

const face = (client: Client.Client, signal: AbortSignal | undefined): RpcClient => {
  const run = <A>(effect: Effect.Effect<A, unknown>): Promise<A> => PromiseRunner.run(effect, { signal })
  const methods: Record<string, unknown> = {}
  for (const name of Object.keys(RpcMethod.all)) {
    if (!RpcMethod.isName(name)) continue
    // Sound: each method passes on what it is given; its type says what that is.
    const call = client[name] as (...params: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>
    methods[name] = (...params: ReadonlyArray<unknown>) => run(call(...params))
  }
  const withOptions = (options: CallOptions): RpcClient => {
    const { signal: added, ...limits } = Result.getOrThrow(callOptions(options, { ...callKinds, signal: "signal" }))
    return face(client.with(limits), both(signal, added))
  }
  const promises = {
    ...methods,
    host: client.host,
    request: (request: Client.RawRequest, options?: CallOptions) =>
      options === undefined ? run(client.request(request)) : (async () => withOptions(options).request(request))(),
    requestText: (method: string, params?: Client.RawRequest["params"]) => run(client.requestText(method, params)),
    batch: (calls: ReadonlyArray<Call>) =>
      run(Effect.map(client.batch(calls), (results) => results.map((result) => settled(result)))),
    with: withOptions,
    pin: () => run(Effect.map(client.pin, (pinned) => face(pinned, signal))),
  }
  // Sound: the loop adds each name of `all` as a promise of what the effect gives.
  return promises as unknown as RpcClient
}

/**
 * Makes a client. While none of its calls runs, nothing does: there is nothing to close.
 *
 * **Errors**
 * - Throws `InvalidOption` when an option makes no sense; its message never shows a URL or a key.
 *
 * **Example** (Reading a block and a transaction)
 *
 * ```ts
 * import { createRpcClient } from "@daybook/rpc/promise"
 *
 * const client = createRpcClient({ rpcUrl: "https://rpc.example", chain: "eth", apiKey: "my key", timeout: "5 seconds" })
 * export const newest = async () => {
 *   const block = await client.eth_getBlockByNumber("latest")
 *   return block?.hash == null ? null : client.eth_getTransactionByBlockHashAndIndex(block.hash, 0)
 * }
 * ```
 */
export const createRpcClient = (options: Options): RpcClient => {
  const { signal, ...rest } = checked(options, { ...optionKinds, signal: "signal" })
  return face(Client.makeUnsafe(rest), signal)
}
