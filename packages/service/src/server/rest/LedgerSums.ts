/**
 * Sums the movements of a wallet at both ends of a range of blocks.
 *
 * Source: decision 0049.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Totals from "../../ledger/Totals.ts"
import * as WalletLedger from "../../projection/WalletLedger.ts"
import type { Checkpoint, LinkedBlock } from "../../block/BlockRows.ts"
import type { Snapshot } from "../../store/ChainReader.ts"
import type { OpeningBalance } from "../../store/Proofs.ts"
import { StoreError } from "../../store/StoreError.ts"
import type { TokenMetadata } from "../../ledger/TokenMetadata.ts"
import type { IndexedChain } from "../chain/IndexedChain.ts"
import type { Turns } from "../admission/Turns.ts"
import * as BlockRange from "./BlockRange.ts"
import * as IndexCoverage from "./IndexCoverage.ts"
import type * as LedgerText from "./LedgerText.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import * as LedgerGrowth from "./LedgerGrowth.ts"
import * as PagedQuery from "./PagedQuery.ts"
import * as TotalsCache from "./TotalsCache.ts"
import type { WatchGuard } from "./WatchGuard.ts"

/** What to sum. */
export interface Request {
  readonly chain: IndexedChain
  /** Lower case. */
  readonly wallet: string
  /** Assets; undefined for all. */
  readonly assets: ReadonlyArray<string> | undefined
  readonly bounds: BlockRange.Bounds
  readonly guard: WatchGuard
}

/** Sums at both ends of a range. */
export interface Sums {
  /** First block of the range. */
  readonly from: number
  /** Last block of the range. */
  readonly block: LinkedBlock
  /** Before the range. */
  readonly opening: Totals.Totals
  /** After the range. */
  readonly closing: Totals.Totals
  readonly checkpoint: Checkpoint
  /** Transactions of the index, of any wallet, that have no row. */
  readonly missing: number
  readonly known: LedgerText.Known
}

/** Why sums cannot be made. */
export type SumsError = InvalidParameter | PagedQuery.NotDerived | StoreError

/** Blocks that a request means. */
interface Resolved {
  readonly subject: LedgerGrowth.Subject
  readonly checkpoint: Checkpoint
  readonly openings: ReadonlyArray<OpeningBalance>
  readonly from: number
  readonly to: number
  /** Last final block; below the first one where none is. */
  readonly final: number
}

/** Ledgers that are summed at the same time. */
const maxAtOnce = 4
/** Times that sums are made again after the index changed. */
const maxRestarts = 3

const ledger = { id: WalletLedger.id, kind: "ledger", revision: WalletLedger.revision } as const

const unreadable = (): StoreError =>
  new StoreError({ message: "The index is empty, or changes while it is read.", isRetryable: true, cause: undefined })

const notIndexed = ({ from, to }: BlockRange.Bounds, { first, head }: Checkpoint): InvalidParameter => {
  const [name, bound] = to._tag === "Open" ? (["from", from] as const) : (["to", to] as const)
  return InvalidParameter.fromIssue({
    path: `${name}_${bound._tag === "Date" ? "date" : "block"}`,
    expected: `a range with indexed blocks (${first} to ${head.number})`,
    received: "a range without",
  })
}

/** Resolves the range of a request. */
const resolve = Effect.fnUntraced(function* (
  { turns }: LedgerGrowth.Shared,
  { assets, bounds, chain, guard, wallet }: Request,
  snapshot: Snapshot,
): Effect.fn.Return<Resolved, SumsError> {
  const checkpoint = yield* snapshot.checkpoint
  yield* guard(chain, checkpoint)
  if (checkpoint === null) return yield* unreadable()
  yield* PagedQuery.checkDerived(ledger, snapshot, chain.name, checkpoint)
  const from = yield* BlockRange.firstBlock(snapshot, bounds.from, checkpoint)
  const to = yield* BlockRange.lastBlock(snapshot, bounds.to, checkpoint)
  if (from === null || to === null || from > to) return yield* notIndexed(bounds, checkpoint)
  const { finalized, first, head } = checkpoint
  const openings = yield* turns.run(snapshot.openings(wallet))
  const subject = {
    chain,
    wallet,
    first,
    head: head.number,
    openings: openings.length,
    assets: assets === undefined ? undefined : new Set(assets),
  }
  return { subject, checkpoint, openings, from, to, final: finalized ?? first - 1 }
})

/** Tokens that are read in a turn. */
const tokensPerTurn = 512

/** The tokens among the sums, as far as they were read. */
const tokensOf = Effect.fnUntraced(function* (
  { turns }: LedgerGrowth.Shared,
  snapshot: Snapshot,
  { sums }: Totals.Totals,
): Effect.fn.Return<LedgerText.Known["tokens"], StoreError> {
  const addresses = [...Totals.tokensOf(sums.values())]
  const found = new Map<string, TokenMetadata>()
  for (let at = 0; at < addresses.length; at += tokensPerTurn) {
    const read = yield* turns.run(snapshot.tokens(addresses.slice(at, at + tokensPerTurn)))
    for (const [address, token] of read) found.set(address, token)
  }
  return found
})

/** Sums at both ends: final places first, then the rest in one snapshot, which both ends share. */
const sumsOf = Effect.fnUntraced(function* (
  shared: LedgerGrowth.Shared,
  request: Request,
): Effect.fn.Return<Sums, SumsError | LedgerGrowth.IndexChanged> {
  const resolved = yield* request.chain.reader.snapshot((snapshot) => resolve(shared, request, snapshot))
  const { checkpoint, final, from, openings, subject, to } = resolved
  const start = yield* LedgerGrowth.upToFinal(shared, subject, Math.min(from - 1, final))
  const opening = Totals.copy(start.totals)
  const end = yield* LedgerGrowth.upToFinal(shared, subject, Math.min(to, final))
  const isOpeningFinal = from - 1 <= final
  return yield* LedgerGrowth.same(subject, (snapshot) =>
    Effect.gen(function* () {
      const { upTo, whole } = LedgerGrowth
      const before = isOpeningFinal ? { totals: opening } : yield* upTo(shared, subject, snapshot, end, from - 1)
      const base = isOpeningFinal ? end : { totals: Totals.copy(before.totals), after: whole(from - 1) }
      const { totals: closing } = to <= final ? end : yield* upTo(shared, subject, snapshot, base, to)
      const block = yield* snapshot.block(to)
      if (block === null) return yield* unreadable()
      const missing = IndexCoverage.missingTransactions(yield* snapshot.gapCounts)
      const tokens = yield* tokensOf(shared, snapshot, closing)
      const proof = yield* shared.turns.run(snapshot.proof(subject.wallet))
      const known = { openings, proof, assets: subject.assets, tokens }
      return { from, block, opening: before.totals, closing, checkpoint, missing, known }
    }),
  )
})

/** Makes the reader of sums. */
export const make = (turns: Turns) => {
  const permits = Semaphore.makeUnsafe(maxAtOnce)
  const shared: LedgerGrowth.Shared = { turns, cache: TotalsCache.make() }

  const attempt = (request: Request, restarts: number): Effect.Effect<Sums, SumsError> =>
    Effect.catchTag(sumsOf(shared, request), "IndexChanged", () =>
      restarts === maxRestarts ? Effect.fail(unreadable()) : attempt(request, restarts + 1),
    )

  /**
   * Sums the movements of a wallet at both ends of a range.
   *
   * **Errors**
   * - `InvalidParameter`: the range has no indexed block, or the wallet too many assets.
   * - `NotDerived`: the ledgers are not derived of all blocks yet.
   * - `StoreError`: the database cannot be read, or changes again and again.
   */
  return (request: Request): Effect.Effect<Sums, SumsError> => permits.withPermit(attempt(request, 0))
}
