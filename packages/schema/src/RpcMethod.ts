/**
 * The JSON-RPC methods that clients call and the JSON-RPC proxy forwards. To add a method, add an entry to `all`: named parameters, result,
 * exposure and cacheability. Client methods and the proxy are built from the entry.
 */
import * as Schema from "effect/Schema"
import * as Account from "./Account.ts"
import * as Address from "./Address.ts"
import * as Block from "./Block.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { noneOrMany } from "./internal/open.ts"
import { blockMethod, type Labelled, method } from "./internal/rpcMethod.ts"
import {
  BlockId,
  BlockOverride,
  CallRequest,
  LogFilter,
  Simulation,
  StateBlock,
  StateOverride,
  StorageSlots,
  TraceOptions,
} from "./internal/rpcParams.ts"
import { CreatedAccessList, FeeHistory, SimulatedBlock, SyncStatus } from "./internal/rpcResults.ts"
import * as Quantity from "./Quantity.ts"
import * as Receipt from "./Receipt.ts"
import * as Trace from "./Trace.ts"
import * as Transaction from "./Transaction.ts"

export type { Cacheability, Exposure, HydratingMethod, Labelled, ParamName, RpcMethod } from "./internal/rpcMethod.ts"
export {
  BlockId,
  type BlockTag,
  blockTags,
  BlockOverride,
  CallRequest,
  LogFilter,
  Simulation,
  StateBlock,
  StateOverride,
  StorageSlots,
  TraceOptions,
} from "./internal/rpcParams.ts"
export {
  CreatedAccessList,
  type CreatedAccessListWire,
  FeeHistory,
  type FeeHistoryWire,
  SimulatedBlock,
  type SimulatedBlockWire,
  SimulatedCall,
  type SimulatedCallWire,
  SyncStatus,
  type SyncStatusWire,
} from "./internal/rpcResults.ts"

const percentile = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: 100 }, { expected: "a percentile from 0 to 100" }),
)

const transactionOrNull = Schema.NullOr(Transaction.Transaction)
const operator = { exposure: "operator" } as const

/** Block whose state a call reads. Nodes require it, but callers may omit it. */
const stateBlock = Schema.optionalKey(StateBlock)
/** Parameters of methods that execute a call. */
const callParamNames = ["call", "block", "overrides", "blockOverrides"] as const
const callParams = [
  CallRequest,
  stateBlock,
  Schema.optionalKey(StateOverride),
  Schema.optionalKey(BlockOverride),
] as const

const latestAt = (at: number) => ({ defaultParam: { at, value: "latest" } })

/**
 * Every method by its wire name.
 *
 * **Example** (Reading the names of parameters)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 *
 * console.log(RpcMethod.all.eth_getBalance.paramNames) // [ 'address', 'block' ]
 * ```
 *
 * Source: Ethereum JSON-RPC (execution-apis); docs/interface.md#4.2, docs/interface.md#4.3; exposure: decision 0016.
 */
export const all = {
  /** Block by number or tag, with full transactions if `hydrated` is true, otherwise with their hashes; `null` if there is no such block. */
  eth_getBlockByNumber: blockMethod("eth_getBlockByNumber", "block", BlockId, { cacheability: "blockNumber" }),
  /** Block by hash, with full transactions if `hydrated` is true, otherwise with their hashes; `null` if there is no such block. */
  eth_getBlockByHash: blockMethod("eth_getBlockByHash", "hash", Hash.Hash, { cacheability: "blockHash" }),
  /** Transaction by block hash and index, from 0; `null` when the block or the index is unknown. */
  eth_getTransactionByBlockHashAndIndex: method(
    "eth_getTransactionByBlockHashAndIndex",
    ["blockHash", "index"],
    [Hash.Hash, Quantity.SafeInteger],
    transactionOrNull,
    { cacheability: "blockHash" },
  ),
  /** Transaction by block number or tag and index, from 0; `null` when the block or the index is unknown. */
  eth_getTransactionByBlockNumberAndIndex: method(
    "eth_getTransactionByBlockNumberAndIndex",
    ["block", "index"],
    [BlockId, Quantity.SafeInteger],
    transactionOrNull,
    { cacheability: "blockNumber" },
  ),
  /** Number of transactions of a block; `null` when there is no such block. */
  eth_getBlockTransactionCountByNumber: method(
    "eth_getBlockTransactionCountByNumber",
    ["block"],
    [BlockId],
    Schema.NullOr(Quantity.SafeInteger),
    { cacheability: "blockNumber" },
  ),
  /** Uncle by block number or tag and index, from 0; `null` when the block or the index is unknown. */
  eth_getUncleByBlockNumberAndIndex: method(
    "eth_getUncleByBlockNumberAndIndex",
    ["block", "index"],
    [BlockId, Quantity.SafeInteger],
    Schema.NullOr(Block.Uncle),
    { cacheability: "blockNumber" },
  ),
  /** Transaction by hash, including pending ones; `null` when the node does not know it. */
  eth_getTransactionByHash: method("eth_getTransactionByHash", ["hash"], [Hash.Hash], transactionOrNull, {
    cacheability: "transaction",
  }),
  /** Receipt of a transaction; `null` until the transaction is in a block. */
  eth_getTransactionReceipt: method(
    "eth_getTransactionReceipt",
    ["hash"],
    [Hash.Hash],
    Schema.NullOr(Receipt.Receipt),
    { cacheability: "transaction" },
  ),
  /** Number of transactions sent by an account, which is its next nonce. Default block `latest`. */
  eth_getTransactionCount: method(
    "eth_getTransactionCount",
    ["address", "block"],
    [Address.Address, stateBlock],
    Quantity.SafeInteger,
    latestAt(1),
  ),
  /** Balance of an account in wei. Default block `latest`. */
  eth_getBalance: method(
    "eth_getBalance",
    ["address", "block"],
    [Address.Address, stateBlock],
    Quantity.Quantity,
    latestAt(1),
  ),
  /** Code of a contract; `0x` for an account without code. Default block `latest`. */
  eth_getCode: method("eth_getCode", ["address", "block"], [Address.Address, stateBlock], Hex.Hex, latestAt(1)),
  /** Word of a contract's storage at a slot. Default block `latest`. */
  eth_getStorageAt: method(
    "eth_getStorageAt",
    ["address", "slot", "block"],
    [Address.Address, Quantity.Quantity, stateBlock],
    Hex.HexText,
    latestAt(2),
  ),
  /** Words of contract storage at slots, by address in lower case; at most 1,024 slots. Default block `latest`. */
  eth_getStorageValues: method(
    "eth_getStorageValues",
    ["slots", "block"],
    [StorageSlots, stateBlock],
    Schema.Record(Schema.String, Schema.Array(Hex.Hex)),
    latestAt(1),
  ),
  /** Executes a call without creating a transaction and returns its output; a revert is an error. Default block `latest`. */
  eth_call: method("eth_call", callParamNames, callParams, Hex.Hex, latestAt(1)),
  /** Gas that a transaction needs, in gas units. */
  eth_estimateGas: method("eth_estimateGas", callParamNames, callParams, Quantity.Quantity),
  /** What a call accesses, and the gas that it uses with this access list. Source: EIP-2930. */
  eth_createAccessList: method(
    "eth_createAccessList",
    ["call", "block", "overrides"],
    [CallRequest, stateBlock, Schema.optionalKey(StateOverride)],
    CreatedAccessList,
  ),
  /**
   * Executes calls in simulated blocks on top of one of the chain, and returns these blocks with the outcome of each call. No block is
   * created.
   */
  eth_simulateV1: method(
    "eth_simulateV1",
    ["simulation", "block"],
    [Simulation, stateBlock],
    Schema.Array(SimulatedBlock),
  ),
  /** Logs that match a filter, oldest first. Nodes limit the number of blocks or logs per call. Decodes `null` as none. */
  eth_getLogs: method("eth_getLogs", ["filter"], [LogFilter], noneOrMany(Receipt.Log), { cacheability: "logs" }),
  /** Fee history of a range of blocks that ends at `newest`, with the priority fees at the given percentiles, 0 to 100. */
  eth_feeHistory: method(
    "eth_feeHistory",
    ["blockCount", "newest", "percentiles"],
    [Quantity.SafeInteger, BlockId, Schema.Array(percentile)],
    FeeHistory,
  ),
  /** Gas price that the node suggests, in wei. */
  eth_gasPrice: method("eth_gasPrice", [], [], Quantity.Quantity),
  /** Priority fee per gas that the node suggests, in wei. */
  eth_maxPriorityFeePerGas: method("eth_maxPriorityFeePerGas", [], [], Quantity.Quantity),
  /** Base fee per blob gas of the next block, in wei. Source: EIP-4844. */
  eth_blobBaseFee: method("eth_blobBaseFee", [], [], Quantity.Quantity),
  /** Account and storage slots with their Merkle proofs. Default block `latest`. Source: EIP-1186. */
  eth_getProof: method(
    "eth_getProof",
    ["address", "slots", "block"],
    [Address.Address, Schema.Array(Schema.Union([Hash.Hash, Quantity.Quantity])), stateBlock],
    Account.AccountProof,
    { ...operator, ...latestAt(2) },
  ),
  /** Sync status of the node; `false` when it is in sync. */
  eth_syncing: method("eth_syncing", [], [], Schema.Union([Schema.Boolean, SyncStatus])),
  /** Network id as decimal text; `eth_chainId` identifies the chain. */
  net_version: method("net_version", [], [], Schema.String, { cacheability: "constant" }),
  /** Name and version of the node's client. */
  web3_clientVersion: method("web3_clientVersion", [], [], Schema.String),
  /** Chain id. Source: EIP-695. */
  eth_chainId: method("eth_chainId", [], [], Quantity.Quantity, { cacheability: "constant" }),
  /** Number of the newest block of the node. */
  eth_blockNumber: method("eth_blockNumber", [], [], Quantity.Quantity),
  /** Receipts of all transactions of a block; `null` when there is no such block. */
  eth_getBlockReceipts: method(
    "eth_getBlockReceipts",
    ["block"],
    [StateBlock],
    Schema.NullOr(Schema.Array(Receipt.Receipt)),
    { cacheability: "block" },
  ),
  /** Traces of all transactions of a block as a flat list. Source: OpenEthereum trace module. */
  trace_block: method("trace_block", ["block"], [BlockId], Schema.NullOr(Schema.Array(Trace.FlatTrace)), {
    ...operator,
    cacheability: "blockNumber",
  }),
  /** Traces of one transaction as a flat list. Source: OpenEthereum trace module. */
  trace_transaction: method(
    "trace_transaction",
    ["hash"],
    [Hash.Hash],
    Schema.NullOr(Schema.Array(Trace.FlatTrace)),
    operator,
  ),
  /** Call frames of each transaction of a block by number or tag. Source: geth debug API. */
  debug_traceBlockByNumber: method(
    "debug_traceBlockByNumber",
    ["block", "options"],
    [BlockId, TraceOptions],
    Schema.Array(Trace.TransactionTrace),
    operator,
  ),
  /** Call frames of each transaction of a block by hash. Source: geth debug API. */
  debug_traceBlockByHash: method(
    "debug_traceBlockByHash",
    ["hash", "options"],
    [Hash.Hash, TraceOptions],
    Schema.Array(Trace.TransactionTrace),
    operator,
  ),
  /** Call frame of one transaction. Source: geth debug API. */
  debug_traceTransaction: method(
    "debug_traceTransaction",
    ["hash", "options"],
    [Hash.Hash, TraceOptions],
    Trace.CallFrame,
    operator,
  ),
} as const

/**
 * The methods by wire name.
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3.
 */
export type All = typeof all

/**
 * Wire name of a method.
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3.
 */
export type Name = keyof All

/**
 * Returns true for the wire name of a method.
 *
 * **Example** (Accepting a method)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 *
 * console.log(RpcMethod.isName("eth_getBalance"), RpcMethod.isName("eth_sendTransaction")) // true false
 * ```
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3.
 */
export const isName = (name: string): name is Name => Object.hasOwn(all, name)

/**
 * Returns the schema of the result of a call; the hydrated flag selects it if the method has one.
 *
 * **Example** (Decoding the result of a call)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 * import * as Schema from "effect/Schema"
 *
 * const schema = RpcMethod.resultOf("eth_blockNumber", [])
 * console.log(Schema.decodeUnknownSync(schema)("0x10")) // 16n
 * ```
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
 * The parameters of a method, by position.
 *
 * Source: docs/interface.md#4.2, docs/interface.md#4.3.
 */
export type ParamsOf<N extends Name> = Params<All[N]>

/**
 * The tuple `P` with the parameter names of a method as element labels, which editors show.
 *
 * Source: Ethereum JSON-RPC.
 */
export type Named<N extends Name, P extends ReadonlyArray<unknown>> = Labelled<All[N]["paramNames"], P>

/**
 * The result of a method; for a hydrating method, the result for the given flag.
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
