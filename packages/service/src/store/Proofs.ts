/**
 * What is known about wallets besides their movements: opening balances before the first indexed block, the last comparison of their ledger
 * with the state of the chain, and self-descriptions of their tokens.
 */
import type * as Effect from "effect/Effect"
import type { Holding } from "../ledger/Holding.ts"
import type { TokenMetadata } from "../ledger/TokenMetadata.ts"
import type { BlockRef } from "../block/BlockRows.ts"
import type { StoreError } from "./StoreError.ts"

/** What a wallet held of an asset before the first indexed block. */
export interface OpeningBalance {
  readonly holding: Holding
  readonly amount: bigint
}

/** The last comparison of a holding with the state of the chain. */
export interface ComparedHolding {
  readonly holding: Holding
  /** Block of the comparison. */
  readonly block: number
  /** Opening balance and movements up to the block added up. */
  readonly expected: bigint
  /** What the chain has; `null` where the contract gives no balance. */
  readonly found: bigint | null
  /** First block at which the two differ; `null` where they are equal, or where it was not located. */
  readonly firstBlock: number | null
  /** True where what the chain has was verified against the state root of the block's header; else the node was trusted. */
  readonly isByStateRoot?: boolean
}

/** The last comparison of the ledger of a wallet with the state of the chain. */
export interface WalletProof {
  /** Lower case. */
  readonly wallet: string
  /** First block of the index at that time. A proof of an index with another first block is not read. */
  readonly first: number
  /** Block of the comparison. */
  readonly block: BlockRef
  /** Last block at which everything was compared and equal; `null` for none. */
  readonly provedBlock: number | null
  readonly holdings: ReadonlyArray<ComparedHolding>
  /** What could not be compared, in sentences. */
  readonly unchecked: ReadonlyArray<string>
}

/** The first indexed block, as a reader of openings knew it. */
export interface FirstBlock {
  readonly number: number
  readonly parentHash: string
}

/** A wallet with opening balances that were read of a node. */
export interface WalletOpening {
  readonly wallet: string
  readonly balances: ReadonlyArray<OpeningBalance>
}

/** Which openings or tokens to read next. */
export interface UnreadQuery {
  /** Last block whose wallets are examined. */
  readonly to: number
  /** Wallets, lower case; `null` for all. */
  readonly wallets: ReadonlySet<string> | null
  /** Holdings or tokens after which no further block is examined. */
  readonly limit: number
}

/** Holdings of wallets of the next blocks whose openings were not read yet. */
export interface UnreadOpenings {
  readonly holdings: ReadonlyArray<{ readonly wallet: string; readonly holding: Holding }>
  /** First block that was not examined. */
  readonly next: number
}

/** Tokens of the ledgers of the next blocks that were not read yet. */
export interface UnreadTokens {
  /** Addresses, each once. */
  readonly tokens: ReadonlyArray<string>
  /** First block that was not examined before. */
  readonly from: number
  /** First block that was not examined. */
  readonly next: number
}

/** Writes openings, tokens and proofs. Needs no lease: a write for blocks that the index does not have changes nothing. */
export interface ProofWriter {
  /** False where the index begins with another block. `next` is that of `UnreadOpenings`, where these are its holdings. */
  readonly writeOpenings: (
    first: FirstBlock,
    openings: ReadonlyArray<WalletOpening>,
    next?: number,
  ) => Effect.Effect<boolean, StoreError>
  /**
   * Writes what tokens return of themselves; one that was written before stays. False where the index begins with another block.
   * `next` is that of `UnreadTokens`, where these are its tokens.
   */
  readonly writeTokens: (
    first: FirstBlock,
    tokens: ReadonlyMap<string, TokenMetadata>,
    next: number,
  ) => Effect.Effect<boolean, StoreError>
  /** False where the index begins with another block, or has another one in place of that of the comparison. */
  readonly writeProof: (proof: WalletProof) => Effect.Effect<boolean, StoreError>
}

/** True where everything was compared, and equal, at the block of the last comparison. */
export const isProved = ({ block, provedBlock }: WalletProof): boolean => provedBlock === block.number
