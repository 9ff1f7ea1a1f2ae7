/**
 * A block as one or more wallets see it: the rows of what they do in it.
 */
import type * as Movement from "./Movement.ts"
import type { Candidate } from "./WalletRows.ts"

/**
 * What a wallet does in a transaction, or in the block itself.
 */
export interface WalletRow {
  readonly wallet: string
  /** Hash of the transaction; `null` for what belongs to the block. */
  readonly transactionHash: string | null
  /** Index of the transaction; `null` for what belongs to the block. */
  readonly index: number | null
  /** See `Role`. */
  readonly roles: number
  readonly movements: ReadonlyArray<Movement.Movement>
  /** Left out where there are none. */
  readonly candidates?: ReadonlyArray<Candidate> | undefined
}

/**
 * A block with what the searched wallets do in it.
 */
export interface DiscoveredBlock {
  readonly number: number
  readonly hash: string
  /** Seconds since 1970. */
  readonly timestamp: number
  /** In order of the transactions; what belongs to the block comes last. */
  readonly rows: ReadonlyArray<WalletRow>
  /** A trace, a receipt or a transaction was missing when it was fetched: it may hold more of the wallets. False for rows of an index, which has its gaps. */
  readonly hasGaps: boolean
}
