/**
 * The types of the calls, derived from `RpcMethod.all`: parameters with their names, and results. A method added there is a method of
 * every client, with its docstring.
 */
import type * as RpcMethod from "@daybook/schema/RpcMethod"
import type * as Brand from "effect/Brand"
import type * as Effect from "effect/Effect"
import type { CallError } from "./RpcError.ts"

/**
 * Values accepted for a parameter of type `T`.
 *
 * **Details**
 * - Hashes, addresses and bytes: hex text in any case. Numbers: `number`, `bigint` or hex text. Values are validated before they are sent.
 */
export type Input<T> = T extends string & Brand.Brand<string>
  ? string
  : T extends bigint | number
    ? bigint | number | `0x${string}`
    : T extends string | boolean | null | undefined
      ? T
      : T extends ReadonlyArray<unknown>
        ? { readonly [K in keyof T]: Input<T[K]> }
        : T extends StateObject
          ? StateBlock
          : T extends object
            ? { readonly [K in keyof T]: Input<T[K]> }
            : T

type StateObject = Extract<typeof RpcMethod.StateBlock.Type, object>

/**
 * Block whose state is read, as an object: its hash or its number.
 *
 * Source: EIP-1898.
 */
export interface StateBlock {
  /** Block hash. */
  readonly blockHash?: string
  /** Block number. */
  readonly blockNumber?: number | bigint | `0x${string}`
  /** True to fail if the block with this hash is not canonical. */
  readonly requireCanonical?: boolean
}

type Name = RpcMethod.Name

type Leading<P> = P extends readonly [...infer L, boolean] ? L : []

/**
 * Call object of `eth_call`, `eth_estimateGas` and `eth_createAccessList`: a transaction that is executed without being submitted.
 *
 * Source: Ethereum JSON-RPC (execution-apis, GenericTransaction).
 */
export interface CallRequest extends Input<typeof RpcMethod.CallRequest.Type> {}

/**
 * Which logs `eth_getLogs` lists: by block range or block, by contract, and by topics. `null` among the topics matches any.
 *
 * Source: Ethereum JSON-RPC; EIP-234.
 */
export interface LogFilter extends Input<typeof RpcMethod.LogFilter.Type> {}

type IsSame<A, B> = [A, B] extends [B, A] ? true : false

/** Input of a parameter, by its name if it has one, so that editors and compiler errors show the name. */
type NamedInput<T> =
  IsSame<T, typeof RpcMethod.CallRequest.Type> extends true
    ? CallRequest
    : IsSame<T, typeof RpcMethod.LogFilter.Type> extends true
      ? LogFilter
      : Input<T>

type Inputs<P extends ReadonlyArray<unknown>> = { [K in keyof P]: NamedInput<P[K]> }

type Unknowns<P extends ReadonlyArray<unknown>> = { readonly [K in keyof P]: unknown }

/**
 * The parameters of a method. The hydrated flag is optional and false by default.
 */
export type Params<N extends Name, Flag extends boolean = boolean> = RpcMethod.All[N] extends {
  readonly hydrated: unknown
}
  ? readonly [...RpcMethod.Named<N, Inputs<Leading<RpcMethod.ParamsOf<N>>>>, hydrated?: Flag]
  : Readonly<RpcMethod.Named<N, Inputs<RpcMethod.ParamsOf<N>>>>

/**
 * The result of a method for the parameters `P`.
 */
export type Returned<N extends Name, P extends ReadonlyArray<unknown>> = RpcMethod.All[N] extends {
  readonly hydrated: unknown
}
  ? P extends Unknowns<Leading<RpcMethod.ParamsOf<N>>>
    ? RpcMethod.ResultOf<N, readonly [false]>
    : P extends readonly [...ReadonlyArray<unknown>, infer Flag extends boolean]
      ? RpcMethod.ResultOf<N, readonly [Flag]>
      : RpcMethod.ResultOf<N, readonly [boolean]>
  : RpcMethod.ResultOf<N>

/**
 * Each method by its wire name, as an effect.
 */
export type Methods = {
  readonly [N in keyof RpcMethod.All]: RpcMethod.All[N] extends { readonly hydrated: unknown }
    ? <Flag extends boolean = false>(
        ...params: Params<N, Flag>
      ) => Effect.Effect<RpcMethod.ResultOf<N, readonly [Flag]>, CallError>
    : (...params: Params<N>) => Effect.Effect<RpcMethod.ResultOf<N>, CallError>
}

/**
 * Each method by its wire name, as a promise.
 */
export type PromiseMethods = {
  readonly [N in keyof RpcMethod.All]: RpcMethod.All[N] extends { readonly hydrated: unknown }
    ? <Flag extends boolean = false>(...params: Params<N, Flag>) => Promise<RpcMethod.ResultOf<N, readonly [Flag]>>
    : (...params: Params<N>) => Promise<RpcMethod.ResultOf<N>>
}

/**
 * One call of a batch.
 */
export type Call = {
  readonly [N in Name]: readonly [] extends Params<N>
    ? { readonly method: N; readonly params?: Params<N> }
    : { readonly method: N; readonly params: Params<N> }
}[Name]

/**
 * Rejects calls with unknown members at compile time.
 */
export type Known<Calls extends ReadonlyArray<Call>> = {
  readonly [I in keyof Calls]: Calls[I] & { readonly [K in Exclude<keyof Calls[I], "method" | "params">]: never }
}

/**
 * The result of one call of a batch.
 */
export type ReturnedBy<C extends Call> = C extends { readonly method: infer N extends Name }
  ? C extends { readonly params: infer P extends ReadonlyArray<unknown> }
    ? Returned<N, P>
    : RpcMethod.ResultOf<N>
  : never
