/**
 * What is known about wallets besides their movements: opening balances before the first indexed block, the last comparison of their ledger
 * with the state of the chain, and self-descriptions of their tokens.
 */
import type * as Effect from "effect/Effect"
import type { Holding } from "../ledger/Holding.ts"
import type { Movement } from "../ledger/Movement.ts"
import type { TokenMetadata } from "../ledger/TokenMetadata.ts"
import type { BlockRef } from "../block/BlockRows.ts"
import type { StoreError } from "./StoreError.ts"

/** A wallet's holding of an asset before the first indexed block. */
export interface OpeningBalance {
  readonly holding: Holding
  readonly amount: bigint
}

/** Some of the opening balances of a wallet. */
export interface OpeningSlice {
  readonly balances: ReadonlyArray<OpeningBalance>
  /** Key of the last one; undefined if none is left. */
  readonly next: Uint8Array | undefined
}

/** A range of the opening balances of a wallet that are movements. */
export interface OpeningQuery {
  /** Address, lower case. */
  readonly wallet: string
  readonly order: "ASC" | "DESC"
  /** Number of the one after which the range begins, in the order of the query; undefined for all. */
  readonly after: number | undefined
  /** Maximum number of openings. */
  readonly limit: number
}

/** Opening balances in the order of a query. */
export interface OpeningRows {
  /** Each with its number among all of the wallet, which counts damaged ones. */
  readonly rows: ReadonlyArray<{ readonly number: number; readonly movement: Movement }>
  /** Number after which the range continues; undefined if none is left. */
  readonly next: number | undefined
}

/** The last comparison of a holding with the state of the chain. */
export interface ComparedHolding {
  readonly holding: Holding
  /** Block of the comparison. */
  readonly block: number
  /** Opening balance plus movements up to the block. */
  readonly expected: bigint
  /** Balance on the chain; `null` if the contract returns none. */
  readonly found: bigint | null
  /** First block at which the two differ; `null` if they are equal, or if it was not located. */
  readonly firstBlock: number | null
  /** True if the balance on the chain was verified against the state root of the block's header; otherwise the node was trusted. */
  readonly isByStateRoot?: boolean
}

/** The last comparison of a wallet's ledger with the state of the chain. */
export interface WalletProof {
  /** Address in lower case. */
  readonly wallet: string
  /** First block of the index at that time. A proof for an index with another first block is not read. */
  readonly first: number
  /** Block of the comparison. */
  readonly block: BlockRef
  /** Last block at which everything was compared and equal; `null` if there is none. */
  readonly provedBlock: number | null
  readonly holdings: ReadonlyArray<ComparedHolding>
  /** What could not be compared, in sentences. */
  readonly unchecked: ReadonlyArray<string>
}

/** The first indexed block as known to a reader of openings. */
export interface FirstBlock {
  readonly number: number
  readonly parentHash: string
}

/** A wallet with opening balances read from a node. */
export interface WalletOpening {
  readonly wallet: string
  readonly balances: ReadonlyArray<OpeningBalance>
}

/** Which openings or tokens to read next. */
export interface UnreadQuery {
  /** Last block whose wallets are examined. */
  readonly to: number
  /** Wallets in lower case; `null` for all. */
  readonly wallets: ReadonlySet<string> | null
  /** Number of holdings or tokens after which no further block is examined. */
  readonly limit: number
}

/** Holdings of wallets in the next blocks whose openings were not read yet. */
export interface UnreadOpenings {
  readonly holdings: ReadonlyArray<{ readonly wallet: string; readonly holding: Holding }>
  /** First block that was not examined. */
  readonly next: number
}

/** Tokens in the ledgers of the next blocks that were not read yet. */
export interface UnreadTokens {
  /** Addresses without duplicates. */
  readonly tokens: ReadonlyArray<string>
  /** First block that was not examined before. */
  readonly from: number
  /** First block that was not examined. */
  readonly next: number
}

/** Writes openings, tokens and proofs. Needs no lease: a write for blocks that are not in the index changes nothing. */
export interface ProofWriter {
  /** False if the index begins with another block. `next` is that of the `UnreadOpenings` with these holdings. */
  readonly writeOpenings: (
    first: FirstBlock,
    openings: ReadonlyArray<WalletOpening>,
    next?: number,
  ) => Effect.Effect<boolean, StoreError>
  /**
   * Writes the self-descriptions of tokens; one that was written before is kept. False if the index begins with another block. `next` is
   * that of the `UnreadTokens` with these tokens.
   */
  readonly writeTokens: (
    first: FirstBlock,
    tokens: ReadonlyMap<string, TokenMetadata>,
    next: number,
  ) => Effect.Effect<boolean, StoreError>
  /** False if the index begins with another block, or has a different block at the number of the comparison. */
  readonly writeProof: (proof: WalletProof) => Effect.Effect<boolean, StoreError>
}

/** True if everything was compared and equal at the block of the last comparison. */
export const isProved = ({ block, provedBlock }: WalletProof): boolean => provedBlock === block.number
