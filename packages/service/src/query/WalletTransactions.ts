/**
 * Transactions of a wallet: those that it is a direct party to, or all those in which it has any role.
 *
 * Source: decisions 0009, 0013, 0014 and 0048.
 */
import * as Effect from "effect/Effect"
import type { Projection } from "../block/Projection.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import { projection } from "../projection/WalletTransactions.ts"
import * as AppliedSettings from "../store/AppliedSettings.ts"
import type { PageQuery, PageRow } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as Coverage from "./Coverage.ts"
import type { IndexedChain } from "./IndexedChain.ts"
import { type NotDerived, NotTraced, type NotWatched, type Stale } from "./QueryError.ts"
import * as WalletPage from "./WalletPage.ts"

/** `direct`: by the fields of a transaction that name the wallet. `all`: by its ledger. */
export type Scope = "direct" | "all"

/** What to read for each transaction. */
export interface Selection {
  /** Whether to read internal transactions too. */
  readonly internal: boolean
}

type Source<E> = WalletPage.Source<PageRow, Selection, E>

const pageOf = ({ selection: { internal }, wallet: key, ...query }: WalletPage.SourceQuery<Selection>): PageQuery => ({
  ...query,
  key,
  internal,
})

/** The transactions of a projection. */
export const sourceOf = <E>(
  projection: Pick<Projection, "id" | "revision"> & { readonly kind: "appearances" | "ledger" },
  check: Coverage.Requirement<E>,
): Source<E> => ({
  ...projection,
  check,
  pageOf: projection.kind === "appearances" ? pageOf : undefined,
  read: (snapshot, query) =>
    Effect.map(snapshot.page(projection, pageOf(query)), ({ hasMore, rows, searched }) => {
      const last = searched ?? rows.at(-1)
      return { rows, next: hasMore && last !== undefined ? { block: last.block, index: last.index } : null }
    }),
  skip: (snapshot, { after, from, order, to, wallet: key }, rows) =>
    snapshot.skip(projection, { key, from, to, order, after, rows }),
})

/** Transactions that a wallet is a direct party to. */
export const direct: Source<NotWatched> = sourceOf({ ...projection, kind: "appearances" }, Coverage.checkWallet)

const readers = {
  direct: WalletPage.make(direct),
  all: WalletPage.make(
    sourceOf({ id: WalletLedger.id, kind: "ledger", revision: WalletLedger.revision }, Coverage.checkWallet),
  ),
} as const

/**
 * True if a page cannot show internal transactions because no stored block has traces. If some blocks have them, for example after traces
 * were turned on or off, a row without them has `null`.
 */
const lacksTraces = Effect.fnUntraced(function* (
  chain: IndexedChain,
  { coverage: { checkpoint }, rows }: WalletPage.Page<PageRow>,
): Effect.fn.Return<boolean, StoreError> {
  if (rows.some(({ internal }) => internal !== null)) return false
  if (checkpoint === null) return chain.config.traces === "off"
  const status = yield* chain.status
  const stored = { from: checkpoint.first, to: checkpoint.head.number }
  if (AppliedSettings.lastTraced(status?.settings ?? [], stored) !== null) return false
  if (chain.config.traces === "off") return true
  // While the indexer waits for its node, it does not know what the node provides.
  return status?.traces === "off" && (status.state === "backfill" || status.state === "synced")
})

/** Why a page cannot be read. */
export type ReadError = NotDerived | NotTraced | NotWatched | Stale | StoreError

/**
 * Reads a page.
 *
 * **Errors**
 * - `Stale`, `NotDerived`, `StoreError`: as for all pages.
 * - `NotWatched`: the index lacks the rows of the wallet.
 * - `NotTraced`: internal transactions are requested, but the index has none.
 */
export const read = Effect.fnUntraced(function* (
  scope: Scope,
  query: WalletPage.Query<Selection>,
): Effect.fn.Return<WalletPage.Page<PageRow>, ReadError> {
  const page = yield* readers[scope](query)
  if (query.selection.internal && (yield* lacksTraces(query.chain, page))) {
    return yield* new NotTraced({ chain: query.chain.name })
  }
  return page
})
