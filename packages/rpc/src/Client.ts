/**
 * The types of a client: its methods, batches and raw requests. `RpcClient` makes one for Effect, `@daybook/rpc/promise` one for promises.
 */
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { Call, Known, Methods, ReturnedBy } from "./Method.ts"
import type { CallOptions } from "./Options.ts"
import type { CallError } from "./RpcError.ts"

/**
 * A request by method name, with parameters in wire form.
 *
 * Source: EIP-1193.
 */
export interface RawRequest {
  readonly method: string
  /** JSON values; bigints are sent as hex quantities. Default none. */
  readonly params?: ReadonlyArray<unknown> | object | undefined
  /** True: the result of a known method must match its schema, or the call fails with `InvalidResponse`. The value stays raw. Default false. */
  readonly checked?: boolean | undefined
}

/**
 * The client. Besides the members listed here, it has each method of `RpcMethod.all` under its wire name.
 *
 * **Errors** (of every call)
 * - `InvalidParams`: a parameter is invalid; nothing was sent.
 * - `RpcError`: the node returned an error. Retried when its kind is transient, never after a revert or invalid parameters.
 * - `RateLimited`: retried after the wait that the server requested, if that ends before the deadline.
 * - `TransportError`, `TimeoutError`: retried while attempts and time remain.
 * - `InvalidResponse`: the response is not a reply to this call. Retried only when it was cut off or sent by a gateway.
 * - `Unauthorized`: the key was rejected. Not retried.
 */
export interface Client extends Methods {
  /** Host and port of the node, as in `node.example:8545`; of the first one if there are several. */
  readonly host: string
  /** Calls any method; returns the raw wire JSON. */
  readonly request: (request: RawRequest) => Effect.Effect<unknown, CallError>
  /** Calls any method; returns the JSON text of the result unchanged, including the spelling of numbers and white space. */
  readonly requestText: (method: string, params?: RawRequest["params"]) => Effect.Effect<string, CallError>
  /**
   * Sends several calls in one request. Each has its own result, in the order of the calls; replies are matched by id.
   *
   * **Details**
   * - A failed call does not affect the others; only calls with transient failures are sent again.
   * - With one endpoint, a call that ends with the first request has no span of its own: it is covered by the spans of the batch and its
   *   request.
   * - When the server rejects a batch because of its size, the batch is split and later batches are smaller.
   * - Any argument other than a list of calls is a defect: the effect dies with `InvalidParams`.
   */
  readonly batch: <const Calls extends ReadonlyArray<Call>>(
    calls: Calls & Known<Calls>,
  ) => Effect.Effect<{ readonly [I in keyof Calls]: Result.Result<ReturnedBy<Calls[I]>, CallError> }>
  /** Returns the same client with other limits; pauses and ids are shared. After an invalid option, each call dies with `InvalidOption`. */
  readonly with: (options: CallOptions) => Client
  /**
   * Returns the same client restricted to its best endpoint, so that data that belongs together, such as a block with its receipts and
   * traces, is read from one node. Its calls never fail over. If no endpoint is known to be healthy, `eth_chainId` is called first to find
   * one.
   */
  readonly pin: Effect.Effect<Client>
}
