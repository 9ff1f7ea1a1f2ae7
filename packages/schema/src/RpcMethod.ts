/**
 * The JSON-RPC methods that clients call and the relay forwards: parameters, result and who may call each.
 * Adding a method is adding one entry of `all`; client methods and the relay follow.
 */
import * as Schema from "effect/Schema"
import * as Account from "./Account.ts"
import * as Address from "./Address.ts"
import * as Block from "./Block.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { open } from "./internal/open.ts"
import { BlockId, CallRequest, LogFilter, StateBlock, StateOverride, TraceOptions } from "./internal/rpcParams.ts"
import * as Quantity from "./Quantity.ts"
import * as Receipt from "./Receipt.ts"
import * as Trace from "./Trace.ts"
import * as Transaction from "./Transaction.ts"

export {
  BlockId,
  type BlockTag,
  blockTags,
  CallRequest,
  LogFilter,
  StateBlock,
  StateOverride,
  TraceOptions,
} from "./internal/rpcParams.ts"

/**
 * Who may call a method through the relay: every key, or only keys that were granted it because it is heavy.
 *
 * Source: decision 0016.
 */
export type Exposure = "public" | "operator"

/**
 * A method: its wire name, its parameters, its result, and who may call it.
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3; decision 0016.
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
 * Source: docs/interface.md#4.2.
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
 * Fees of a run of blocks.
 *
 * Source: Ethereum JSON-RPC; EIP-1559, EIP-4844.
 */
export const FeeHistory = open("FeeHistory", {
  /** First block of the run. Source: execution-apis. */
  oldestBlock: Quantity.Quantity,
  /** Base fee of each block and of the one after the last, in wei. Source: EIP-1559. */
  baseFeePerGas: Schema.optionalKey(Schema.Array(Quantity.Quantity)),
  /** Share of each block's gas limit that was used. Source: execution-apis. */
  gasUsedRatio: Schema.NullOr(Schema.Array(Schema.Finite)),
  /** Tips at the percentiles asked for, in wei, by block. Source: execution-apis. */
  reward: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Array(Quantity.Quantity)))),
  /** Base fee of blob gas, in wei. Source: EIP-4844. */
  baseFeePerBlobGas: Schema.optionalKey(Schema.Array(Quantity.Quantity)),
  /** Share of each block's blob gas that was used. Source: EIP-4844. */
  blobGasUsedRatio: Schema.optionalKey(Schema.Array(Schema.Finite)),
})

/**
 * How far a node that is behind has come.
 *
 * Source: Ethereum JSON-RPC.
 */
export const SyncStatus = open("SyncStatus", {
  /** Where it began. Source: execution-apis. */
  startingBlock: Schema.optionalKey(Quantity.Quantity),
  /** Where it is. Source: execution-apis. */
  currentBlock: Schema.optionalKey(Quantity.Quantity),
  /** Where it goes. Source: execution-apis. */
  highestBlock: Schema.optionalKey(Quantity.Quantity),
})

const percentile = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: 100 }, { expected: "a percentile from 0 to 100" }),
)

const transactionOrNull = Schema.NullOr(Transaction.Transaction)

/**
 * Every method, by its wire name.
 *
 * **Details**
 *
 * - `eth_getBlockByNumber`: a block by number or tag; `null` when there is none. Source: docs/interface.md#4.2.
 * - `eth_getTransactionByBlockHashAndIndex`: `null` when block or index is unknown. Source: docs/interface.md#4.3.
 * - the rest is what programs and indexers read. Source: Ethereum JSON-RPC; exposure: decision 0016.
 */
export const all = {
  /** A block by number or tag, with its transactions when `hydrated` is true, else their hashes; `null` when there is none. */
  eth_getBlockByNumber: hydrating("eth_getBlockByNumber", "public", Schema.Tuple([BlockId, Schema.Boolean])),
  /** A block by its hash, with its transactions when `hydrated` is true, else their hashes; `null` when there is none. Source: execution-apis. */
  eth_getBlockByHash: hydrating("eth_getBlockByHash", "public", Schema.Tuple([Hash.Hash, Schema.Boolean])),
  /** The transaction at a position of a block, 0 for the first; `null` when block or position is unknown. */
  eth_getTransactionByBlockHashAndIndex: plain(
    "eth_getTransactionByBlockHashAndIndex",
    "public",
    Schema.Tuple([Hash.Hash, Quantity.SafeInteger]),
    transactionOrNull,
  ),
  /** The transaction at a position of a block by number or tag; `null` when block or position is unknown. Source: execution-apis. */
  eth_getTransactionByBlockNumberAndIndex: plain(
    "eth_getTransactionByBlockNumberAndIndex",
    "public",
    Schema.Tuple([BlockId, Quantity.SafeInteger]),
    transactionOrNull,
  ),
  /** A transaction, also one that still waits; `null` when the node does not know it. Source: execution-apis. */
  eth_getTransactionByHash: plain("eth_getTransactionByHash", "public", Schema.Tuple([Hash.Hash]), transactionOrNull),
  /** What a transaction did: its status, gas and logs; `null` until it is in a block. Source: execution-apis. */
  eth_getTransactionReceipt: plain(
    "eth_getTransactionReceipt",
    "public",
    Schema.Tuple([Hash.Hash]),
    Schema.NullOr(Receipt.Receipt),
  ),
  /** How many transactions an account has sent: its next nonce. Source: execution-apis. */
  eth_getTransactionCount: plain(
    "eth_getTransactionCount",
    "public",
    Schema.Tuple([Address.Address, StateBlock]),
    Quantity.SafeInteger,
  ),
  /** What an account holds, in wei. Source: execution-apis. */
  eth_getBalance: plain("eth_getBalance", "public", Schema.Tuple([Address.Address, StateBlock]), Quantity.Quantity),
  /** The code of a contract; `0x` for an account without code. Source: execution-apis. */
  eth_getCode: plain("eth_getCode", "public", Schema.Tuple([Address.Address, StateBlock]), Hex.Hex),
  /** One word of a contract's storage, by its slot. Source: execution-apis. */
  eth_getStorageAt: plain(
    "eth_getStorageAt",
    "public",
    Schema.Tuple([Address.Address, Quantity.Quantity, StateBlock]),
    Hex.HexText,
  ),
  /** Runs a call without a transaction and gives the bytes it returns; a revert is an error. Block `latest` unless given. Source: execution-apis. */
  eth_call: plain(
    "eth_call",
    "public",
    Schema.Tuple([CallRequest, Schema.optionalKey(StateBlock), Schema.optionalKey(StateOverride)]),
    Hex.Hex,
  ),
  /** Gas that a transaction would need, in gas units. Source: execution-apis. */
  eth_estimateGas: plain(
    "eth_estimateGas",
    "public",
    Schema.Tuple([CallRequest, Schema.optionalKey(StateBlock)]),
    Quantity.Quantity,
  ),
  /** The logs that fit a filter, oldest first. Nodes limit how many blocks or logs one call may span. Source: execution-apis. */
  eth_getLogs: plain("eth_getLogs", "public", Schema.Tuple([LogFilter]), Schema.Array(Receipt.Log)),
  /** Fees of a run of blocks up to `newest`, with the tips at the percentiles asked for, 0 to 100. Source: execution-apis. */
  eth_feeHistory: plain(
    "eth_feeHistory",
    "public",
    Schema.Tuple([Quantity.SafeInteger, BlockId, Schema.Array(percentile)]),
    FeeHistory,
  ),
  /** A gas price that the node thinks enough, in wei. Source: execution-apis. */
  eth_gasPrice: plain("eth_gasPrice", "public", noParams, Quantity.Quantity),
  /** A tip per unit of gas that the node thinks enough, in wei. Source: execution-apis. */
  eth_maxPriorityFeePerGas: plain("eth_maxPriorityFeePerGas", "public", noParams, Quantity.Quantity),
  /** An account and some of its storage slots with their Merkle proofs. Source: EIP-1186. */
  eth_getProof: plain(
    "eth_getProof",
    "operator",
    Schema.Tuple([Address.Address, Schema.Array(Hash.Hash), StateBlock]),
    Account.AccountProof,
  ),
  /** How far a node that is behind has come; `false` for one that is not. Source: execution-apis. */
  eth_syncing: plain("eth_syncing", "public", noParams, Schema.Union([Schema.Boolean, SyncStatus])),
  /** The network's id as decimal text; use `eth_chainId` to tell chains apart. Source: execution-apis. */
  net_version: plain("net_version", "public", noParams, Schema.String),
  /** Name and version of the node's software. Source: execution-apis. */
  web3_clientVersion: plain("web3_clientVersion", "public", noParams, Schema.String),
  /** The chain's id. Source: EIP-695. */
  eth_chainId: plain("eth_chainId", "public", noParams, Quantity.Quantity),
  /** Number of the newest block that the node has. Source: execution-apis. */
  eth_blockNumber: plain("eth_blockNumber", "public", noParams, Quantity.Quantity),
  /** The receipts of all transactions of a block; `null` when there is no such block. Source: execution-apis. */
  eth_getBlockReceipts: plain(
    "eth_getBlockReceipts",
    "public",
    Schema.Tuple([Schema.Union([Hash.Hash, BlockId])]),
    Schema.NullOr(Schema.Array(Receipt.Receipt)),
  ),
  /** The calls of all transactions of a block as a flat list. Source: OpenEthereum trace module. */
  trace_block: plain("trace_block", "operator", Schema.Tuple([BlockId]), Schema.NullOr(Schema.Array(Trace.FlatTrace))),
  /** The calls of each transaction of a block as trees, by number or tag. Source: geth debug API. */
  debug_traceBlockByNumber: plain(
    "debug_traceBlockByNumber",
    "operator",
    Schema.Tuple([BlockId, TraceOptions]),
    Schema.Array(Trace.TransactionTrace),
  ),
  /** The calls of each transaction of a block as trees, by hash. Source: geth debug API. */
  debug_traceBlockByHash: plain(
    "debug_traceBlockByHash",
    "operator",
    Schema.Tuple([Hash.Hash, TraceOptions]),
    Schema.Array(Trace.TransactionTrace),
  ),
  /** The calls of one transaction as a tree. Source: geth debug API. */
  debug_traceTransaction: plain(
    "debug_traceTransaction",
    "operator",
    Schema.Tuple([Hash.Hash, TraceOptions]),
    Trace.CallFrame,
  ),
} as const

/**
 * The methods by wire name.
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3.
 */
export type All = typeof all

/**
 * The wire name of a method.
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3.
 */
export type Name = keyof All

/**
 * Tells whether a text is the wire name of a method.
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3.
 */
export const isName = (name: string): name is Name => Object.hasOwn(all, name)

/**
 * The schema of a call's result: the hydrated flag decides where there is one.
 *
 * Source: docs/interface.md#4.2.
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
 * Source: docs/interface.md#4.2, docs/interface.md#4.3.
 */
export type ParamsOf<N extends Name> = Params<All[N]>

/**
 * The result of a method, as a program gets it; of a hydrating one, for the given flag.
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3.
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
