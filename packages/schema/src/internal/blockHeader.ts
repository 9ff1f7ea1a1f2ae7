/** Fields of every block. */
import * as Schema from "effect/Schema"
import * as Address from "../Address.ts"
import * as Hash from "../Hash.ts"
import * as Hex from "../Hex.ts"
import * as Quantity from "../Quantity.ts"
import * as objects from "./generated/objects.ts"
import { type Named, open } from "./open.ts"

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

export const header = {
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
  /** Uncle hashes; empty since the merge; decoded as empty if absent. */
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

export const noUncles = { uncles: (): ReadonlyArray<Hash.Hash> => [] }
