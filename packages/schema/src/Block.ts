/**
 * A block as a node gives it (JSON-RPC): with the hashes of its transactions (`Block`) or with the transactions themselves
 * (`HydratedBlock`), also where some of those cannot be read (`PartialBlock`).
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import * as Address from "./Address.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { coderOf, type Step, unread, withCoder } from "./internal/coder.ts"
import { same } from "./internal/leaf.ts"
import { open } from "./internal/open.ts"
import * as Issue from "./Issue.ts"
import * as Quantity from "./Quantity.ts"
import * as Transaction from "./Transaction.ts"

/**
 * Wei paid out of the beacon chain in a block.
 *
 * Source: EIP-4895.
 */
export const Withdrawal = open("Withdrawal", {
  /** Number of the withdrawal since the first. Source: EIP-4895. */
  index: Quantity.Quantity,
  /** The validator. Source: EIP-4895. */
  validatorIndex: Quantity.Quantity,
  /** The account that is paid. Source: EIP-4895. */
  address: Address.Address,
  /** Amount in gwei (not wei). Source: EIP-4895. */
  amount: Quantity.Quantity,
})

/**
 * Wei paid out of the beacon chain in a block.
 */
export interface Withdrawal extends Schema.Schema.Type<typeof Withdrawal> {}

const header = {
  /** Number of the block; `null` while pending. Wire: hex quantity. */
  number: Quantity.OrNull,
  /** Hash of the block; `null` while pending. */
  hash: Hash.OrNull,
  /** Hash of the block before it. */
  parentHash: Hash.Hash,
  /** 8 bytes of proof of work; `null` while pending, missing or `null` on chains without it. */
  nonce: Schema.optionalKey(Hex.BlockNonceOrNull),
  /** Hash of the list of uncles. */
  sha3Uncles: Hash.Hash,
  /** Bloom filter of the addresses and topics of all logs, 256 bytes; `null` while pending. */
  logsBloom: Hex.BloomOrNull,
  /** Root of the trie of transactions. */
  transactionsRoot: Hash.Hash,
  /** Root of the trie of the state. */
  stateRoot: Hash.Hash,
  /** Root of the trie of receipts. */
  receiptsRoot: Hash.Hash,
  /** Account that is paid for the block; `null` while pending. */
  miner: Address.OrNull,
  /** Difficulty of the block; 0 after the merge; may exceed 64 bits. */
  difficulty: Quantity.Quantity,
  /** Difficulty of the chain up to here; gone from most nodes. */
  totalDifficulty: Schema.optionalKey(Quantity.OrNull),
  /** Free bytes of the producer; 32 on Ethereum, hundreds elsewhere. */
  extraData: Hex.Hex,
  /** Size in bytes. */
  size: Quantity.Quantity,
  /** Most gas that the block may use. */
  gasLimit: Quantity.Quantity,
  /** Gas used by all transactions. */
  gasUsed: Quantity.Quantity,
  /** Time in seconds since 1970. Wire: hex quantity. */
  timestamp: Quantity.Quantity,
  /** Hashes of uncles; empty after the merge; read as empty where missing. */
  uncles: Schema.optionalKey(Schema.Array(Hash.Hash)),
  /** Randomness of the beacon chain, or the digest of proof of work. Source: EIP-4399. */
  mixHash: Schema.optionalKey(Hash.OrNull),
  /** Price of gas that is burnt, in wei per unit. Source: EIP-1559. */
  baseFeePerGas: Schema.optionalKey(Quantity.OrNull),
  /** Payouts of the beacon chain. Source: EIP-4895. */
  withdrawals: Schema.optionalKey(Schema.NullOr(Schema.Array(Withdrawal))),
  /** Root of the trie of withdrawals. Source: EIP-4895. */
  withdrawalsRoot: Schema.optionalKey(Hash.OrNull),
  /** Blob gas used by the block. Source: EIP-4844. */
  blobGasUsed: Schema.optionalKey(Quantity.OrNull),
  /** Running excess of blob gas. Source: EIP-4844. */
  excessBlobGas: Schema.optionalKey(Quantity.OrNull),
  /** Root of the parent beacon block. Source: EIP-4788. */
  parentBeaconBlockRoot: Schema.optionalKey(Hash.OrNull),
  /** Hash of the requests to the consensus layer. Source: EIP-7685. */
  requestsHash: Schema.optionalKey(Hash.OrNull),
  /** arbitrum: block of layer 1 that this one saw. Source: Nitro. */
  l1BlockNumber: Schema.optionalKey(Quantity.OrNull),
  /** arbitrum: root of the messages to layer 1. Source: Nitro. */
  sendRoot: Schema.optionalKey(Hash.OrNull),
  /** arbitrum: number of messages to layer 1. Source: Nitro. */
  sendCount: Schema.optionalKey(Quantity.OrNull),
  /** bsc: time in milliseconds since 1970. Source: BEP-520. */
  milliTimestamp: Schema.optionalKey(Quantity.OrNull),
  /** avalanche: hash of `blockExtraData`. Source: coreth. */
  extDataHash: Schema.optionalKey(Hash.OrNull),
  /** avalanche: atomic transactions of the block. Source: coreth. */
  blockExtraData: Schema.optionalKey(Hex.OrNull),
  /** avalanche: gas used by atomic transactions. Source: coreth. */
  extDataGasUsed: Schema.optionalKey(Quantity.OrNull),
  /** avalanche: cost of producing the block. Source: coreth. */
  blockGasCost: Schema.optionalKey(Quantity.OrNull),
  /** fantom: epoch of the block. Source: go-opera. */
  epoch: Schema.optionalKey(Quantity.OrNull),
  /** fantom: time in nanoseconds since 1970. Source: go-opera. */
  timestampNano: Schema.optionalKey(Quantity.OrNull),
  /** gnosis (AuRa), moonbeam family: the producer. Source: OpenEthereum. */
  author: Schema.optionalKey(Address.OrNull),
}

const noUncles = { uncles: (): ReadonlyArray<Hash.Hash> => [] }

/**
 * A block with the hashes of its transactions: the answer when the hydrated flag is false.
 *
 * **Details**
 *
 * Fields of newer forks and of layer 2 chains are typed where they are known; the rest is kept and listed by `extras`.
 *
 * Source: docs/interface.md#2.8; decisions 0004 and 0020.
 */
export const Block = open(
  "Block",
  {
    ...header,
    /** Hashes of the transactions, in order. */
    transactions: Schema.Array(Hash.Hash),
  },
  noUncles,
)

/**
 * A block with the hashes of its transactions.
 */
export interface Block extends Schema.Schema.Type<typeof Block> {}

/**
 * A block with its transactions: the answer when the hydrated flag is true.
 *
 * Source: docs/interface.md#2.8; decisions 0004 and 0020.
 */
export const HydratedBlock = open(
  "HydratedBlock",
  {
    ...header,
    /** The transactions, in order. */
    transactions: Schema.Array(Transaction.Transaction),
  },
  noUncles,
)

/**
 * A block with its transactions.
 */
export interface HydratedBlock extends Schema.Schema.Type<typeof HydratedBlock> {}

/**
 * A transaction of a `PartialBlock` that could not be decoded: what came, and why.
 *
 * Source: decision 0020.
 */
export interface Undecodable {
  readonly _tag: "Undecodable"
  /** The transaction as it came, encoded again as it is. */
  readonly raw: unknown
  /** First issue: `Invalid transaction "from": expected an address of 20 bytes in hex, received "0x12".` */
  readonly reason: string
}

/**
 * Tells whether an entry of a `PartialBlock` could not be decoded.
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
        // Only writing fails, and then the parser says why.
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

/**
 * A block with its transactions, of which those that cannot be decoded are kept as `Undecodable` instead of failing the
 * block: for programs that prefer the rest of a block to an error. Everything else of the block is still required.
 *
 * **Gotchas**
 *
 * A history made of such blocks has silent gaps unless `Undecodable` entries are looked at.
 *
 * Source: docs/interface.md#2.8; decision 0020.
 */
export const PartialBlock = open(
  "PartialBlock",
  {
    ...header,
    /** The transactions, in order; `isUndecodable` tells which could not be read. */
    transactions: Schema.Array(Entry),
  },
  noUncles,
)

/**
 * A block with its transactions, of which some could not be decoded.
 */
export interface PartialBlock extends Schema.Schema.Type<typeof PartialBlock> {}

/**
 * The keys of a block that the schema does not name, with their values as they came.
 *
 * Source: decision 0004.
 */
export const extras = (block: Block | HydratedBlock | PartialBlock): Readonly<Record<string, unknown>> =>
  Block.extras(block)
