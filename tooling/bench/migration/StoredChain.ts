/** A chain that an older version has stored: the figures of its file before the migration. */
export interface StoredChain {
  /** Number of the newest block; the lowest is 0. */
  readonly head: number
  readonly transactions: number
  /** Entries in the histories of wallets. */
  readonly appearances: number
  /** Time of all appends. */
  readonly appendMillis: number
}
