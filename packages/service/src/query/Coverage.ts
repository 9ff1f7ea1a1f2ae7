/**
 * What an index covers of a query: an empty list differs from a range that is not indexed, and from a wallet without rows.
 *
 * Source: decisions 0013, 0035, 0048 and 0050.
 */
import * as Effect from "effect/Effect"
import { type Checkpoint, gapKinds, isWithoutRow } from "../block/BlockRows.ts"
import type { Projection } from "../block/Projection.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import type { GapCounts, Snapshot } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as WatchList from "../store/WatchList.ts"
import type { IndexedChain } from "./IndexedChain.ts"
import { NotDerived, NotSearched, NotWatched } from "./QueryError.ts"

/** Transactions of an index, of any wallet, that have a row without their trace. */
export interface Untraced {
  readonly transactions: number
  /** Serial of the state that has them. */
  readonly serial: number
}

/** What the list of a page covers. */
export interface Coverage {
  /** Indexed blocks; `null` while the index is empty. */
  readonly checkpoint: Checkpoint | null
  /** Transactions of the index, of any wallet, that have no row. */
  readonly missing: number
  /** What lacks traces; left out for nothing. */
  readonly untraced?: Untraced | undefined
  /** Last block at which the ledger of the wallet was proved; `null` while there is none. */
  readonly reconciledTo: number | null
  /**
   * Last block up to which the past of the wallet was searched, where it was added to an index of some wallets later. Up to there, calls of
   * value 0 by others are found in blocks alone that hold something else of it.
   */
  readonly searchedTo?: number | undefined
}

/** Transactions without a row, by the gaps of the index. */
export const missingTransactions = (gaps: GapCounts): number =>
  gapKinds.filter(isWithoutRow).reduce((sum, kind) => sum + gaps[kind], 0)

/** What the index covers of a wallet. */
export const ofWallet = (
  snapshot: Snapshot,
  checkpoint: Checkpoint | null,
  gaps: GapCounts,
  wallet: string,
): Effect.Effect<Coverage, StoreError> =>
  Effect.map(snapshot.reconciledTo(wallet), (reconciledTo) => ({
    checkpoint: checkpoint && WatchList.ofWallet(checkpoint, wallet),
    missing: missingTransactions(gaps),
    untraced: { transactions: gaps.trace, serial: snapshot.serial },
    reconciledTo,
    searchedTo: (checkpoint && WatchList.searchedTo(checkpoint, wallet)) ?? undefined,
  }))

/** Fails where an index of some wallets does not have the rows of one. */
export type Requirement<E> = (
  chain: IndexedChain,
  checkpoint: Checkpoint | null,
  wallet: string,
) => Effect.Effect<void, E>

const configured = new WeakMap<ReadonlyArray<string>, ReadonlyArray<string>>()

/** The wallets of a configuration in lower case, made once. */
const configuredOf = (watch: ReadonlyArray<string>): ReadonlyArray<string> => {
  const wallets = configured.get(watch) ?? watch.map((wallet) => wallet.toLowerCase())
  configured.set(watch, wallets)
  return wallets
}

/** Fails for a wallet that the index does not cover. */
export const checkWallet: Requirement<NotWatched> = ({ config, name: chain }, checkpoint, wallet) => {
  const watch = checkpoint === null ? config.watch && configuredOf(config.watch) : checkpoint.watch
  return watch === undefined || WatchList.has(watch, wallet)
    ? Effect.void
    : Effect.fail(new NotWatched({ chain, wallet }))
}

/** Fails while the past of a wallet is searched, where some of its rows would not do. */
export const checkSearched = (
  { name: chain }: Pick<IndexedChain, "name">,
  checkpoint: Checkpoint,
  wallet: string,
): Effect.Effect<void, NotSearched> => {
  if (!WatchList.isSearching(checkpoint, wallet)) return Effect.void
  const searchedTo = WatchList.searchedTo(checkpoint, wallet)
  const searchEnd = WatchList.completeFrom(checkpoint, wallet) - 1
  return Effect.fail(new NotSearched({ chain, wallet, searchedTo, searchEnd, checkpoint }))
}

/** Fails where the rows of a projection are not derived of all blocks. Those of wallets' transactions are written with their blocks. */
export const checkDerived = Effect.fnUntraced(function* (
  projection: Pick<Projection, "id" | "kind" | "revision">,
  snapshot: Snapshot,
  chain: string,
  checkpoint: Checkpoint,
): Effect.fn.Return<void, NotDerived | StoreError> {
  if (projection.kind !== "ledger") return
  const next = WalletLedger.nextOf(yield* snapshot.projection(projection.id))
  if (next === null || next <= checkpoint.head.number) return yield* new NotDerived({ chain, next, checkpoint })
})
