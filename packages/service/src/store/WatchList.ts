/**
 * The wallets of an index that is limited to some, and which blocks each of them has. Wallets are added and removed while an indexer is
 * at work; one that was added later has all of its transactions from some block on, and not below it.
 *
 * Source: decision 0055.
 */
import type { Checkpoint } from "../block/BlockRows.ts"

/** Wallets to add to an index, or to remove from it; lower case. */
export interface WatchChange {
  readonly _tag: "Add" | "Remove"
  readonly wallets: ReadonlyArray<string>
}

/** The result of a change. */
export interface WatchChanged {
  /** The checkpoint after it; `null` for an empty index, without `watch` for one of every wallet. Nothing was changed in these. */
  readonly checkpoint: Checkpoint | null
  /** Wallets that were added or removed. */
  readonly changed: ReadonlyArray<string>
}

/** First block from which the index has every transaction of a wallet. */
export const firstBlock = ({ addedFrom = {}, first }: Checkpoint, wallet: string): number =>
  Math.max(first, addedFrom[wallet] ?? first)

/** The checkpoint as far as it concerns a wallet: it begins with the first block that has every transaction of the wallet. */
export const ofWallet = (checkpoint: Checkpoint, wallet: string): Checkpoint =>
  checkpoint.addedFrom === undefined ? checkpoint : { ...checkpoint, first: firstBlock(checkpoint, wallet) }

/** Wallets whose transactions a block of the index has; `null` for all. */
export const walletsAt = (checkpoint: Checkpoint, block: number): ReadonlySet<string> | null =>
  checkpoint.watch === undefined
    ? null
    : new Set(checkpoint.watch.filter((wallet) => firstBlock(checkpoint, wallet) <= block))

/** Wallets whose transactions all blocks of the index have; `null` for all. */
export const completeWallets = (checkpoint: Checkpoint): ReadonlySet<string> | null =>
  walletsAt(checkpoint, checkpoint.first)
