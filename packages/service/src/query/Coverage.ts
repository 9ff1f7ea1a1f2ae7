/**
 * What an index covers for a query, so that an empty list can be distinguished from a range that is not indexed, and from a wallet without
 * rows.
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

/** Transactions of an index, of any wallet, that have a row but no trace. */
export interface Untraced {
  readonly transactions: number
  /** Serial of the state that contains them. */
  readonly serial: number
}

/** What the list of a page covers. */
export interface Coverage {
  /** Indexed blocks; `null` while the index is empty. */
  readonly checkpoint: Checkpoint | null
  /** Number of indexed transactions, of any wallet, without a row. */
  readonly missing: number
  /** What lacks traces; absent for nothing. */
  readonly untraced?: Untraced | undefined
  /** Last block at which the ledger of the wallet was proved; `null` if there is none. */
  readonly reconciledTo: number | null
  /**
   * Last block up to which the wallet's past was searched, if it was added later to an index of watched wallets. Up to there, calls of
   * value 0 by others are only found in blocks that hold something else of the wallet.
   */
  readonly searchedTo?: number | undefined
}

/** Number of transactions without a row, from the gaps of the index. */
export const missingTransactions = (gaps: GapCounts): number =>
  gapKinds.filter(isWithoutRow).reduce((sum, kind) => sum + gaps[kind], 0)

/** Coverage of a wallet by the index. */
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

/** Fails if an index of watched wallets lacks the rows of one. */
export type Requirement<E> = (
  chain: IndexedChain,
  checkpoint: Checkpoint | null,
  wallet: string,
) => Effect.Effect<void, E>

const configured = new WeakMap<ReadonlyArray<string>, ReadonlyArray<string>>()

/** The wallets of a configuration in lower case, computed once. */
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

/** Fails while the past of a wallet is being searched, if partial rows would not do. */
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

/** Fails if the rows of a projection are not derived for all blocks. Those of wallet transactions are written with their blocks. */
export const checkDerived = Effect.fnUntraced(function* (
  projection: Pick<Projection, "id" | "kind" | "revision">,
  snapshot: Snapshot,
  chain: string,
  checkpoint: Checkpoint,
): Effect.fn.Return<void, NotDerived | StoreError> {
  if (projection.kind !== "ledger") return
  const next = WalletLedger.nextOf(yield* snapshot.projection(projection.id))
  if ((next ?? 0) <= checkpoint.head.number) return yield* new NotDerived({ chain, next, checkpoint })
})
