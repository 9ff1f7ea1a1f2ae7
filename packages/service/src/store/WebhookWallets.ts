/**
 * Wallets of webhooks, each with the position from which its rows count. Most share their webhook's position, so that a block without rows
 * of a wallet changes no row for it.
 *
 * Source: decision 0073.
 */

/** A wallet of a webhook. */
export interface WebhookWallet {
  /** Lower case. */
  readonly wallet: string
  /** Position in the journal, as text; `null` for the shared place, "" where the rows have no place yet. */
  readonly journal: string | null
  /** The next block of a place of its own. */
  readonly next: number
  /** First block of which rows are sent. */
  readonly start: number
  /** Highest block of which rows were sent; -1 for none. */
  readonly highest: number
}

/** Which wallets of a webhook are read, in the order of their addresses. */
export interface WalletSelection {
  /** Some of these alone. */
  readonly among?: ReadonlyArray<string>
  /** `shared`: at the shared place. `own`: with a place of their own, or none yet. `none`: with none yet. By default all. */
  readonly place?: "shared" | "own" | "none"
  /** Those of which rows were sent of this block or a higher one. */
  readonly highestFrom?: number
  /** Those behind an address. */
  readonly after?: string | undefined
  readonly limit?: number
}

/** Addresses behind one, up to another one; without an end where it is left out. */
export interface WalletRange {
  readonly after?: string | undefined
  readonly to?: string | undefined
}

/** Whether a range has an address. */
export const isWithin = ({ after, to }: WalletRange, wallet: string): boolean =>
  (after === undefined || wallet > after) && (to === undefined || wallet <= to)

/** What a change does to the wallets of a webhook, in this order. */
export interface WalletChanges {
  /** Wallets for which `isReset`, `part` and `rewind` count. By default all. */
  readonly within?: WalletRange
  /** They lose their places. */
  readonly isReset?: boolean
  /** Those at the shared place get a place of their own. */
  readonly part?: { readonly journal: string; readonly next: number } | undefined
  /** The rows of those that have a place are sent again from a block on. */
  readonly rewind?: number
  /** Rows of a wallet may have been sent up to a block. */
  readonly raise?: readonly [wallet: string, highest: number] | undefined
  readonly remove?: ReadonlyArray<string>
  /** Wallets that are added; one that the webhook has stays as it is. */
  readonly add?: ReadonlyArray<WebhookWallet>
  /** Wallets that the webhook has, with other places. */
  readonly move?: ReadonlyArray<WebhookWallet>
}

/** A wallet whose rows have no place yet. */
export const notBegun = (wallet: string): WebhookWallet => ({ wallet, journal: "", next: 0, start: 0, highest: -1 })

/** The condition of a place. `none` names that of `own` too, so that it is read by the index of these. */
export const placeConditions = {
  shared: "journal IS NULL",
  own: "journal IS NOT NULL",
  none: "journal IS NOT NULL AND journal = ''",
} as const

/** The columns of a row, in this order. */
export const columns = "wallet, journal, next, start, highest"

/** The columns of a row. */
export type Columns = readonly [wallet: string, journal: string | null, next: number, start: number, highest: number]

/** The wallet of a row. */
export const fromColumns = ([wallet, journal, next, start, highest]: Columns): WebhookWallet => ({
  wallet,
  journal,
  next: Number(next),
  start: Number(start),
  highest: Number(highest),
})

/** Whether a change adds wallets or removes some. */
export const isResized = ({ add = [], remove = [] }: WalletChanges): boolean => add.length + remove.length > 0
