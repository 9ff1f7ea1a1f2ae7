/**
 * What the project knows about each chain besides its names. Names are in `chainNames.ts`, so that clients do not download these facts.
 * `Chain` has the lookups and exports all of this.
 */

import type * as FeeRules from "../FeeRules.ts"
import { type Identity, identities } from "./chainNames.ts"

/**
 * What can be recomputed from the parts of a block, and thus verified.
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
   * The withdrawals root in the header is the root of the trie of the list next to it. `none` on the OP Stack, where the list is always
   * empty and the field is a storage root since Isthmus. Source: EIP-4895; OP Stack specification, Isthmus.
   */
  readonly withdrawals: boolean | "none"
  /**
   * Polygon: blooms and roots cover the state-sync transaction. If absent, they cover one of type 0x7f, and the block's bloom covers no
   * other. Source: PIP-74.
   */
  readonly stateSyncCovered?: boolean
  /** True if a receipt holds a state root in place of its status. Absent means false. Source: EIP-658. */
  readonly receiptStateRoots?: boolean
  /**
   * True if nodes omit transactions, receipts or logs that the chain has counted, so that indexes ascend with gaps and some transactions
   * have no receipt. Absent means false.
   */
  readonly indexGaps?: boolean
}

/**
 * Hash rules that apply from a block until the next range starts, since a fork may change them.
 *
 * Source: Ethereum yellow paper 4.4.
 */
export interface HashRulesRange extends HashRules {
  /** First block of the range; 0 for the first range. */
  readonly fromBlock: bigint
}

/**
 * A chain of the interface.
 *
 * Source: docs/interface.md#4.1.1, docs/interface.md#4.2.
 */
export interface Chain extends Identity {
  /** Typical time between two blocks, in milliseconds. */
  readonly blockTimeMillis: number
  /** Number of confirmations after which a block is final, if the node has no `finalized` tag. */
  readonly finalityBlocks: number
  /** Hash rules by range of blocks, oldest first. */
  readonly hashRules: readonly [HashRulesRange, ...ReadonlyArray<HashRulesRange>]
  /** Name of its fee rules in `FeeRules.all`. */
  readonly feeRules: FeeRules.Name
}

type Ranges = Chain["hashRules"]

/** Every part can be computed: this was verified with real blocks, or the client is a fork of an Ethereum client. */
const ethereum: Ranges = [{ fromBlock: 0n, headerHash: true, blooms: true, roots: true, withdrawals: true }]

/** OP Stack: every part can be computed, and headers have no withdrawals. */
const opStack: Ranges = [{ fromBlock: 0n, headerHash: true, blooms: true, roots: true, withdrawals: "none" }]

const unverified: Ranges = [{ fromBlock: 0n, headerHash: false, blooms: false, roots: false, withdrawals: false }]

/** Ethereum, where receipts have a status since Byzantium. Source: EIP-658. */
const mainnet: Ranges = [
  { fromBlock: 0n, headerHash: true, blooms: true, roots: true, withdrawals: true, receiptStateRoots: true },
  { fromBlock: 4_370_000n, headerHash: true, blooms: true, roots: true, withdrawals: true },
]

/** Before Madhugiri neither blooms nor roots cover the state-sync transaction; since then all of them do. Source: PIP-74. */
const polygonRules = (madhugiriBlock: bigint): Ranges => [
  { fromBlock: 0n, headerHash: true, blooms: true, roots: true, withdrawals: true, stateSyncCovered: false },
  { fromBlock: madhugiriBlock, headerHash: true, blooms: true, roots: true, withdrawals: true, stateSyncCovered: true },
]

/** Old blocks omit logs of reverted transactions, and receipts of transactions that did not run. Source: Ethermint. */
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
  // The hash does not cover the seals of the validators.
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
  // Blocks before the merge (AuRa) have a different header.
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
 * `linea` and `linea sepolia` are listed under the same identifier, the id of `linea sepolia`. The id of `linea` is 59144.
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
  // Pure, so that bundlers drop it from clients, which only need the names.
  /* @__PURE__ */ identities.map((identity) => ({ ...identity, ...facts[identity.name] }))
