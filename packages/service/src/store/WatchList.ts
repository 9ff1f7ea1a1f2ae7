/**
 * The wallets of an index that is limited to some, and the indexed blocks of each. Wallets can be added and removed while an indexer runs.
 * A wallet that was added later has all of its transactions from some block on, but not below it.
 *
 * Source: decision 0055.
 */
import type { Checkpoint } from "../block/BlockRows.ts"

/** The past of added wallets was searched further, and the results are stored; addresses in lower case. */
export interface Searched {
  readonly _tag: "Searched"
  readonly wallets: ReadonlyArray<string>
  /** Last block up to which it was searched before; the block below the first one if the search begins. */
  readonly from: number
  /** Last block up to which it is searched. */
  readonly to: number
}

/** Wallets to add to or remove from an index, in lower case; or how far the past of added ones is searched. */
export type WatchChange = Searched | { readonly _tag: "Add" | "Remove"; readonly wallets: ReadonlyArray<string> }

/** The result of a change. */
export interface WatchChanged {
  /**
   * Checkpoint after the change; `null` for an empty index, without `watch` for an index of every wallet. Nothing was changed in these
   * cases.
   */
  readonly checkpoint: Checkpoint | null
  /** Wallets that were added or removed. */
  readonly changed: ReadonlyArray<string>
}

/** Lists in which a wallet was looked up, with a set for those that are looked up again. */
const sets = new WeakMap<ReadonlyArray<string>, ReadonlySet<string> | null>()

/**
 * Whether a list of watched wallets contains one, both in lower case. A page looks up one wallet in the list of its checkpoint, which costs
 * less than a set; further lookups in the same list share one set.
 */
export const has = (watch: ReadonlyArray<string>, wallet: string): boolean => {
  const known = sets.get(watch)
  if (known === undefined) {
    sets.set(watch, null)
    return watch.includes(wallet)
  }
  const set = known ?? new Set(watch)
  sets.set(watch, set)
  return set.has(wallet)
}

/** First block from which the index has every transaction of a wallet. */
export const completeFrom = ({ addedFrom = {}, first }: Checkpoint, wallet: string): number =>
  Math.max(first, addedFrom[wallet] ?? first)

/** Last block up to which the past of a wallet that was added later is searched; `null` if none of it is. */
export const searchedTo = ({ searchedTo: searched = {} }: Checkpoint, wallet: string): number | null =>
  searched[wallet] ?? null

/** Whether the past of a wallet that was added later is not completely searched. */
export const isSearching = (checkpoint: Checkpoint, wallet: string): boolean => {
  const from = completeFrom(checkpoint, wallet)
  return from > checkpoint.first && (searchedTo(checkpoint, wallet) ?? -1) < from - 1
}

/**
 * First block from which the index has transactions of a wallet: all of them, and below the block at which it was added, those that a
 * search of its past has found.
 */
export const firstBlock = (checkpoint: Checkpoint, wallet: string): number =>
  isSearching(checkpoint, wallet) ? completeFrom(checkpoint, wallet) : checkpoint.first

/** The checkpoint as seen by a wallet: it begins with the first block that has the wallet's transactions. */
export const ofWallet = (checkpoint: Checkpoint, wallet: string): Checkpoint =>
  checkpoint.addedFrom === undefined ? checkpoint : { ...checkpoint, first: firstBlock(checkpoint, wallet) }

/** Wallets whose transactions a block of the index has; `null` for all. */
export const walletsAt = (checkpoint: Checkpoint, block: number): ReadonlySet<string> | null =>
  checkpoint.watch === undefined
    ? null
    : new Set(checkpoint.watch.filter((wallet) => completeFrom(checkpoint, wallet) <= block))

/** Wallets whose transactions the whole index has, including those whose past was searched; `null` for all. */
export const completeWallets = (checkpoint: Checkpoint): ReadonlySet<string> | null =>
  checkpoint.watch === undefined
    ? null
    : new Set(checkpoint.watch.filter((wallet) => firstBlock(checkpoint, wallet) <= checkpoint.first))
