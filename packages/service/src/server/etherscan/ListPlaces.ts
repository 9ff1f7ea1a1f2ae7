/**
 * Caches positions in lists by row number, so that a client that reads page after page does not have the preceding rows counted each time.
 * Only positions up to which a list is final are kept, since no block before them can change.
 *
 * Source: decision 0070.
 */
import * as ServedChain from "../../config/ServedChain.ts"
import type * as Coverage from "../../query/Coverage.ts"
import type * as WalletPage from "../../query/WalletPage.ts"
import type { ListParameters } from "./Parameters.ts"

/** A list, as far as its positions depend on it. */
export interface List {
  readonly chain: Pick<ServedChain.ServedChain, "id" | "config">
  readonly wallet: string
  readonly list: Pick<ListParameters, "from" | "to" | "order">
  /** Kind of rows listed. */
  readonly kind: string
}

/** Places of lists. */
export interface ListPlaces {
  /** Last cached position at or before a row number; undefined for none. */
  readonly find: (list: List, rows: number) => WalletPage.CountedPlace | undefined
  /** Caches a position if the list is final up to it. */
  readonly keep: (list: List, counted: WalletPage.CountedPlace, coverage: Coverage.Coverage) => void
}

/** Maximum number of lists with cached positions, and of positions per list; the most recently cached are kept. */
const [maxLists, maxPlaces] = [512, 64]

/** A descending list has the newest rows first, so its positions are final if its last block is. */
const keyOf = ({ chain, kind, list: { from, order, to }, wallet }: List): string =>
  `${chain.id} ${wallet} ${kind} ${order} ${order === "ASC" ? from : to}`

const isFinal = ({ chain, list: { order, to } }: List, block: number, { checkpoint }: Coverage.Coverage): boolean => {
  const finalized = checkpoint?.finalized ?? -1
  return !ServedChain.mayRewind(chain) && block <= finalized && (order === "ASC" || to <= finalized)
}

/** Removes the oldest entries of a map beyond a number. */
const trim = (map: Map<unknown, unknown>, max: number): void => {
  for (const key of map.keys()) {
    if (map.size <= max) return
    map.delete(key)
  }
}

/** Makes a memory of places. */
export const make = (): ListPlaces => {
  const lists = new Map<string, Map<number, WalletPage.Place>>()
  return {
    find: (list, rows) => {
      const places = lists.get(keyOf(list))
      const known = Math.max(-1, ...[...(places?.keys() ?? [])].filter((count) => count <= rows))
      const place = places?.get(known)
      return place && { place, rows: known }
    },
    keep: (list, { place, rows }, coverage) => {
      if (rows === 0 || !isFinal(list, place.block, coverage)) return
      const key = keyOf(list)
      const places = lists.get(key) ?? new Map<number, WalletPage.Place>()
      lists.delete(key)
      lists.set(key, places)
      places.delete(rows)
      places.set(rows, place)
      trim(places, maxPlaces)
      trim(lists, maxLists)
    },
  }
}
