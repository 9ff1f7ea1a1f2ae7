/**
 * What the project knows of each chain beside its names, which are in `chainNames.ts`, so that clients do not download it. The lookups are
 * `Chain`, under which all of this is exported.
 */

import type * as FeeRules from "../FeeRules.ts"
import { type Identity, identities } from "./chainNames.ts"

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
   * The root of withdrawals in the header is that of the trie of the list beside it. `none` on the OP Stack, where the list is always
   * empty and the field a storage root since Isthmus. Source: EIP-4895; OP Stack specification, Isthmus.
   */
  readonly withdrawals: boolean | "none"
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
export interface Chain extends Identity {
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
const ethereum: Ranges = [{ fromBlock: 0n, headerHash: true, blooms: true, roots: true, withdrawals: true }]

/** OP Stack: every part can be computed, and there are no withdrawals of a header. */
const opStack: Ranges = [{ fromBlock: 0n, headerHash: true, blooms: true, roots: true, withdrawals: "none" }]

const unverified: Ranges = [{ fromBlock: 0n, headerHash: false, blooms: false, roots: false, withdrawals: false }]

/** Ethereum, whose receipts hold a status since Byzantium. Source: EIP-658. */
const mainnet: Ranges = [
  { fromBlock: 0n, headerHash: true, blooms: true, roots: true, withdrawals: true, receiptStateRoots: true },
  { fromBlock: 4_370_000n, headerHash: true, blooms: true, roots: true, withdrawals: true },
]

/** Neither blooms nor roots cover the state-sync transaction before Madhugiri, and all of them do since. Source: PIP-74. */
const polygonRules = (madhugiriBlock: bigint): Ranges => [
  { fromBlock: 0n, headerHash: true, blooms: true, roots: true, withdrawals: true, stateSyncCovered: false },
  { fromBlock: madhugiriBlock, headerHash: true, blooms: true, roots: true, withdrawals: true, stateSyncCovered: true },
]

/** Old blocks leave out logs of reverted transactions, and receipts of transactions that did not run. Source: Ethermint. */
const cronosRules: Ranges = [
  { fromBlock: 0n, headerHash: false, blooms: false, roots: false, withdrawals: false, indexGaps: true },
  { fromBlock: 20_000_000n, headerHash: false, blooms: false, roots: false, withdrawals: false },
]

type Facts = Omit<Chain, keyof Identity>

const facts: Readonly<Record<(typeof identities)[number]["name"], Facts>> = {
  eth: {
    blockTimeMillis: 12_000,
    finalityBlocks: 96,
    hashRules: mainnet,
    feeRules: "mainnet",
  },
  sepolia: {
    blockTimeMillis: 12_000,
    finalityBlocks: 96,
    hashRules: ethereum,
    feeRules: "sepolia",
  },
  holesky: { blockTimeMillis: 12_000, finalityBlocks: 96, hashRules: ethereum, feeRules: "ethereum" },
  polygon: {
    blockTimeMillis: 2_000,
    finalityBlocks: 256,
    hashRules: polygonRules(80_084_800n),
    feeRules: "polygon",
  },
  "polygon amoy": {
    blockTimeMillis: 2_000,
    finalityBlocks: 256,
    hashRules: polygonRules(28_899_616n),
    feeRules: "polygonAmoy",
  },
  bsc: {
    blockTimeMillis: 750,
    finalityBlocks: 64,
    hashRules: ethereum,
    feeRules: "bsc",
  },
  "bsc testnet": {
    blockTimeMillis: 750,
    finalityBlocks: 64,
    hashRules: ethereum,
    feeRules: "bsc",
  },
  // Atomic transactions are part of the header.
  avalanche: {
    blockTimeMillis: 2_000,
    finalityBlocks: 1,
    hashRules: unverified,
    feeRules: "avalanche",
  },
  fantom: {
    blockTimeMillis: 1_000,
    finalityBlocks: 1,
    hashRules: unverified,
    feeRules: "unknown",
  },
  // Seals of the validators are left out of the hash.
  palm: { blockTimeMillis: 2_000, finalityBlocks: 1, hashRules: unverified, feeRules: "unknown" },
  cronos: {
    blockTimeMillis: 1_000,
    finalityBlocks: 1,
    hashRules: cronosRules,
    feeRules: "unknown",
  },
  arbitrum: {
    blockTimeMillis: 250,
    finalityBlocks: 14_400,
    hashRules: ethereum,
    feeRules: "unknown",
  },
  // Blocks before the merge (AuRa) have another header.
  gnosis: {
    blockTimeMillis: 5_000,
    finalityBlocks: 96,
    hashRules: ethereum,
    feeRules: "gnosis",
  },
  "gnosis testnet": { blockTimeMillis: 5_000, finalityBlocks: 96, hashRules: ethereum, feeRules: "gnosisTestnet" },
  chiliz: {
    blockTimeMillis: 3_000,
    finalityBlocks: 64,
    hashRules: unverified,
    feeRules: "unknown",
  },
  "chiliz testnet": { blockTimeMillis: 3_000, finalityBlocks: 64, hashRules: unverified, feeRules: "unknown" },
  base: { blockTimeMillis: 2_000, finalityBlocks: 1_800, hashRules: opStack, feeRules: "base" },
  "base sepolia": {
    blockTimeMillis: 2_000,
    finalityBlocks: 1_800,
    hashRules: opStack,
    feeRules: "baseSepolia",
  },
  optimism: {
    blockTimeMillis: 2_000,
    finalityBlocks: 1_800,
    hashRules: opStack,
    feeRules: "optimism",
  },
  "optimism sepolia": {
    blockTimeMillis: 2_000,
    finalityBlocks: 1_800,
    hashRules: opStack,
    feeRules: "optimismSepolia",
  },
  linea: {
    blockTimeMillis: 2_000,
    finalityBlocks: 1_800,
    hashRules: unverified,
    feeRules: "unknown",
  },
  "linea sepolia": { blockTimeMillis: 2_000, finalityBlocks: 1_800, hashRules: unverified, feeRules: "unknown" },
  moonbeam: {
    blockTimeMillis: 6_000,
    finalityBlocks: 64,
    hashRules: unverified,
    feeRules: "unknown",
  },
  moonriver: {
    blockTimeMillis: 6_000,
    finalityBlocks: 64,
    hashRules: unverified,
    feeRules: "unknown",
  },
  moonbase: {
    blockTimeMillis: 6_000,
    finalityBlocks: 64,
    hashRules: unverified,
    feeRules: "unknown",
  },
  "arbitrum sepolia": { blockTimeMillis: 250, finalityBlocks: 14_400, hashRules: ethereum, feeRules: "unknown" },
}

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
export const all: ReadonlyArray<Chain> =
  // Pure: bundlers leave it out of clients, which need the names alone.
  /* @__PURE__ */ identities.map((identity) => ({ ...identity, ...facts[identity.name] }))
