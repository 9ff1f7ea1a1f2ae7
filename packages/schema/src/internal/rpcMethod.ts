/**
 * The parts of an entry of `RpcMethod.all`: its type, the vocabulary of its parameters, and its constructors. All types are exported
 * under `RpcMethod`.
 */
import * as Schema from "effect/Schema"
import * as Block from "../Block.ts"

/**
 * API keys that may call a method through the JSON-RPC proxy: every key, or only keys with access to privileged methods.
 *
 * Source: decision 0016.
 */
export type Exposure = "public" | "operator"

/**
 * Part of the chain that determines a result. The result is immutable once its block is final.
 *
 * **Details**
 *
 * - `never`: the result depends on the head, the state or the node, and changes.
 * - `constant`: the result is a fact of the chain.
 * - `blockHash`, `blockNumber`, `block`: the first parameter identifies a block, by hash, by number, or by either.
 * - `transaction`: the first parameter is the hash of a transaction.
 * - `logs`: the first parameter is a filter; its result belongs to a block if the filter selects a single one.
 *
 * Source: decision 0024.
 */
export type Cacheability = "never" | "constant" | "blockHash" | "blockNumber" | "block" | "transaction" | "logs"

/** A tuple of one labelled element for each possible parameter name; editors show the label. */
interface Labels<T> {
  readonly address: [address: T]
  readonly block: [block: T]
  readonly blockCount: [blockCount: T]
  readonly blockHash: [blockHash: T]
  readonly blockOverrides: [blockOverrides: T]
  readonly call: [call: T]
  readonly filter: [filter: T]
  readonly hash: [hash: T]
  readonly hydrated: [hydrated: T]
  readonly index: [index: T]
  readonly newest: [newest: T]
  readonly options: [options: T]
  readonly overrides: [overrides: T]
  readonly percentiles: [percentiles: T]
  readonly simulation: [simulation: T]
  readonly slot: [slot: T]
  readonly slots: [slots: T]
}

/**
 * Name of a parameter.
 *
 * Source: Ethereum JSON-RPC.
 */
export type ParamName = keyof Labels<unknown>

/**
 * The tuple `P` with the names `Names` as element labels.
 *
 * Source: Ethereum JSON-RPC.
 */
export type Labelled<
  Names extends ReadonlyArray<ParamName>,
  P extends ReadonlyArray<unknown>,
> = Names extends readonly [infer N extends ParamName, ...infer Others extends ReadonlyArray<ParamName>]
  ? P extends readonly []
    ? []
    : P extends readonly [infer T, ...infer Rest]
      ? [...Labels<T>[N], ...Labelled<Others, Rest>]
      : P extends readonly [(infer T)?, ...infer Rest]
        ? [...Partial<Labels<T>[N]>, ...Labelled<Others, Rest>]
        : []
  : []

type Elements = ReadonlyArray<Schema.Codec<unknown, unknown>>

type NamesOf<E extends Elements> = { readonly [I in keyof E]: ParamName }

/**
 * A JSON-RPC method.
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3; decision 0016.
 */
export interface RpcMethod<
  Name extends string,
  E extends Elements,
  Names extends ReadonlyArray<ParamName>,
  Result extends Schema.Codec<unknown, unknown>,
> {
  /** Wire name. */
  readonly name: Name
  /** Parameters by position. */
  readonly params: Schema.Tuple<E>
  /** Name of each parameter. */
  readonly paramNames: Names
  /** Result. */
  readonly result: Result
  /** API keys that may call it. */
  readonly exposure: Exposure
  /** Part of the chain that determines the result. */
  readonly cacheability: Cacheability
  /** Parameter that is sent if the caller omits it, because nodes require it; `undefined` for none. */
  readonly defaultParam: DefaultParam | undefined
}

/** A parameter that callers may omit. */
export interface DefaultParam {
  /** Its position, from 0. */
  readonly at: number
  readonly value: unknown
}

/**
 * A method whose last parameter, the hydrated flag, selects the result: `result` when false, `hydrated` when true.
 *
 * Source: docs/interface.md#4.2.
 */
export interface HydratingMethod<
  Name extends string,
  E extends Elements,
  Names extends ReadonlyArray<ParamName>,
  Result extends Schema.Codec<unknown, unknown>,
  Hydrated extends Schema.Codec<unknown, unknown>,
> extends RpcMethod<Name, E, Names, Result> {
  /** Result when the hydrated flag is true. */
  readonly hydrated: Hydrated
}

/** What an entry adds to its parameters and result. By default, a method is open to every key and never cached. */
interface Options {
  readonly exposure?: Exposure
  readonly cacheability?: Cacheability
  readonly defaultParam?: DefaultParam
}

/** An entry: the wire name, the names and schemas of the parameters, and the result. */
export const method = <
  const Name extends string,
  const E extends Elements,
  const Names extends NamesOf<E>,
  Result extends Schema.Codec<unknown, unknown>,
>(
  name: Name,
  paramNames: Names,
  params: E,
  result: Result,
  { cacheability = "never", exposure = "public", defaultParam }: Options = {},
): RpcMethod<Name, E, Names, Result> => ({
  name,
  params: Schema.Tuple(params),
  paramNames,
  result,
  exposure,
  cacheability,
  defaultParam,
})

/** An entry of a method that returns a block: `param` is the name of the block parameter, and the hydrated flag follows. */
export const blockMethod = <
  const Name extends string,
  const Key extends ParamName,
  Param extends Schema.Codec<unknown, unknown>,
>(
  name: Name,
  key: Key,
  param: Param,
  options: Options,
): HydratingMethod<
  Name,
  readonly [Param, Schema.Boolean],
  readonly [Key, "hydrated"],
  Schema.Codec<Block.Block | null, unknown>,
  Schema.Codec<Block.HydratedBlock | null, unknown>
> => ({
  ...method(name, [key, "hydrated"], [param, Schema.Boolean], Schema.NullOr(Block.Block), {
    ...options,
    defaultParam: { at: 1, value: false },
  }),
  hydrated: Schema.NullOr(Block.HydratedBlock),
})
