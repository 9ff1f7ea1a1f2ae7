/**
 * What methods take: a block, a call, a filter of logs, options of a trace. Results and the methods themselves are `RpcMethod`,
 * under which all of this is exported.
 */
import * as Schema from "effect/Schema"
import * as Address from "../Address.ts"
import * as Hash from "../Hash.ts"
import * as Hex from "../Hex.ts"
import * as Quantity from "../Quantity.ts"
import { unread } from "./coder.ts"
import { hexCase } from "./hexText.ts"
import { leaf, typeSide } from "./leaf.ts"

/**
 * Names for blocks that move as the chain grows.
 *
 * Source: docs/interface.md#4.2; decision 0018.
 */
export const blockTags = ["latest", "earliest", "pending", "safe", "finalized"] as const

/**
 * A name for a block that moves as the chain grows.
 *
 * Source: docs/interface.md#4.2; decision 0018.
 */
export type BlockTag = (typeof blockTags)[number]

/**
 * A block by number or by tag. A `number` is taken where a `bigint` is meant; reading gives a `bigint`.
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
 * Source: docs/interface.md#4.2; decision 0018.
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
 * Options of `debug_traceBlockByNumber`, `debug_traceBlockByHash` and `debug_traceTransaction`: the nested call tracer.
 *
 * Source: geth debug API.
 */
export const TraceOptions = Schema.Struct({
  /** The tracer whose answers `Trace.CallFrame` reads. Source: geth built-in tracers. */
  tracer: Schema.Literal("callTracer"),
  /** Longest time for one transaction, as Go writes durations. Source: geth debug API. */
  timeout: Schema.optionalKey(Schema.String),
})

/**
 * A block whose state is asked for: by number or tag, by hash, or as EIP-1898 has it.
 *
 * Source: Ethereum JSON-RPC; EIP-1898.
 */
export const StateBlock = Schema.Union([
  Hash.Hash,
  BlockId,
  Schema.Struct({
    /** Hash of the block. Source: EIP-1898. */
    blockHash: Hash.Hash,
    /** True: fail when the block is not of the canonical chain. Source: EIP-1898. */
    requireCanonical: Schema.optionalKey(Schema.Boolean),
  }),
])

/**
 * The call of `eth_call` and `eth_estimateGas`: a transaction that is run and not kept.
 *
 * Source: Ethereum JSON-RPC (execution-apis, GenericTransaction).
 */
export const CallRequest = Schema.Struct({
  /** Account in whose name it runs; the zero address when left out. Source: execution-apis. */
  from: Schema.optionalKey(Address.Address),
  /** Contract that is called; left out to run init code. Source: execution-apis. */
  to: Schema.optionalKey(Address.OrNull),
  /** Call data under its older name. Source: Ethereum JSON-RPC. */
  data: Schema.optionalKey(Hex.Hex),
  /** Call data. Source: execution-apis. */
  input: Schema.optionalKey(Hex.Hex),
  /** Amount in wei. Source: execution-apis. */
  value: Schema.optionalKey(Quantity.Quantity),
  /** Gas given. Source: execution-apis. */
  gas: Schema.optionalKey(Quantity.Quantity),
  /** Price per unit of gas, in wei. Source: execution-apis. */
  gasPrice: Schema.optionalKey(Quantity.Quantity),
  /** Most paid per unit of gas, in wei. Source: EIP-1559. */
  maxFeePerGas: Schema.optionalKey(Quantity.Quantity),
  /** Most paid to the block's producer per unit of gas, in wei. Source: EIP-1559. */
  maxPriorityFeePerGas: Schema.optionalKey(Quantity.Quantity),
  /** Nonce of the sender. Source: execution-apis. */
  nonce: Schema.optionalKey(Quantity.SafeInteger),
  /** Type of the transaction. Source: EIP-2718. */
  type: Schema.optionalKey(Quantity.SafeInteger),
  /** Addresses and slots that are warm. Source: EIP-2930. */
  accessList: Schema.optionalKey(
    Schema.Array(Schema.Struct({ address: Address.Address, storageKeys: Schema.Array(Hash.Hash) })),
  ),
})

/**
 * State that a call sees in place of the chain's, by address.
 *
 * Source: geth `eth_call`, state override set.
 */
export const StateOverride = Schema.Record(
  Schema.String,
  Schema.Struct({
    /** Amount in wei. Source: geth. */
    balance: Schema.optionalKey(Quantity.Quantity),
    /** Nonce. Source: geth. */
    nonce: Schema.optionalKey(Quantity.SafeInteger),
    /** Code of the account. Source: geth. */
    code: Schema.optionalKey(Hex.Hex),
    /** The whole storage, slot to word. Source: geth. */
    state: Schema.optionalKey(Schema.Record(Schema.String, Hash.Hash)),
    /** Slots that differ. Source: geth. */
    stateDiff: Schema.optionalKey(Schema.Record(Schema.String, Hash.Hash)),
  }),
)

const topic = Schema.NullOr(Schema.Union([Hash.Hash, Schema.Array(Hash.Hash)]))

/**
 * Which logs: of a range of blocks or of one block, of some contracts, with some topics.
 *
 * **Details**
 *
 * A topic is one hash, several of which any may stand there, or `null` for any.
 *
 * Source: Ethereum JSON-RPC; EIP-234 (`blockHash`).
 */
export const LogFilter = Schema.Struct({
  /** First block. Source: Ethereum JSON-RPC. */
  fromBlock: Schema.optionalKey(BlockId),
  /** Last block. Source: Ethereum JSON-RPC. */
  toBlock: Schema.optionalKey(BlockId),
  /** The one block; never beside a range. Source: EIP-234. */
  blockHash: Schema.optionalKey(Hash.Hash),
  /** Contracts. Source: Ethereum JSON-RPC. */
  address: Schema.optionalKey(Schema.Union([Address.Address, Schema.Array(Address.Address)])),
  /** By position. Source: Ethereum JSON-RPC. */
  topics: Schema.optionalKey(Schema.Array(topic)),
})
