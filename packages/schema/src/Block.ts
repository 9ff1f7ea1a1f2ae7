/**
 * Blocks of JSON-RPC: with transaction hashes (`Block`), with full transactions (`HydratedBlock`), or with full transactions of which
 * some may fail to decode (`PartialBlock`).
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import * as Address from "./Address.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import * as objects from "./internal/generated/objects.ts"
import { coderOf, type Step, unread, withCoder } from "./internal/coder.ts"
import { same } from "./internal/leaf.ts"
import { type Named, open } from "./internal/open.ts"
import * as Issue from "./Issue.ts"
import * as Quantity from "./Quantity.ts"
import * as Transaction from "./Transaction.ts"

const withdrawalCodec = open(
  "Withdrawal",
  {
    /** Withdrawal index, counted from the first withdrawal of the chain. */
    index: Quantity.Quantity,
    /** Index of the validator. */
    validatorIndex: Quantity.Quantity,
    /** Recipient of the withdrawn amount. */
    address: Address.Address,
    /** Withdrawn amount in gwei, not wei. */
    amount: Quantity.Quantity,
  },
  {},
  objects.Withdrawal,
)

export interface Withdrawal extends Schema.Schema.Type<typeof withdrawalCodec> {}

/** Encoded form of `Withdrawal`: the values of its JSON. */
export interface WithdrawalWire extends Schema.Codec.Encoded<typeof withdrawalCodec> {}

/**
 * Withdrawal from the beacon chain.
 *
 * **Example** (Decoding a withdrawal)
 *
 * ```ts
 * import * as Block from "@daybook/schema/Block"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { index: "0x1", validatorIndex: "0x2", address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", amount: "0x3b9aca00" }
 * console.log(Schema.decodeUnknownSync(Block.Withdrawal)(wire).amount) // 1000000000n
 * ```
 *
 * Source: EIP-4895.
 */
export const Withdrawal: Named<typeof withdrawalCodec, Withdrawal, WithdrawalWire> = withdrawalCodec

const header = {
  /** Block number; `null` while pending. */
  number: Quantity.OrNull,
  /** Block hash; `null` while pending. */
  hash: Hash.OrNull,
  /** Hash of the parent block. */
  parentHash: Hash.Hash,
  /** Proof-of-work nonce, 8 bytes; `null` while pending; absent or `null` on chains without proof of work. */
  nonce: Schema.optionalKey(Hex.BlockNonceOrNull),
  /** Hash of the list of uncle headers. */
  sha3Uncles: Hash.Hash,
  /** Bloom filter of the addresses and topics of all logs, 256 bytes; `null` while pending. */
  logsBloom: Hex.BloomOrNull,
  /** Root of the transactions trie. */
  transactionsRoot: Hash.Hash,
  /** Root of the final state trie; `null` on Tron, which has none. */
  stateRoot: Hash.OrNone,
  /** Root of the receipts trie. */
  receiptsRoot: Hash.Hash,
  /** Address that receives the block reward and priority fees; `null` while pending. */
  miner: Address.OrNull,
  /** Proof-of-work difficulty; 0 since the merge; may exceed 64 bits. */
  difficulty: Quantity.Quantity,
  /** Total difficulty of the chain up to this block; most nodes no longer send it. */
  totalDifficulty: Schema.optionalKey(Quantity.OrNull),
  /** Arbitrary data set by the block producer; up to 32 bytes on Ethereum, more on other chains. */
  extraData: Hex.Hex,
  /** Size of the encoded block in bytes. */
  size: Quantity.Quantity,
  /** Maximum gas allowed in the block, in gas units. */
  gasLimit: Quantity.Quantity,
  /** Gas used by all transactions, in gas units. */
  gasUsed: Quantity.Quantity,
  /** Block time, in seconds since 1970. */
  timestamp: Quantity.Quantity,
  /** Uncle hashes; empty since the merge; decoded as empty where absent. */
  uncles: Schema.optionalKey(Schema.Array(Hash.Hash)),
  /** RANDAO value of the beacon chain (EIP-4399), or the proof-of-work mix digest before the merge. */
  mixHash: Schema.optionalKey(Hash.OrNull),
  /** Base fee per gas in wei, burned (EIP-1559). */
  baseFeePerGas: Schema.optionalKey(Quantity.OrNull),
  /** Withdrawals from the beacon chain (EIP-4895). */
  withdrawals: Schema.optionalKey(Schema.NullOr(Schema.Array(Withdrawal))),
  /** Root of the withdrawals trie (EIP-4895). */
  withdrawalsRoot: Schema.optionalKey(Hash.OrNull),
  /** Blob gas used by all transactions (EIP-4844). */
  blobGasUsed: Schema.optionalKey(Quantity.OrNull),
  /** Running total of blob gas above the target (EIP-4844). */
  excessBlobGas: Schema.optionalKey(Quantity.OrNull),
  /** Root of the parent beacon block (EIP-4788). */
  parentBeaconBlockRoot: Schema.optionalKey(Hash.OrNull),
  /** Hash of the requests to the consensus layer (EIP-7685). */
  requestsHash: Schema.optionalKey(Hash.OrNull),
  /** Hash of the list of accounts and slots that the block accesses (EIP-7928). */
  blockAccessListHash: Schema.optionalKey(Hash.OrNull),
  /** Beacon chain slot of the block (EIP-7843). */
  slotNumber: Schema.optionalKey(Quantity.OrNull),
  /** Arbitrum: L1 block number seen by this block. */
  l1BlockNumber: Schema.optionalKey(Quantity.OrNull),
  /** Arbitrum: root of the L2-to-L1 messages. */
  sendRoot: Schema.optionalKey(Hash.OrNull),
  /** Arbitrum: number of L2-to-L1 messages. */
  sendCount: Schema.optionalKey(Quantity.OrNull),
  /** BSC: block time, in milliseconds since 1970 (BEP-520). */
  milliTimestamp: Schema.optionalKey(Quantity.OrNull),
  /** Avalanche: hash of `blockExtraData`. */
  extDataHash: Schema.optionalKey(Hash.OrNull),
  /** Avalanche: encoded atomic transactions of the block. */
  blockExtraData: Schema.optionalKey(Hex.OrNull),
  /** Avalanche: gas used by atomic transactions, in gas units. */
  extDataGasUsed: Schema.optionalKey(Quantity.OrNull),
  /** Avalanche: gas whose cost the priority fees of the block must cover. */
  blockGasCost: Schema.optionalKey(Quantity.OrNull),
  /** Fantom: epoch of the block. */
  epoch: Schema.optionalKey(Quantity.OrNull),
  /** Fantom: block time, in nanoseconds since 1970. */
  timestampNano: Schema.optionalKey(Quantity.OrNull),
  /** Gnosis before the merge, Moonbeam: address of the block producer. */
  author: Schema.optionalKey(Address.OrNull),
}

const noUncles = { uncles: (): ReadonlyArray<Hash.Hash> => [] }

const blockCodec = open(
  "Block",
  {
    ...header,
    /** Transaction hashes, in block order. */
    transactions: Schema.Array(Hash.Hash),
  },
  noUncles,
)

export interface Block extends Schema.Schema.Type<typeof blockCodec> {}

/** Encoded form of `Block`: the values of its JSON. */
export interface BlockWire extends Schema.Codec.Encoded<typeof blockCodec> {}

/**
 * Block with transaction hashes, returned when the hydrated flag is false.
 *
 * **Details**
 *
 * Known fields of newer forks and of other chains are typed; unknown keys are kept and listed by `extras`.
 *
 * **Example** (Decoding one field)
 *
 * ```ts
 * import * as Block from "@daybook/schema/Block"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Block.Block.fields.gasUsed)("0x5208")) // 21000n
 * ```
 *
 * Source: docs/interface.md#2.8; EIP-1559, EIP-4399, EIP-4788, EIP-4844, EIP-4895, EIP-7685, EIP-7843, EIP-7928; Nitro, coreth, go-opera, OpenEthereum;
 * decision 0020.
 */
export const Block: Named<typeof blockCodec, Block, BlockWire> = blockCodec

const uncleCodec = open("Uncle", header, noUncles)

export interface Uncle extends Schema.Schema.Type<typeof uncleCodec> {}

/** Encoded form of `Uncle`: the values of its JSON. */
export interface UncleWire extends Schema.Codec.Encoded<typeof uncleCodec> {}

/**
 * Uncle of a block: a header without its transactions.
 *
 * **Example** (Decoding one field)
 *
 * ```ts
 * import * as Block from "@daybook/schema/Block"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(Block.Uncle.fields.number)("0x10")) // 16n
 * ```
 *
 * Source: Ethereum JSON-RPC; Ethereum yellow paper 11.
 */
export const Uncle: Named<typeof uncleCodec, Uncle, UncleWire> = uncleCodec

const hydratedBlockCodec = open(
  "HydratedBlock",
  {
    ...header,
    /** Transactions, in block order. */
    transactions: Schema.Array(Transaction.Transaction),
  },
  noUncles,
)

export interface HydratedBlock extends Schema.Schema.Type<typeof hydratedBlockCodec> {}

/** Encoded form of `HydratedBlock`: the values of its JSON. */
export interface HydratedBlockWire extends Schema.Codec.Encoded<typeof hydratedBlockCodec> {}

/**
 * Block with full transactions, returned when the hydrated flag is true. The other fields are those of `Block`.
 *
 * **Example** (Finding what is wrong with a response)
 *
 * ```ts
 * import * as Block from "@daybook/schema/Block"
 * import * as Issue from "@daybook/schema/Issue"
 *
 * const [issue] = Issue.find(Block.HydratedBlock, { number: "latest" })
 * console.log(Issue.format("block", issue!))
 * // Invalid block "number": expected a hex quantity of at most 256 bits such as 0x1f, or null, received "latest".
 * ```
 *
 * Source: docs/interface.md#2.8; decision 0020.
 */
export const HydratedBlock: Named<typeof hydratedBlockCodec, HydratedBlock, HydratedBlockWire> = hydratedBlockCodec

/**
 * Transaction of a `PartialBlock` that failed to decode.
 *
 * Source: decision 0020.
 */
export interface Undecodable {
  readonly _tag: "Undecodable"
  /** Transaction as received; encoded unchanged. */
  readonly raw: unknown
  /** First issue: `Invalid transaction "from": expected an address of 20 bytes in hex, received "0x12".` */
  readonly reason: string
}

/**
 * Returns true for an entry of a `PartialBlock` that failed to decode.
 *
 * **Example** (Leaving out what failed to decode)
 *
 * ```ts
 * import * as Block from "@daybook/schema/Block"
 *
 * const entry: Block.Undecodable = { _tag: "Undecodable", raw: {}, reason: "no type" }
 * console.log(Block.isUndecodable(entry)) // true
 * ```
 *
 * Source: decision 0020.
 */
export const isUndecodable = (entry: Transaction.Transaction | Undecodable): entry is Undecodable =>
  "_tag" in entry && entry._tag === "Undecodable"

const transactionCoder = coderOf(Transaction.Transaction)!

const readEntry: Step = (input) => {
  const transaction = transactionCoder.read(input)
  if (transaction !== unread) return transaction
  const [issue] = Issue.find(Transaction.Transaction, input)
  return { _tag: "Undecodable", raw: input, reason: issue === undefined ? "" : Issue.format("transaction", issue) }
}

const writeEntry: Step = (entry) =>
  typeof entry === "object" && entry !== null && "_tag" in entry && entry._tag === "Undecodable" && "raw" in entry
    ? entry.raw
    : transactionCoder.write(entry)

const Entry = withCoder(
  Schema.declareConstructor<Transaction.Transaction | Undecodable, unknown>()(
    [Transaction.Transaction],
    ([codec]) => {
      const isReading = codec.ast === Transaction.Transaction.ast
      const parse = SchemaParser.decodeUnknownEffect(codec)
      return (input, _ast, options) => {
        const output = isReading ? readEntry(input) : writeEntry(input)
        // Only encoding fails here; the parser then builds the error.
        return output === unread
          ? parse(input, options)
          : Effect.succeed(output as Transaction.Transaction | Undecodable)
      }
    },
    {
      expected: "a transaction",
      toCodecJson: ([codec]) => same(codec),
      toCodecArbitrary: ({ typeParameters: [codec] }) => same(codec),
    },
  ),
  { read: readEntry, write: writeEntry },
)

const partialBlockCodec = open(
  "PartialBlock",
  {
    ...header,
    /** Transactions, in block order; `isUndecodable` finds those that failed to decode. */
    transactions: Schema.Array(Entry),
  },
  noUncles,
)

export interface PartialBlock extends Schema.Schema.Type<typeof partialBlockCodec> {}

/** Encoded form of `PartialBlock`: the values of its JSON. */
export interface PartialBlockWire extends Schema.Codec.Encoded<typeof partialBlockCodec> {}

/**
 * Block with full transactions, where a transaction that fails to decode becomes an `Undecodable` entry instead of failing the block.
 * Every other field of the block is still required to decode.
 *
 * **Gotchas**
 *
 * Check entries with `isUndecodable`: a program that skips them loses transactions without an error.
 *
 * **Example** (Finding what is wrong beside the transactions)
 *
 * ```ts
 * import * as Block from "@daybook/schema/Block"
 * import * as Issue from "@daybook/schema/Issue"
 *
 * const [issue] = Issue.find(Block.PartialBlock, { number: "0x1", transactions: [{}] })
 * console.log(issue?.path) // hash
 * ```
 *
 * Source: docs/interface.md#2.8; decision 0020.
 */
export const PartialBlock: Named<typeof partialBlockCodec, PartialBlock, PartialBlockWire> = partialBlockCodec

/**
 * Keys of a block that the schema does not know, with the values received.
 *
 * **Example** (Listing the fields of a chain)
 *
 * ```ts
 * import * as Block from "@daybook/schema/Block"
 *
 * declare const block: Block.Block
 * export const extras = () => Block.extras(block) // as { l1BlockNumber: "0x10" }
 * ```
 *
 * Source: decision 0020.
 */
export const extras = (block: Block | HydratedBlock | PartialBlock): Readonly<Record<string, unknown>> =>
  Block.extras(block)
