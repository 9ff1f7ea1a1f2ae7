/**
 * A format of exports: text before, for and after the entries. Pure.
 */
import type { Closing, Entry } from "./ExportEntry.ts"

/** A wallet on a chain. */
export interface Account {
  readonly chainId: number
  readonly wallet: string
}

/** What is known about a chain after its last entry. */
export interface Tail {
  readonly closings: ReadonlyArray<Closing>
  readonly blockNumber: number
  /** Seconds since 1970. */
  readonly timestamp: number
}

/**
 * Writes one export: once the head for all accounts, and for each chain its entries, then its tail. A format may remember which assets it
 * has declared.
 */
export interface ExportFormat {
  readonly head: (accounts: ReadonlyArray<Account>) => string
  readonly entry: (entry: Entry) => string
  readonly tail: (tail: Tail) => string
}
