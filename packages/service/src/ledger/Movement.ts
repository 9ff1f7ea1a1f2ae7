/**
 * A movement: one change in the holdings of a wallet. Amounts are signed, in the smallest unit of the asset. Pure.
 *
 * Source: decision 0048.
 */

import type { Kind } from "@daybook/schema/Movement"
import { indexLimit } from "../verification/MinedBlock.ts"

export { type Kind, kinds } from "@daybook/schema/Movement"

/** One change in the holdings of a wallet. Addresses are lower case. */
export interface Movement {
  readonly wallet: string
  /** Counterparty; `null` if there is none, as for fees, rewards and withdrawals. */
  readonly counterparty: string | null
  /** `native`, or the address of a token. */
  readonly asset: string
  /** Id of the token in decimal digits; `null` for fungible assets. */
  readonly tokenId: string | null
  /** Signed: negative if the wallet pays. Never 0. */
  readonly amount: bigint
  readonly kind: Kind
  /** Position of its log in the block; `null` for none. */
  readonly logIndex: number | null
  /** True for the fee and the minted value of a failed transaction. */
  readonly isFailed: boolean
}

/** The asset of native movements. */
export const native = "native"

/** Index of rows that belong to a block and not to one of its transactions: after all transactions. */
export const blockLevelIndex: number = indexLimit
