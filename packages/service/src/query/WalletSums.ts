/**
 * Sums the movements of a wallet at both ends of a range of blocks.
 *
 * Source: decision 0049.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Holding from "../ledger/Holding.ts"
import * as Totals from "../ledger/Totals.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import type { Checkpoint, LinkedBlock } from "../block/BlockRows.ts"
import type { Snapshot } from "../store/ChainReader.ts"
import type { OpeningBalance, WalletProof } from "../store/Proofs.ts"
import type { StoreError } from "../store/StoreError.ts"
import type { TokenMetadata } from "../ledger/TokenMetadata.ts"
import * as WatchList from "../store/WatchList.ts"
import * as CompleteRange from "./CompleteRange.ts"
import * as Coverage from "./Coverage.ts"
import type { IndexedChain } from "./IndexedChain.ts"
import * as LedgerGrowth from "./LedgerGrowth.ts"
import { type NotDerived, NotIndexed, type NotSearched, type NotWatched } from "./QueryError.ts"
import * as PinnedReader from "./PinnedReader.ts"
import * as Range from "./Range.ts"
import * as TotalsCache from "./TotalsCache.ts"
import * as WalletOpenings from "../store/WalletOpenings.ts"

/** What to sum. */
export interface Query {
  readonly chain: IndexedChain
  /** Lower case. */
  readonly wallet: string
  /** Assets; undefined for all. */
  readonly assets: ReadonlyArray<string> | undefined
  readonly range: Range.Range
}

/** What is known about a wallet besides its movements. */
export interface Known {
  /** Opening balances, for each holding that was read. */
  readonly openings: ReadonlyArray<OpeningBalance>
  /** Last comparison with the state of the chain. */
  readonly proof: WalletProof | null
  /** Requested assets; undefined for all. */
  readonly assets: ReadonlySet<string> | undefined
  /** Self-descriptions of its tokens, as far as they were read. */
  readonly tokens: ReadonlyMap<string, TokenMetadata>
  /**
   * Last block, up to the end of the sums, that an earlier version stored without transactions in which the wallet only has a role;
   * undefined for none.
   */
  readonly directOnlyTo: number | undefined
  /** Last block, up to the end of the sums, that lacks traces; undefined for none. */
  readonly untracedTo: number | undefined
  /** Last block, up to the end of the sums, under rules by which native balances change without a trace; undefined for none. */
  readonly unstatedTo: number | undefined
  /** Last block up to which the past of a wallet that was added later was searched; undefined for other wallets. */
  readonly searchedTo: number | undefined
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
  /** Number of indexed transactions, of any wallet, without a row. */
  readonly missing: number
  readonly known: Known
}

/** Why sums cannot be made. */
export type SumsError = NotIndexed | NotSearched | NotWatched | NotDerived | StoreError

/** Blocks to which a request refers. */
interface Resolved {
  readonly subject: Omit<LedgerGrowth.Subject, "openings">
  readonly checkpoint: Checkpoint
  readonly from: number
  readonly to: number
  /** Last final block; below the first one if there is none. */
  readonly final: number
}

const ledger = { id: WalletLedger.id, kind: "ledger", revision: WalletLedger.revision } as const

/** Resolves the range of a request. */
const resolve = Effect.fnUntraced(function* (
  { chain, range, wallet }: Query,
  assets: ReadonlySet<string> | undefined,
  snapshot: Snapshot,
): Effect.fn.Return<Resolved, SumsError> {
  const checkpoint = yield* snapshot.checkpoint
  yield* Coverage.checkWallet(chain, checkpoint, wallet)
  if (checkpoint === null) return yield* PinnedReader.unreadable()
  yield* Coverage.checkSearched(chain, checkpoint, wallet)
  yield* Coverage.checkDerived(ledger, snapshot, chain.name, checkpoint)
  const from = yield* Range.firstBlock(snapshot, range.from, checkpoint)
  const to = yield* Range.lastBlock(snapshot, range.to, checkpoint)
  if (from === null || to === null || from > to) return yield* new NotIndexed({ range, checkpoint })
  const { finalized, first, head } = checkpoint
  const subject = { chain, wallet, first, head: head.number, assets }
  return { subject, checkpoint, from, to, final: finalized ?? first - 1 }
})

/** Number of tokens read per turn. */
const tokensPerTurn = 512

/** Tokens among the sums, as far as they were read, in addition to those of the first turn. */
const tokensOf = Effect.fnUntraced(function* (
  { inTurn }: LedgerGrowth.Shared,
  { reader }: Pick<IndexedChain, "reader">,
  addresses: ReadonlyArray<string>,
  first: Known["tokens"],
): Effect.fn.Return<Known["tokens"], StoreError> {
  const found = new Map(first)
  for (const part of Arr.chunksOf(addresses.slice(tokensPerTurn), tokensPerTurn)) {
    const read = yield* inTurn(reader.snapshot((snapshot) => snapshot.tokens(part)))
    for (const [address, token] of read) found.set(address, token)
  }
  return found
})

/** The sums of all assets do not keep the requested ones separate. */
const needsOwnPass = "needs own pass"

/** True if sums of all assets have some of them exactly. */
const isExact = ({ merged, omitted }: Totals.Totals, assets: ReadonlySet<string>): boolean =>
  omitted === 0 && [...assets].every((asset) => !merged.has(asset))

/**
 * Sums at both ends: final positions first, then the rest in one snapshot for both ends. If `isKept`, it is kept between turns, since pages
 * need one of the few that may be open.
 */
const sumsOf = Effect.fnUntraced(function* (
  shared: LedgerGrowth.Shared,
  query: Query,
  isApart: boolean,
  isKept: boolean,
): Effect.fn.Return<Sums | typeof needsOwnPass, SumsError | PinnedReader.IndexChanged | LedgerGrowth.LongTail> {
  const assets = query.assets === undefined ? undefined : new Set(query.assets)
  const resolved = yield* shared.inTurn(
    query.chain.reader.snapshot((snapshot) => resolve(query, isApart ? assets : undefined, snapshot)),
  )
  const { checkpoint, final, from, to } = resolved
  const openings = yield* WalletOpenings.all((after) =>
    LedgerGrowth.same(shared, resolved.subject, (snapshot) => snapshot.openings(query.wallet, after)),
  )
  const subject = { ...resolved.subject, openings }
  const start = yield* LedgerGrowth.upToFinal(shared, subject, Math.min(from - 1, final))
  const opening = Totals.copy(start.totals)
  const end = yield* LedgerGrowth.upToFinal(shared, subject, Math.min(to, final))
  const isOpeningFinal = from - 1 <= final
  const reading = LedgerGrowth.same(shared, subject, (snapshot) =>
    Effect.gen(function* () {
      const { upTo, whole } = LedgerGrowth
      const before = isOpeningFinal
        ? { totals: opening }
        : yield* upTo(shared, subject, snapshot, end, from - 1, isKept)
      const base = isOpeningFinal ? end : { totals: Totals.copy(before.totals), after: whole(from - 1) }
      const { totals: closing } = to <= final ? end : yield* upTo(shared, subject, snapshot, base, to, isKept)
      if (assets !== undefined && !isApart && !isExact(closing, assets)) return needsOwnPass
      const selected = assets === undefined || isApart ? closing : Totals.only(closing, assets)
      const earlier = assets === undefined || isApart ? before.totals : Totals.only(before.totals, assets)
      const block = yield* snapshot.block(to)
      if (block === null) return yield* PinnedReader.unreadable()
      const gaps = yield* snapshot.gapCounts
      const missing = Coverage.missingTransactions(gaps)
      const summed = { ...checkpoint, head: block }
      const searchedTo = WatchList.searchedTo(checkpoint, query.wallet)
      const directOnlyTo = yield* CompleteRange.directOnlyTo(query.chain, summed, searchedTo)
      const untraced = { transactions: gaps.trace, serial: snapshot.serial }
      const untracedTo = yield* CompleteRange.untracedTo(query.chain, summed, untraced)
      const unstatedTo = CompleteRange.unstatedTo(query.chain, summed)
      const proof = yield* snapshot.proof(subject.wallet)
      const tokens = yield* snapshot.tokens([...Totals.tokensOf(selected.sums.values())].slice(0, tokensPerTurn))
      const lacking = { directOnlyTo, untracedTo, unstatedTo, searchedTo: searchedTo ?? undefined }
      const known = { openings, proof, assets, tokens, ...lacking }
      return { from, block, opening: Totals.mergeAs(earlier, selected), closing: selected, checkpoint, missing, known }
    }),
  )
  const ends = yield* isKept ? shared.keeping(reading) : reading
  if (ends === needsOwnPass) return needsOwnPass
  const addresses = [...Totals.tokensOf(ends.closing.sums.values())]
  return {
    ...ends,
    known: { ...ends.known, tokens: yield* tokensOf(shared, query.chain, addresses, ends.known.tokens) },
  }
})

/**
 * Whether the opening balance is missing for an asset that moved, except for merged contracts, or for the native asset, or is a number of
 * tokens without their ids.
 */
export const lacksOpening = ({ merged, sums }: Totals.Totals, { assets, openings }: Known): boolean => {
  const known = new Set(openings.map(({ holding }) => Holding.keyOf(holding)))
  const isAsked = ({ asset }: Holding.Holding) => assets === undefined || assets.has(asset)
  const isWithoutIds = openings.some(
    ({ amount, holding }) => holding.standard === "erc721" && amount !== 0n && isAsked(holding),
  )
  const moved = [...sums.values()]
    .filter(({ asset, kind }) => kind !== "genesis" && !merged.has(asset))
    .map(Holding.fromMovement)
  return isWithoutIds || [Holding.native, ...moved].some((one) => isAsked(one) && !known.has(Holding.keyOf(one)))
}

/** Makes the reader of sums. */
export const make = () => {
  const cache = TotalsCache.make()

  /** Most wallets have few positions after the last final block. Sums up to it are kept, so they are not recomputed. */
  const passOf = (shared: LedgerGrowth.Shared, query: Query, isApart: boolean) =>
    Effect.catchTag(sumsOf(shared, query, isApart, false), "LongTail", () =>
      // With a kept snapshot, the tail cannot be too long.
      Effect.catchTag(sumsOf(shared, query, isApart, true), "LongTail", Effect.die),
    )

  /** Sums of all assets, which every list of assets shares, or separate sums for a list if needed. */
  const read = Effect.fnUntraced(function* (shared: LedgerGrowth.Shared, query: Query) {
    const sums = yield* passOf(shared, query, false)
    if (sums !== needsOwnPass) return sums
    // Sound: separate sums need no further pass.
    return (yield* passOf(shared, query, true)) as Sums
  })

  /**
   * Sums the movements of a wallet at both ends of a range.
   *
   * **Errors**
   * - `NotIndexed`: the range has no indexed block.
   * - `NotWatched`: the index does not cover the wallet.
   * - `NotSearched`: the past of the wallet is still being searched.
   * - `NotDerived`: the ledgers are not derived for all blocks yet.
   * - `StoreError`: the database cannot be read, or keeps changing.
   */
  return (query: Query, sharing: LedgerGrowth.Sharing): Effect.Effect<Sums, SumsError> =>
    PinnedReader.restarting(read({ ...sharing, cache }, query))
}
