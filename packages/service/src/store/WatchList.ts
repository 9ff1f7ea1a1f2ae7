/**
 * The wallets of an index that is limited to some, and the indexed blocks of each. Wallets can be added and removed while an indexer runs.
 * One that was added later has all of its transactions from some block on, but not below it.
 *
 * Source: decision 0055.
 */
import type { Checkpoint } from "../block/BlockRows.ts"

/** The past of added wallets was searched further, and what was found is stored; lower case. */
export interface Searched {
  readonly _tag: "Searched"
  readonly wallets: ReadonlyArray<string>
  /** Last block up to which it was searched before; that below the first one where it begins. */
  readonly from: number
  /** Last block up to which it is searched. */
  readonly to: number
}

/** Wallets to add to an index, or to remove from it, lower case; or how far the past of added ones is searched. */
export type WatchChange = Searched | { readonly _tag: "Add" | "Remove"; readonly wallets: ReadonlyArray<string> }

/** The result of a change. */
export interface WatchChanged {
  /** The checkpoint after it; `null` for an empty index, without `watch` for one of every wallet. Nothing was changed in these. */
  readonly checkpoint: Checkpoint | null
  /** Wallets that were added or removed. */
  readonly changed: ReadonlyArray<string>
}

/** Lists of which a wallet was looked for, with a set of those that are looked at again. */
const sets = new WeakMap<ReadonlyArray<string>, ReadonlySet<string> | null>()

/**
 * Whether a list of watched wallets has one, both lower case. A page looks once at the list of its checkpoint, which costs less than a set;
 * further wallets that are compared with the same list share one.
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

/** Last block up to which the past of a wallet that was added later is searched; `null` where nothing of it is. */
export const searchedTo = ({ searchedTo: searched = {} }: Checkpoint, wallet: string): number | null =>
  searched[wallet] ?? null

/** Whether the past of a wallet that was added later is not searched to its end. */
export const isSearching = (checkpoint: Checkpoint, wallet: string): boolean => {
  const from = completeFrom(checkpoint, wallet)
  return from > checkpoint.first && (searchedTo(checkpoint, wallet) ?? -1) < from - 1
}

/**
 * First block from which the index has the transactions of a wallet: every one, and below the block at which it was added those that a search
 * of its past has found.
 */
export const firstBlock = (checkpoint: Checkpoint, wallet: string): number =>
  isSearching(checkpoint, wallet) ? completeFrom(checkpoint, wallet) : checkpoint.first

/** The checkpoint as far as it concerns a wallet: it begins with the first block that has the transactions of the wallet. */
export const ofWallet = (checkpoint: Checkpoint, wallet: string): Checkpoint =>
  checkpoint.addedFrom === undefined ? checkpoint : { ...checkpoint, first: firstBlock(checkpoint, wallet) }

/** Wallets whose transactions a block of the index has; `null` for all. */
export const walletsAt = (checkpoint: Checkpoint, block: number): ReadonlySet<string> | null =>
  checkpoint.watch === undefined
    ? null
    : new Set(checkpoint.watch.filter((wallet) => completeFrom(checkpoint, wallet) <= block))

/** Wallets whose transactions the whole index has, also where their past was searched; `null` for all. */
export const completeWallets = (checkpoint: Checkpoint): ReadonlySet<string> | null =>
  checkpoint.watch === undefined
    ? null
    : new Set(checkpoint.watch.filter((wallet) => firstBlock(checkpoint, wallet) <= checkpoint.first))
