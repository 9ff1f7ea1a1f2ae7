/**
 * A movement: one change of what a wallet holds. Amounts are signed, in the smallest unit of the asset. Pure.
 *
 * Source: decision 0048.
 */

/** Kinds of movements. Their order is that of the stored form: a kind is added at the end. */
export const kinds = [
  /** Fees that the sender of a transaction paid: gas, blob gas, data on L1, operator. Also of failed transactions. */
  "fee",
  /** Value of a transaction. */
  "value",
  /** Value of a call, a creation or a self-destruct inside a transaction. */
  "internal",
  /** Value by the log of a transfer of ether, where there are no traces. Source: EIP-7708. */
  "ether_log",
  /** Withdrawal of the beacon chain. */
  "withdrawal",
  /** Fees and rewards of a block. */
  "reward",
  /** Value that a deposit from L1 mints. */
  "mint",
  "erc20",
  "erc721",
  "erc1155",
  /** What the wallet held before the first indexed block. */
  "genesis",
  /** A change by the rules of the chain outside of transactions, as of the DAO fork. */
  "irregular",
] as const

export type Kind = (typeof kinds)[number]

/** One change of what a wallet holds. Addresses are lower case. */
export interface Movement {
  readonly wallet: string
  /** The other side; `null` where there is none, as for fees, rewards and withdrawals. */
  readonly counterparty: string | null
  /** `native`, or the address of a token. */
  readonly asset: string
  /** Id of the token in decimal digits; `null` for fungible assets. */
  readonly tokenId: string | null
  /** Signed: negative where the wallet pays. Never 0. */
  readonly amount: bigint
  readonly kind: Kind
  /** Position of its log in the block; `null` for none. */
  readonly logIndex: number | null
  /** True for the fee and the minted value of a failed transaction. */
  readonly isFailed: boolean
}

/** The asset of native movements. */
export const native = "native"

/** The index of rows that belong to a block and not to one of its transactions: after all transactions. */
export const blockLevelIndex = 2 ** 20 - 1
