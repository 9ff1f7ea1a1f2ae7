/**
 * The JSON-RPC methods that clients call and the relay forwards: parameters, result and who may call each.
 * Adding a method is adding one entry of `all`; client methods and the relay follow.
 */
import * as Schema from "effect/Schema"
import * as Block from "./Block.ts"
import * as Hash from "./Hash.ts"
import { hexCase } from "./internal/hexText.ts"
import { unread } from "./internal/coder.ts"
import { leaf, typeSide } from "./internal/leaf.ts"
import * as Quantity from "./Quantity.ts"
import * as Receipt from "./Receipt.ts"
import * as Trace from "./Trace.ts"
import * as Transaction from "./Transaction.ts"

/**
 * Names for blocks that move as the chain grows.
 *
 * Source: interface 4.2; decision 0018.
 *
 * @category models
 * @since 0.1.0
 */
export const blockTags = ["latest", "earliest", "pending", "safe", "finalized"] as const

/**
 * A name for a block that moves as the chain grows.
 *
 * @category models
 * @since 0.1.0
 */
export type BlockTag = (typeof blockTags)[number]

/**
 * A block by number or by tag. A `number` is taken where a `bigint` is meant; reading gives a `bigint`.
 *
 * @category models
 * @since 0.1.0
 */
export type BlockId = bigint | number | BlockTag

const isTag = (input: unknown): input is BlockTag => (blockTags as ReadonlyArray<unknown>).includes(input)

const isQuantity = (input: unknown): input is string =>
  typeof input === "string" && input.length > 2 && input.length <= 66 && hexCase(input) !== 0

/**
 * A block by number or by tag.
 *
 * **Details**
 *
 * Wire: a hex quantity, or one of `latest`, `earliest`, `pending`, `safe`, `finalized`.
 *
 * Source: interface 4.2; decision 0018.
 *
 * @category codecs
 * @since 0.1.0
 */
export const BlockId: Schema.Codec<BlockId, string> = leaf<BlockId, string>({
  expected: "a block number in hex such as 0x1b4, or one of latest, earliest, pending, safe, finalized",
  wire: Schema.String.check(Schema.isPattern(/^(0x(0|[1-9a-f][0-9a-f]*)|latest|earliest|pending|safe|finalized)$/)),
  read: (input) => (isTag(input) ? input : isQuantity(input) ? BigInt(input) : unread),
  write: (value) => (typeof value === "string" ? value : `0x${value.toString(16)}`),
  type: typeSide<BlockId>({
    expected: "a block number, or one of latest, earliest, pending, safe, finalized",
    is: (input): input is BlockId =>
      isTag(input) ||
      (typeof input === "bigint" && input >= 0n && input < 2n ** 256n) ||
      (Number.isSafeInteger(input) && (input as number) >= 0),
    from: Schema.Union([
      Schema.Literals(blockTags),
      Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 64n })),
    ]),
  }),
})

/**
 * Who may call a method through the relay: every key, or only keys that were granted it because it is heavy.
 *
 * Source: decision 0016.
 *
 * @category models
 * @since 0.1.0
 */
export type Exposure = "public" | "operator"

/**
 * A method: its wire name, its parameters, its result, and who may call it.
 *
 * @category models
 * @since 0.1.0
 */
export interface RpcMethod<
  Name extends string,
  Params extends Schema.Codec<ReadonlyArray<unknown>, ReadonlyArray<unknown>>,
  Result extends Schema.Codec<unknown, unknown>,
> {
  readonly name: Name
  readonly params: Params
  readonly result: Result
  readonly exposure: Exposure
}

/**
 * A method whose last parameter, the hydrated flag, decides the result: `result` when false, `hydrated` when true.
 *
 * Source: interface 4.2.
 *
 * @category models
 * @since 0.1.0
 */
export interface HydratingMethod<
  Name extends string,
  Params extends Schema.Codec<readonly [...ReadonlyArray<unknown>, boolean], ReadonlyArray<unknown>>,
  Result extends Schema.Codec<unknown, unknown>,
  Hydrated extends Schema.Codec<unknown, unknown>,
> extends RpcMethod<Name, Params, Result> {
  readonly hydrated: Hydrated
}

const plain = <
  const Name extends string,
  Params extends Schema.Codec<ReadonlyArray<unknown>, ReadonlyArray<unknown>>,
  Result extends Schema.Codec<unknown, unknown>,
>(
  name: Name,
  exposure: Exposure,
  params: Params,
  result: Result,
): RpcMethod<Name, Params, Result> => ({ name, exposure, params, result })

const hydrating = <
  const Name extends string,
  Params extends Schema.Codec<readonly [...ReadonlyArray<unknown>, boolean], ReadonlyArray<unknown>>,
>(
  name: Name,
  exposure: Exposure,
  params: Params,
): HydratingMethod<
  Name,
  Params,
  Schema.Codec<Block.Block | null, unknown>,
  Schema.Codec<Block.HydratedBlock | null, unknown>
> => ({
  name,
  exposure,
  params,
  result: Schema.NullOr(Block.Block),
  hydrated: Schema.NullOr(Block.HydratedBlock),
})

const noParams = Schema.Tuple([])

/**
 * Options of `debug_traceBlockByNumber` and `debug_traceBlockByHash`: the nested call tracer.
 *
 * Source: geth debug API.
 *
 * @category codecs
 * @since 0.1.0
 */
export const TraceOptions = Schema.Struct({
  /** The tracer whose answers `Trace.CallFrame` reads. Source: geth built-in tracers. */
  tracer: Schema.Literal("callTracer"),
  /** Longest time for one transaction, as Go writes durations. Source: geth debug API. */
  timeout: Schema.optionalKey(Schema.String),
})

/**
 * Every method, by its wire name.
 *
 * **Details**
 *
 * - `eth_getBlockByNumber`: a block by number or tag; `null` when there is none. Source: interface 4.2.
 * - `eth_getTransactionByBlockHashAndIndex`: `null` when block or index is unknown. Source: interface 4.3.
 * - the rest is what an indexer needs. Source: Ethereum JSON-RPC; exposure: decision 0016.
 *
 * @category models
 * @since 0.1.0
 */
export const all = {
  eth_getBlockByNumber: hydrating("eth_getBlockByNumber", "public", Schema.Tuple([BlockId, Schema.Boolean])),
  eth_getBlockByHash: hydrating("eth_getBlockByHash", "public", Schema.Tuple([Hash.Hash, Schema.Boolean])),
  eth_getTransactionByBlockHashAndIndex: plain(
    "eth_getTransactionByBlockHashAndIndex",
    "public",
    Schema.Tuple([Hash.Hash, Quantity.SafeInteger]),
    Schema.NullOr(Transaction.Transaction),
  ),
  eth_chainId: plain("eth_chainId", "public", noParams, Quantity.Quantity),
  eth_blockNumber: plain("eth_blockNumber", "public", noParams, Quantity.Quantity),
  eth_getBlockReceipts: plain(
    "eth_getBlockReceipts",
    "public",
    Schema.Tuple([Schema.Union([Hash.Hash, BlockId])]),
    Schema.NullOr(Schema.Array(Receipt.Receipt)),
  ),
  trace_block: plain("trace_block", "operator", Schema.Tuple([BlockId]), Schema.NullOr(Schema.Array(Trace.FlatTrace))),
  debug_traceBlockByNumber: plain(
    "debug_traceBlockByNumber",
    "operator",
    Schema.Tuple([BlockId, TraceOptions]),
    Schema.Array(Trace.TransactionTrace),
  ),
  debug_traceBlockByHash: plain(
    "debug_traceBlockByHash",
    "operator",
    Schema.Tuple([Hash.Hash, TraceOptions]),
    Schema.Array(Trace.TransactionTrace),
  ),
} as const

/**
 * The methods by wire name.
 *
 * @category models
 * @since 0.1.0
 */
export type All = typeof all

/**
 * The wire name of a method.
 *
 * @category models
 * @since 0.1.0
 */
export type Name = keyof All

/**
 * Tells whether a text is the wire name of a method.
 *
 * @category combinators
 * @since 0.1.0
 */
export const isName = (name: string): name is Name => Object.hasOwn(all, name)

/**
 * The schema of a call's result: the hydrated flag decides where there is one.
 *
 * Source: interface 4.2.
 *
 * @category combinators
 * @since 0.1.0
 */
export const resultOf = (name: Name, params: ReadonlyArray<unknown>): Schema.Codec<unknown, unknown> => {
  const method: All[Name] = all[name]
  return "hydrated" in method && params[params.length - 1] === true ? method.hydrated : method.result
}

type Params<M> = M extends { readonly params: { readonly Type: infer P extends ReadonlyArray<unknown> } } ? P : never

type Result<M> = M extends { readonly result: { readonly Type: infer R } } ? R : never

/**
 * The parameters of a method, as a program gives them.
 *
 * @category models
 * @since 0.1.0
 */
export type ParamsOf<N extends Name> = Params<All[N]>

/**
 * The result of a method, as a program gets it; of a hydrating one, for the given flag.
 *
 * @category models
 * @since 0.1.0
 */
export type ResultOf<N extends Name, P = ParamsOf<N>> = All[N] extends { readonly hydrated: { readonly Type: infer H } }
  ? P extends readonly [...ReadonlyArray<unknown>, infer Flag]
    ? Flag extends true
      ? H
      : Flag extends false
        ? Result<All[N]>
        : H | Result<All[N]>
    : never
  : Result<All[N]>
