/**
 * Parameters of JSON-RPC methods: block ids, calls, log filters, trace options. They are exported under `RpcMethod`.
 */
import * as Schema from "effect/Schema"
import * as Address from "../Address.ts"
import * as Hash from "../Hash.ts"
import * as Hex from "../Hex.ts"
import * as Quantity from "../Quantity.ts"
import { Authorization } from "../Transaction.ts"
import { Withdrawal } from "./blockHeader.ts"
import { unread } from "./coder.ts"
import { hexCase } from "./hexText.ts"
import { leaf, typeSide } from "./leaf.ts"

/**
 * Block tags: names of blocks that change as the chain grows.
 *
 * **Example** (Listing the tags)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 *
 * console.log(RpcMethod.blockTags.includes("finalized")) // true
 * ```
 *
 * Source: docs/interface.md#4.2; decision 0020.
 */
export const blockTags = ["latest", "earliest", "pending", "safe", "finalized"] as const

/**
 * Block tag.
 *
 * Source: docs/interface.md#4.2; decision 0020.
 */
export type BlockTag = (typeof blockTags)[number]

export type BlockId = bigint | number | BlockTag

const isTag = (input: unknown): input is BlockTag => (blockTags as ReadonlyArray<unknown>).includes(input)

const isQuantity = (input: unknown): input is string =>
  typeof input === "string" && input.length > 2 && input.length <= 66 && hexCase(input) !== 0

/**
 * Block number or block tag.
 *
 * **Details**
 *
 * Wire: a hex quantity, or one of `latest`, `earliest`, `pending`, `safe`, `finalized`. A number encodes from a `number` or a `bigint`,
 * and decodes to a `bigint`.
 *
 * **Example** (Encoding a block number)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.encodeSync(RpcMethod.BlockId)(436n), Schema.encodeSync(RpcMethod.BlockId)("latest"))
 * // 0x1b4 latest
 * ```
 *
 * Source: docs/interface.md#4.2; decision 0020.
 */
export const BlockId: Schema.Codec<BlockId, string> = leaf<BlockId, string>({
  expected: "a block number in hex such as 0x1b4, or one of latest, earliest, pending, safe, finalized",
  wire: Schema.String.check(Schema.isPattern(/^(0x(0|[1-9a-f][0-9a-f]*)|latest|earliest|pending|safe|finalized)$/u)),
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
 * Options of `debug_traceBlockByNumber`, `debug_traceBlockByHash` and `debug_traceTransaction`, for the `callTracer`.
 *
 * **Example** (Asking for call frames)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(RpcMethod.TraceOptions)({ tracer: "callTracer" }).tracer) // callTracer
 * ```
 *
 * Source: geth debug API.
 */
export const TraceOptions = Schema.Struct({
  /** Tracer; its result is `Trace.CallFrame`. */
  tracer: Schema.Literal("callTracer"),
  /** Time limit for one transaction as a Go duration, such as `10s`. */
  timeout: Schema.optionalKey(Schema.String),
})

/**
 * Block that selects the state: by number, tag or hash, or as an EIP-1898 object.
 *
 * **Example** (Encoding the block of a state)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.encodeSync(RpcMethod.StateBlock)(16n)) // 0x10
 * ```
 *
 * Source: Ethereum JSON-RPC; EIP-1898.
 */
export const StateBlock = Schema.Union([
  Hash.Hash,
  BlockId,
  Schema.Struct({
    /** Block hash. */
    blockHash: Hash.Hash,
    /** True to fail if the block is not canonical. */
    requireCanonical: Schema.optionalKey(Schema.Boolean),
  }),
  Schema.Struct({
    /** Block number. */
    blockNumber: Quantity.Quantity,
  }),
])

/**
 * Call object of `eth_call`, `eth_estimateGas` and `eth_createAccessList`: a transaction that is executed without being submitted.
 *
 * **Example** (Encoding a call)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 * import * as Schema from "effect/Schema"
 *
 * const call = Schema.decodeUnknownSync(RpcMethod.CallRequest)({ to: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", value: "0x5" })
 * console.log(call.value) // 5n
 * ```
 *
 * Source: Ethereum JSON-RPC (execution-apis, GenericTransaction); EIP-1559, EIP-2718, EIP-2930, EIP-4844, EIP-7702.
 */
export const CallRequest = Schema.Struct({
  /** Sender address; the zero address when absent. */
  from: Schema.optionalKey(Address.Address),
  /** Address of the called contract; absent to execute init code. */
  to: Schema.optionalKey(Address.OrNull),
  /** Call data, under the older name for `input`. */
  data: Schema.optionalKey(Hex.Hex),
  /** Call data. */
  input: Schema.optionalKey(Hex.Hex),
  /** Transferred value in wei. */
  value: Schema.optionalKey(Quantity.Quantity),
  /** Gas limit, in gas units. */
  gas: Schema.optionalKey(Quantity.Quantity),
  /** Gas price in wei. */
  gasPrice: Schema.optionalKey(Quantity.Quantity),
  /** Maximum fee per gas in wei. */
  maxFeePerGas: Schema.optionalKey(Quantity.Quantity),
  /** Maximum priority fee per gas in wei. */
  maxPriorityFeePerGas: Schema.optionalKey(Quantity.Quantity),
  /** Nonce of the sender. */
  nonce: Schema.optionalKey(Quantity.SafeInteger),
  /** Transaction type. */
  type: Schema.optionalKey(Quantity.SafeInteger),
  /** Addresses and storage slots declared as accessed. */
  accessList: Schema.optionalKey(
    Schema.Array(Schema.Struct({ address: Address.Address, storageKeys: Schema.Array(Hash.Hash) })),
  ),
  /** Chain id. */
  chainId: Schema.optionalKey(Quantity.Quantity),
  /** Maximum fee per blob gas in wei. */
  maxFeePerBlobGas: Schema.optionalKey(Quantity.Quantity),
  /** Versioned hashes of the blobs. */
  blobVersionedHashes: Schema.optionalKey(Schema.Array(Hash.Hash)),
  /** Accounts that delegate to the code of a contract. */
  authorizationList: Schema.optionalKey(Schema.Array(Authorization)),
})

const isAddress = Schema.isPattern(/^0x[0-9a-f]{40}$/i, { expected: "an address of 20 bytes in hex" })

/**
 * State overrides of a call, by address.
 *
 * **Example** (Giving an account a balance for one call)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 * import * as Schema from "effect/Schema"
 *
 * const overrides = Schema.decodeUnknownSync(RpcMethod.StateOverride)({ ["0xd8da6bf26964af9d7eed9e03e53415d37aa96045"]: { balance: "0x5" } })
 * console.log(Object.values(overrides)[0]?.balance) // 5n
 * ```
 *
 * Source: geth `eth_call`, state override set.
 */
export const StateOverride = Schema.Record(
  Schema.String.check(isAddress),
  Schema.Struct({
    /** Balance in wei. */
    balance: Schema.optionalKey(Quantity.Quantity),
    /** Nonce of the account. */
    nonce: Schema.optionalKey(Quantity.SafeInteger),
    /** Code of the account. */
    code: Schema.optionalKey(Hex.Hex),
    /** Complete storage, value by slot; replaces the current one. */
    state: Schema.optionalKey(Schema.Record(Schema.String, Hash.Hash)),
    /** Values of single storage slots. */
    stateDiff: Schema.optionalKey(Schema.Record(Schema.String, Hash.Hash)),
    /** Address to which the precompiled contract of this account is moved. */
    movePrecompileToAddress: Schema.optionalKey(Address.Address),
  }),
)

/**
 * Fields of the block in which a call is executed, by the node's names: `number`, `time`, `gasLimit`, `feeRecipient`, `prevRandao`,
 * `baseFeePerGas`, `blobBaseFee`, and in `eth_simulateV1` `withdrawals`.
 *
 * **Example** (Executing a call at a later time)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.encodeSync(RpcMethod.BlockOverride)({ time: 1_800_000_000n })) // { time: '0x6b49d200' }
 * ```
 *
 * Source: geth `eth_call`, block override set.
 */
export const BlockOverride = Schema.Record(
  Schema.String,
  Schema.Union([Address.Address, Hash.Hash, Quantity.Quantity, Schema.Array(Withdrawal)]),
)

/**
 * Blocks that `eth_simulateV1` executes one after the other, each on the state after the previous one.
 *
 * **Details**
 *
 * At most 256 blocks, the limit of nodes.
 *
 * **Example** (Encoding a payment)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 * import * as Schema from "effect/Schema"
 *
 * const simulation = Schema.decodeUnknownSync(RpcMethod.Simulation)({ blockStateCalls: [{ calls: [{ value: "0x5" }] }] })
 * console.log(simulation.blockStateCalls[0]?.calls?.[0]?.value) // 5n
 * ```
 *
 * Source: Ethereum JSON-RPC (execution-apis, eth_simulateV1).
 */
export const Simulation = Schema.Struct({
  /** Blocks, in order. */
  blockStateCalls: Schema.Array(
    Schema.Struct({
      /** Fields of the block. */
      blockOverrides: Schema.optionalKey(BlockOverride),
      /** Accounts before the calls of the block. */
      stateOverrides: Schema.optionalKey(StateOverride),
      /** Calls, in order. */
      calls: Schema.optionalKey(Schema.Array(CallRequest)),
    }),
  ).check(Schema.isMaxLength(256)),
  /** True to log each ether transfer as an event of the address 0xeeee…eeee. */
  traceTransfers: Schema.optionalKey(Schema.Boolean),
  /** True to reject what a block could not contain, such as a wrong nonce. */
  validation: Schema.optionalKey(Schema.Boolean),
  /** True for full transactions instead of their hashes. */
  returnFullTransactions: Schema.optionalKey(Schema.Boolean),
})

/** Maximum number of slots in one call, the limit of nodes. */
const maxSlots = 1_024

/**
 * Storage slots of `eth_getStorageValues`, by address: at most 1,024 in total.
 *
 * **Example** (Encoding the slot of a contract)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 * import * as Schema from "effect/Schema"
 *
 * const slots = { ["0xd8da6bf26964af9d7eed9e03e53415d37aa96045"]: [`0x${"0".repeat(64)}`] }
 * console.log(Object.keys(Schema.decodeUnknownSync(RpcMethod.StorageSlots)(slots)).length) // 1
 * ```
 *
 * Source: Ethereum JSON-RPC (execution-apis, eth_getStorageValues).
 */
export const StorageSlots = Schema.Record(Schema.String.check(isAddress), Schema.Array(Hash.Hash)).check(
  Schema.makeFilter((slots) => Object.values(slots).flat().length <= maxSlots || `Expected at most ${maxSlots} slots`),
)

const topic = Schema.NullOr(Schema.Union([Hash.Hash, Schema.Array(Hash.Hash)]))

/**
 * Log filter: by block range or block, by contract, and by topics.
 *
 * **Details**
 *
 * Each topic is a hash, a list of alternative hashes, or `null`, which matches any topic.
 *
 * **Example** (Decoding a filter)
 *
 * ```ts
 * import * as RpcMethod from "@daybook/schema/RpcMethod"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(RpcMethod.LogFilter)({ fromBlock: "0x10", toBlock: "latest" }).fromBlock)
 * // 16n
 * ```
 *
 * Source: Ethereum JSON-RPC; EIP-234 (`blockHash`).
 */
export const LogFilter = Schema.Struct({
  /** First block of the range. */
  fromBlock: Schema.optionalKey(Schema.NullOr(BlockId)),
  /** Last block of the range. */
  toBlock: Schema.optionalKey(Schema.NullOr(BlockId)),
  /** Hash of the only block; excludes a range (EIP-234). */
  blockHash: Schema.optionalKey(Hash.Hash),
  /** Contract address, or several; `null` for any. */
  address: Schema.optionalKey(Schema.NullOr(Schema.Union([Address.Address, Schema.Array(Address.Address)]))),
  /** Topics by position; `null` for any. */
  topics: Schema.optionalKey(Schema.NullOr(Schema.Array(topic))),
})
