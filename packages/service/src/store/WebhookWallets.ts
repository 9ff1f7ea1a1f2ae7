/**
 * Wallets of webhooks, each with the position from which its rows count. Most share their webhook's position, so that a block without rows
 * of a wallet changes no row for it.
 *
 * Source: decision 0073.
 */

/** A wallet of a webhook. */
export interface WebhookWallet {
  /** Address in lower case. */
  readonly wallet: string
  /** Journal position as text; `null` for the shared position, "" if the rows have no position yet. */
  readonly journal: string | null
  /** Next block of its own position. */
  readonly next: number
  /** First block whose rows are sent. */
  readonly start: number
  /** Highest block whose rows were sent; -1 if there is none. */
  readonly highest: number
}

/** Which wallets of a webhook to read, ordered by address. */
export interface WalletSelection {
  /** Only wallets among these. */
  readonly among?: ReadonlyArray<string>
  /** `shared`: at the shared position. `own`: with their own position, or none yet. `none`: with none yet. Default: all. */
  readonly position?: "shared" | "own" | "none"
  /** Only wallets whose rows were sent for this block or a higher one. */
  readonly highestFrom?: number
  /** Only wallets after an address. */
  readonly after?: string | undefined
  readonly limit?: number
}

/** Addresses after one and up to another; without an end if the latter is absent. */
export interface WalletRange {
  readonly after?: string | undefined
  readonly to?: string | undefined
}

/** Whether a range contains an address. */
export const isWithin = ({ after, to }: WalletRange, wallet: string): boolean =>
  (after === undefined || wallet > after) && (to === undefined || wallet <= to)

/** How a change modifies the wallets of a webhook, in this order. */
export interface WalletChanges {
  /** Wallets to which `isReset`, `part` and `rewind` apply. Default: all. */
  readonly within?: WalletRange
  /** Clears their positions. */
  readonly isReset?: boolean
  /** Gives wallets at the shared position their own position. */
  readonly part?: { readonly journal: string; readonly next: number } | undefined
  /** Resends the rows of wallets with a position from a block on. */
  readonly rewind?: number
  /** Raises the block up to which rows of a wallet may have been sent. */
  readonly raise?: readonly [wallet: string, highest: number] | undefined
  readonly remove?: ReadonlyArray<string>
  /** Wallets to add; one that the webhook has is left unchanged. */
  readonly add?: ReadonlyArray<WebhookWallet>
  /** Existing wallets of the webhook with new positions. */
  readonly move?: ReadonlyArray<WebhookWallet>
}

/** A wallet whose rows have no position yet. */
export const notBegun = (wallet: string): WebhookWallet => ({ wallet, journal: "", next: 0, start: 0, highest: -1 })

/** SQL condition of a position. `none` includes that of `own`, so that it uses the same index. */
export const positionConditions = {
  shared: "journal IS NULL",
  own: "journal IS NOT NULL",
  none: "journal IS NOT NULL AND journal = ''",
} as const

/** Columns of a row, in this order. */
export const columns = "wallet, journal, next, start, highest"

/** Columns of a row. */
export type Columns = readonly [wallet: string, journal: string | null, next: number, start: number, highest: number]

/** Wallet of a row. */
export const fromColumns = ([wallet, journal, next, start, highest]: Columns): WebhookWallet => ({
  wallet,
  journal,
  next: Number(next),
  start: Number(start),
  highest: Number(highest),
})

/** Whether a change adds or removes wallets. */
export const isResized = ({ add = [], remove = [] }: WalletChanges): boolean => add.length + remove.length > 0
