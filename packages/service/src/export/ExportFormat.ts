/**
 * A format of exports: text before, for and after the entries. Pure.
 */
import type { Closing, Entry } from "./ExportEntry.ts"

/** What is known before the first entry. */
export interface Head {
  readonly chainId: number
  readonly wallets: ReadonlyArray<string>
}

/** What is known after the last entry. */
export interface Tail {
  readonly closings: ReadonlyArray<Closing>
  readonly blockNumber: number
  /** Seconds since 1970. */
  readonly timestamp: number
}

/**
 * Writes one export. A format may remember which assets it has declared.
 */
export interface ExportFormat {
  readonly head: (head: Head) => string
  readonly entry: (entry: Entry) => string
  readonly tail: (tail: Tail) => string
}
