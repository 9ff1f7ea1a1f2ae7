/**
 * The chains of the interface: one row each, with everything the project knows of a chain. The lookups are `Chain`, under which all
 * of this is exported.
 */

import type * as FeeRules from "../FeeRules.ts"

/**
 * What can be computed again from the parts of a block, and so verified.
 *
 * Source: Ethereum yellow paper 4.4.
 */
export interface HashRules {
  /** The block's hash is the Keccak of the fields of an Ethereum header. Source: Ethereum yellow paper 4.4. */
  readonly headerHash: boolean
  /** The bloom filters of receipts and block are those of the logs. Source: Ethereum yellow paper 4.4.1. */
  readonly blooms: boolean
  /** The roots are those of the tries of transactions and receipts. Source: EIP-2718. */
  readonly roots: boolean
  /**
   * Polygon: blooms and roots cover the state-sync transaction. Absent: they cover one of type 0x7f, and the block's bloom no other.
   * Source: PIP-74.
   */
  readonly stateSyncCovered?: boolean
  /** True where a receipt holds a state root in place of its status. Absent means false. Source: EIP-658. */
  readonly receiptStateRoots?: boolean
  /**
   * True where nodes leave out transactions, receipts or logs that the chain has counted, so that indexes ascend with gaps and some
   * transactions have no receipt. Absent means false.
   */
  readonly indexGaps?: boolean
}

/**
 * Hash rules that hold from a block until the next range begins: a fork may change them.
 *
 * Source: Ethereum yellow paper 4.4.
 */
export interface HashRulesRange extends HashRules {
  /** First block of the range; 0 in the first one. */
  readonly fromBlock: bigint
}

/**
 * A chain of the interface.
 *
 * Source: docs/interface.md#4.1.1, docs/interface.md#4.2.
 */
export interface Chain {
  /** Name in the `chain` parameter of the REST operations. */
  readonly name: string
  /** Identifier listed for the `chain` parameter, in hex; `null` where only the RPC operations have the chain. */
  readonly identifier: string | null
  /** Name in the path of the RPC operations; `null` where they do not list the chain. */
  readonly rpcName: string | null
  /** Chain id. Source: EIP-155. */
  readonly id: bigint
  /** Symbol of the native currency. Source: EIP-155 chain list. */
  readonly symbol: string
  /** Usual time between two blocks, in milliseconds. */
  readonly blockTimeMillis: number
  /** Confirmations after which a block is final, where the node has no `finalized` tag. */
  readonly finalityBlocks: number
  /** Hash rules by range of blocks, oldest first. */
  readonly hashRules: readonly [HashRulesRange, ...ReadonlyArray<HashRulesRange>]
  /** Name of its fee rules in `FeeRules.all`. */
  readonly feeRules: FeeRules.Name
}

type Ranges = Chain["hashRules"]

/** Every part can be computed: real blocks were, or the client is a fork of one of Ethereum. */
const ethereum: Ranges = [{ fromBlock: 0n, headerHash: true, blooms: true, roots: true }]

const unverified: Ranges = [{ fromBlock: 0n, headerHash: false, blooms: false, roots: false }]

/** Ethereum, whose receipts hold a status since Byzantium. Source: EIP-658. */
const mainnet: Ranges = [
  { fromBlock: 0n, headerHash: true, blooms: true, roots: true, receiptStateRoots: true },
  { fromBlock: 4_370_000n, headerHash: true, blooms: true, roots: true },
]

/** Neither blooms nor roots cover the state-sync transaction before Madhugiri, and all of them do since. Source: PIP-74. */
const polygonRules = (madhugiriBlock: bigint): Ranges => [
  { fromBlock: 0n, headerHash: true, blooms: true, roots: true, stateSyncCovered: false },
  { fromBlock: madhugiriBlock, headerHash: true, blooms: true, roots: true, stateSyncCovered: true },
]

/** Old blocks leave out logs of reverted transactions, and receipts of transactions that did not run. Source: Ethermint. */
const cronosRules: Ranges = [
  { fromBlock: 0n, headerHash: false, blooms: false, roots: false, indexGaps: true },
  { fromBlock: 20_000_000n, headerHash: false, blooms: false, roots: false },
]

type Identity = Pick<Chain, "name" | "identifier" | "rpcName" | "symbol">

type Facts = Pick<Chain, "blockTimeMillis" | "finalityBlocks" | "hashRules" | "feeRules">

/** A row whose id is its identifier unless another is given. Its names stay literal types. */
const row = <const Name extends string, const RpcName extends string | null>(
  { id, ...identity }: Identity & { readonly name: Name; readonly rpcName: RpcName; readonly id?: bigint },
  facts: Facts,
): Chain & { readonly name: Name; readonly rpcName: RpcName } => ({
  ...identity,
  id: id ?? BigInt(identity.identifier ?? 0),
  ...facts,
})

const rows = [
  row(
    { name: "eth", identifier: "0x1", rpcName: "eth", symbol: "ETH" },
    {
      blockTimeMillis: 12_000,
      finalityBlocks: 96,
      hashRules: mainnet,
      feeRules: "mainnet",
    },
  ),
  row(
    { name: "sepolia", identifier: "0xaa36a7", rpcName: null, symbol: "ETH" },
    {
      blockTimeMillis: 12_000,
      finalityBlocks: 96,
      hashRules: ethereum,
      feeRules: "sepolia",
    },
  ),
  row(
    { name: "holesky", identifier: "0x4268", rpcName: "holesky", symbol: "ETH" },
    { blockTimeMillis: 12_000, finalityBlocks: 96, hashRules: ethereum, feeRules: "ethereum" },
  ),
  row(
    { name: "polygon", identifier: "0x89", rpcName: "polygon", symbol: "POL" },
    {
      blockTimeMillis: 2_000,
      finalityBlocks: 256,
      hashRules: polygonRules(80_084_800n),
      feeRules: "polygon",
    },
  ),
  row(
    { name: "polygon amoy", identifier: "0x13882", rpcName: "amoy", symbol: "POL" },
    {
      blockTimeMillis: 2_000,
      finalityBlocks: 256,
      hashRules: polygonRules(28_899_616n),
      feeRules: "polygonAmoy",
    },
  ),
  row(
    { name: "bsc", identifier: "0x38", rpcName: "bsc", symbol: "BNB" },
    {
      blockTimeMillis: 750,
      finalityBlocks: 64,
      hashRules: ethereum,
      feeRules: "bsc",
    },
  ),
  row(
    { name: "bsc testnet", identifier: "0x61", rpcName: "bsc testnet", symbol: "tBNB" },
    {
      blockTimeMillis: 750,
      finalityBlocks: 64,
      hashRules: ethereum,
      feeRules: "bsc",
    },
  ),
  // Atomic transactions are part of the header.
  row(
    { name: "avalanche", identifier: "0xa86a", rpcName: null, symbol: "AVAX" },
    {
      blockTimeMillis: 2_000,
      finalityBlocks: 1,
      hashRules: unverified,
      feeRules: "avalanche",
    },
  ),
  row(
    { name: "fantom", identifier: "0xfa", rpcName: null, symbol: "FTM" },
    {
      blockTimeMillis: 1_000,
      finalityBlocks: 1,
      hashRules: unverified,
      feeRules: "unknown",
    },
  ),
  // Seals of the validators are left out of the hash.
  row(
    { name: "palm", identifier: "0x2a15c308d", rpcName: null, symbol: "PALM" },
    { blockTimeMillis: 2_000, finalityBlocks: 1, hashRules: unverified, feeRules: "unknown" },
  ),
  row(
    { name: "cronos", identifier: "0x19", rpcName: null, symbol: "CRO" },
    {
      blockTimeMillis: 1_000,
      finalityBlocks: 1,
      hashRules: cronosRules,
      feeRules: "unknown",
    },
  ),
  row(
    { name: "arbitrum", identifier: "0xa4b1", rpcName: "arbitrum", symbol: "ETH" },
    {
      blockTimeMillis: 250,
      finalityBlocks: 14_400,
      hashRules: ethereum,
      feeRules: "unknown",
    },
  ),
  // Blocks before the merge (AuRa) have another header.
  row(
    { name: "gnosis", identifier: "0x64", rpcName: null, symbol: "xDAI" },
    {
      blockTimeMillis: 5_000,
      finalityBlocks: 96,
      hashRules: ethereum,
      feeRules: "gnosis",
    },
  ),
  row(
    { name: "gnosis testnet", identifier: "0x27d8", rpcName: null, symbol: "xDAI" },
    { blockTimeMillis: 5_000, finalityBlocks: 96, hashRules: ethereum, feeRules: "gnosisTestnet" },
  ),
  row(
    { name: "chiliz", identifier: "0x15b38", rpcName: null, symbol: "CHZ" },
    {
      blockTimeMillis: 3_000,
      finalityBlocks: 64,
      hashRules: unverified,
      feeRules: "unknown",
    },
  ),
  row(
    { name: "chiliz testnet", identifier: "0x15b32", rpcName: null, symbol: "CHZ" },
    { blockTimeMillis: 3_000, finalityBlocks: 64, hashRules: unverified, feeRules: "unknown" },
  ),
  row(
    { name: "base", identifier: "0x2105", rpcName: "base", symbol: "ETH" },
    { blockTimeMillis: 2_000, finalityBlocks: 1_800, hashRules: ethereum, feeRules: "base" },
  ),
  row(
    { name: "base sepolia", identifier: "0x14a34", rpcName: "base sepolia", symbol: "ETH" },
    {
      blockTimeMillis: 2_000,
      finalityBlocks: 1_800,
      hashRules: ethereum,
      feeRules: "baseSepolia",
    },
  ),
  row(
    { name: "optimism", identifier: "0xa", rpcName: "optimism", symbol: "ETH" },
    {
      blockTimeMillis: 2_000,
      finalityBlocks: 1_800,
      hashRules: ethereum,
      feeRules: "optimism",
    },
  ),
  row(
    { name: "optimism sepolia", identifier: "0xaa37dc", rpcName: "optimism testnet", symbol: "ETH" },
    {
      blockTimeMillis: 2_000,
      finalityBlocks: 1_800,
      hashRules: ethereum,
      feeRules: "optimismSepolia",
    },
  ),
  // Listed under the id of linea sepolia.
  row(
    { name: "linea", identifier: "0xe705", rpcName: null, id: 59_144n, symbol: "ETH" },
    {
      blockTimeMillis: 2_000,
      finalityBlocks: 1_800,
      hashRules: unverified,
      feeRules: "unknown",
    },
  ),
  row(
    { name: "linea sepolia", identifier: "0xe705", rpcName: null, symbol: "ETH" },
    { blockTimeMillis: 2_000, finalityBlocks: 1_800, hashRules: unverified, feeRules: "unknown" },
  ),
  row(
    { name: "moonbeam", identifier: "0x504", rpcName: null, symbol: "GLMR" },
    {
      blockTimeMillis: 6_000,
      finalityBlocks: 64,
      hashRules: unverified,
      feeRules: "unknown",
    },
  ),
  row(
    { name: "moonriver", identifier: "0x505", rpcName: null, symbol: "MOVR" },
    {
      blockTimeMillis: 6_000,
      finalityBlocks: 64,
      hashRules: unverified,
      feeRules: "unknown",
    },
  ),
  row(
    { name: "moonbase", identifier: "0x507", rpcName: null, symbol: "DEV" },
    {
      blockTimeMillis: 6_000,
      finalityBlocks: 64,
      hashRules: unverified,
      feeRules: "unknown",
    },
  ),
  row(
    { name: "arbitrum sepolia", identifier: null, rpcName: "arbitrum sepolia", id: 421_614n, symbol: "ETH" },
    { blockTimeMillis: 250, finalityBlocks: 14_400, hashRules: ethereum, feeRules: "unknown" },
  ),
]

/**
 * Every chain of the interface, in its order; `arbitrum sepolia` is listed for the RPC operations only.
 *
 * **Gotchas**
 *
 * `linea` and `linea sepolia` are listed under one identifier, the id of `linea sepolia`. The id of `linea` is 59144.
 *
 * **Example** (Listing the native currencies)
 *
 * ```ts
 * import * as Chain from "@daybook/schema/Chain"
 *
 * console.log(Chain.all.find(({ name }) => name === "polygon")?.symbol) // POL
 * ```
 *
 * Source: docs/interface.md#4.1.1, docs/interface.md#4.2; decision 0005.
 */
export const all: ReadonlyArray<Chain> = rows

type Row = (typeof rows)[number]

/**
 * A name of a chain, of the REST or of the RPC operations.
 *
 * Source: docs/interface.md#4.1.1, docs/interface.md#4.2.
 */
export type Name = Row["name"] | NonNullable<Row["rpcName"]>
