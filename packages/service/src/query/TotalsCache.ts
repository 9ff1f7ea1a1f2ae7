/**
 * Caches the sums of wallets at final positions, so that later sums can start from them. Bounded by the number of sums; the least recently
 * used wallets are evicted.
 *
 * Source: decision 0049.
 */
import type * as Totals from "../ledger/Totals.ts"
import type { Position } from "../store/ChainReader.ts"

/** Sums up to a final position, inclusive. */
export interface Entry {
  readonly through: Position
  /** Hash of the position's block. */
  readonly hash: string
  /** First indexed block when the sums were made. */
  readonly first: number
  /** Number of opening balances known then. */
  readonly openings: number
  readonly totals: Totals.Totals
  /** When it was made, in milliseconds of the monotonic clock. */
  readonly at: number
}

/** Maximum total number of sums. */
const maxSums = 100_000
/** Maximum number of sums for one wallet. */
const maxOwnSums = 25_000
/** Repaired blocks may have other movements, so sums are recomputed after this time. */
const maxAgeMillis = 10 * 60 * 1000

const weightOf = ({ totals }: Entry): number => totals.sums.size + totals.incompleteBlocks.length / 8 + 1

const sumOf = (entries: ReadonlyArray<Entry>): number => entries.reduce((sum, entry) => sum + weightOf(entry), 0)

/** Thins entries until they fit: every second one is dropped, except the first. */
const thin = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  let kept = entries
  while (kept.length > 1 && sumOf(kept) > maxOwnSums) kept = kept.filter((_, at) => at % 2 === 0)
  return kept
}

/** What sums depend on besides final blocks. */
export interface Basis extends Pick<Entry, "first" | "openings"> {}

/** Sums of wallets, by a key chosen by the caller. */
export interface TotalsCache {
  /** Entries that do not reach beyond a block, furthest first. */
  readonly upTo: (key: string, block: number, basis: Basis, now: number) => ReadonlyArray<Entry>
  readonly add: (key: string, entry: Entry) => void
}

const isBefore = (one: Position, other: Position): boolean =>
  one.block < other.block || (one.block === other.block && one.index < other.index)

/** Makes a cache. */
export const make = (): TotalsCache => {
  /** Entries of each wallet, furthest first. */
  const wallets = new Map<string, ReadonlyArray<Entry>>()
  let size = 0

  const remove = (key: string) => {
    size -= sumOf(wallets.get(key) ?? [])
    wallets.delete(key)
  }

  const set = (key: string, entries: ReadonlyArray<Entry>) => {
    remove(key)
    if (entries.length === 0) return
    wallets.set(key, entries)
    size += sumOf(entries)
    for (const oldest of wallets.keys()) {
      if (size <= maxSums) return
      remove(oldest)
    }
  }

  return {
    upTo: (key, block, { first, openings }, now) => {
      const entries = wallets.get(key) ?? []
      const valid = entries.filter(
        (entry) => entry.first === first && entry.openings === openings && now - entry.at < maxAgeMillis,
      )
      set(key, valid)
      return valid.filter(({ through }) => through.block <= block)
    },
    add: (key, entry) => {
      const { through } = entry
      const others = (wallets.get(key) ?? []).filter(
        (one) => isBefore(one.through, through) || isBefore(through, one.through),
      )
      const ordered = [...others, entry].toSorted((one, other) => (isBefore(one.through, other.through) ? 1 : -1))
      set(key, thin(ordered))
    },
  }
}
