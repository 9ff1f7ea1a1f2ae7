/**
 * A block from the perspective of one or more wallets: the rows of their activity in it.
 */
import type * as Movement from "./Movement.ts"
import type { Candidate } from "./WalletRows.ts"

/**
 * Activity of a wallet in a transaction, or in the block itself.
 */
export interface WalletRow {
  readonly wallet: string
  /** Hash of the transaction; `null` for the block itself. */
  readonly transactionHash: string | null
  /** Index of the transaction; `null` for the block itself. */
  readonly index: number | null
  /** See `Role`. */
  readonly roles: number
  readonly movements: ReadonlyArray<Movement.Movement>
  /** Absent if there are none. */
  readonly candidates?: ReadonlyArray<Candidate> | undefined
}

/**
 * A block with the activity of the searched wallets.
 */
export interface DiscoveredBlock {
  readonly number: number
  readonly hash: string
  /** Seconds since 1970. */
  readonly timestamp: number
  /** In transaction order, with the block itself last. */
  readonly rows: ReadonlyArray<WalletRow>
  /**
   * Whether a trace, a receipt or a transaction was missing when it was fetched, so that it may hold more of the wallets. False for rows of
   * an index, which records its own gaps.
   */
  readonly hasGaps: boolean
}
