/**
 * Movements of a wallet, from its ledger. A selection may match few of them: a page searches a bounded number, and the next page continues
 * where it stopped.
 *
 * Source: decision 0049.
 */
import type * as LedgerQuery from "@daybook/schema/LedgerQuery"
import * as Effect from "effect/Effect"
import * as Movement from "../ledger/Movement.ts"
import * as Totals from "../ledger/Totals.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import type { LedgerEntry, Place as LedgerPlace, Position, Snapshot } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import type { TokenMetadata } from "../ledger/TokenMetadata.ts"
import * as Coverage from "./Coverage.ts"
import type { InTurn } from "./PinnedReader.ts"
import * as Lookalikes from "./Lookalikes.ts"
import * as MovementFlags from "./MovementFlags.ts"
import type { NotWatched } from "./QueryError.ts"
import * as WalletPage from "./WalletPage.ts"

/** A movement at a position of the ledger. */
interface Candidate {
  readonly entry: LedgerEntry
  readonly movement: Movement.Movement
  /** Its index among the wallet's movements at this position, or among the opening balances. */
  readonly index: number
  /** Its position among all of them, which does not change when opening balances are read later. */
  readonly part: number
}

/** A movement with its block, its transaction and its token. */
export interface MovementRow extends Candidate, LedgerPlace {
  /** Self-description of the token; undefined for the native currency, or if it has not been read yet. */
  readonly token: TokenMetadata | undefined
  /** Whether the counterparty resembles one that the wallet paid before. */
  readonly isLookalike: boolean
}

/** Filters of movements; undefined for all. */
export type Selection = { readonly [K in "asset" | "kind" | "direction"]?: LedgerQuery.MovementQuery[K] | undefined }

type Query = WalletPage.SourceQuery<Selection>

type Matches = (movement: Movement.Movement) => boolean

const matcherOf = ({ asset, direction, kind }: Selection): Matches => {
  const assets = asset === undefined ? undefined : new Set<string>(asset)
  const kinds = kind === undefined ? undefined : new Set<string>(kind)
  return (movement) =>
    (assets === undefined || assets.has(movement.asset)) &&
    (kinds === undefined || kinds.has(movement.kind)) &&
    (direction === undefined || (direction === "in") === movement.amount > 0n)
}

/** Maximum work of a page: a position counts as several movements. */
const maxWork = 20_000
const placeWork = 4
/** Maximum number of positions read at once: first those of a page, then four times as many each time if few of them match. */
const batch = 512
const maxBytes = 256 * 1024

/** Parts before those of a transaction: opening balances come first. */
const openingParts = 1 << 20

const isOpening = ({ kind }: Movement.Movement): boolean => kind === "genesis"

/** Remaining movements at a position, in page order. */
const candidatesOf = (entry: LedgerEntry, { after, order }: Query): Array<Candidate> => {
  if (entry.movements.length === 0) return []
  const openings = entry.movements.findIndex((movement) => !isOpening(movement))
  const all = entry.movements.map((movement, at): Candidate => {
    if (isOpening(movement)) return { entry, movement, index: at, part: at }
    return { entry, movement, index: at - openings, part: at - openings + openingParts }
  })
  const sent = after?.block === entry.block && after.index === entry.index ? after.part : undefined
  const left = sent !== undefined ? all.filter(({ part }) => (order === "ASC" ? part > sent : part < sent)) : all
  return order === "ASC" ? left : left.reverse()
}

const isSamePosition = ({ entry }: Candidate, { entry: other }: Candidate): boolean =>
  entry.block === other.block && entry.index === other.index

/** Where a page after a movement starts. */
const nextOf = (last: Candidate, following: Candidate): WalletPage.Place => ({
  block: last.entry.block,
  index: last.entry.index,
  part: isSamePosition(last, following) ? last.part : undefined,
})

/** Movements found, and where the search continues. */
interface Found {
  readonly found: ReadonlyArray<Candidate>
  /** Positions from the first movement on, and some before and after them, in page order. */
  readonly searched: ReadonlyArray<LedgerEntry>
  /** Whether the ledger has no earlier position. */
  readonly isFromFirst: boolean
  readonly next: WalletPage.Place | null
}

/** Positions of a full page with one movement each, and of the page's end: those before it show whether a counterparty is a lookalike. */
const positionsOf = ({ limit, order }: Query): number => limit + 1 + (order === "DESC" ? Lookalikes.windowPlaces : 0)

/** Searches the movements of a page. */
const search = Effect.fnUntraced(function* (snapshot: Snapshot, query: Query): Effect.fn.Return<Found, StoreError> {
  const { from, limit, order, to, wallet } = query
  const matches = matcherOf(query.selection)
  const checkpoint = yield* snapshot.checkpoint
  const found: Array<Candidate> = []
  let searched: ReadonlyArray<LedgerEntry> = []
  let after = WalletPage.placeBefore(query)
  let work = 0
  for (let size = Math.min(positionsOf(query), batch); ; size = Math.min(size * 4, batch)) {
    const { hasMore, rows: entries } = yield* snapshot.ledger({ wallet, from, to, order, after, limit: size, maxBytes })
    searched = found.length === 0 ? entries : [...searched, ...entries]
    const isFromFirst = order === "DESC" && !hasMore && checkpoint !== null && from <= checkpoint.first
    const state = { found, searched, isFromFirst }
    for (const entry of entries) {
      for (const candidate of candidatesOf(entry, query)) {
        if (!matches(candidate.movement)) continue
        const last = found.at(-1)
        if (found.length === limit && last !== undefined) return { ...state, next: nextOf(last, candidate) }
        found.push(candidate)
      }
      work += placeWork + entry.movements.length
      if (work >= maxWork) return { ...state, next: { block: entry.block, index: entry.index } }
    }
    if (!hasMore) return { ...state, next: null }
    after = entries.at(-1) ?? null
  }
})

/** Last of a number of movements, whose positions are counted without reading blocks, transactions and tokens. */
const skip = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  query: Query,
  rows: number,
  inTurn: InTurn,
): Effect.fn.Return<WalletPage.Place | null, StoreError> {
  const { from, order, to, wallet } = query
  const matches = matcherOf(query.selection)
  let after = WalletPage.placeBefore(query)
  for (let left = rows; ;) {
    const { hasMore, rows } = yield* inTurn(snapshot.ledger({ wallet, from, to, order, after, limit: batch, maxBytes }))
    for (const entry of rows) {
      const matching = candidatesOf(entry, query).filter(({ movement }) => matches(movement))
      const last = matching[left - 1]
      if (last !== undefined) return { block: entry.block, index: entry.index, part: last.part }
      left -= matching.length
    }
    if (!hasMore) return null
    after = rows.at(-1) ?? null
  }
})

/** Position of a movement's block and transaction; opening balances belong to the first block itself. */
const positionOf = ({ entry: { block, index }, movement }: Candidate): Position =>
  isOpening(movement) ? { block, index: Movement.blockLevelIndex } : { block, index }

/** Counterparty of a movement made by another account; undefined if there is none. */
const strangerOf = ({ entry: { block, index, roles }, movement }: Candidate): Lookalikes.Candidate | undefined =>
  movement.counterparty === null || isOpening(movement) || MovementFlags.isOwn(roles)
    ? undefined
    : { block, index, counterparty: movement.counterparty }

/** Reads block, transaction and token of movements, as many as fit into a page. */
const complete = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  { found, isFromFirst, next, searched }: Found,
  { maxBytes, order, wallet }: Query,
): Effect.fn.Return<WalletPage.SourceRows<MovementRow>, StoreError> {
  const positions: Array<Position> = []
  const placed = found.map((candidate) => {
    const [position, last] = [positionOf(candidate), positions.at(-1)]
    if (last?.block !== position.block || last.index !== position.index) positions.push(position)
    return { candidate, at: positions.length - 1 }
  })
  const places = positions.length === 0 ? [] : yield* snapshot.places(positions, maxBytes)
  const tokens = yield* snapshot.tokens(Totals.tokensOf(found.map(({ movement }) => movement)))
  const isLookalike = yield* Lookalikes.find(
    snapshot,
    wallet,
    found.flatMap((candidate) => strangerOf(candidate) ?? []),
    { places: order === "ASC" ? searched.toReversed() : searched, isFromFirst },
  )
  const rows: Array<MovementRow> = []
  for (const { at, candidate } of placed) {
    const [place, last] = [places[at], rows.at(-1)]
    const stranger = strangerOf(candidate)
    const flagged = stranger !== undefined && isLookalike(stranger)
    if (place !== undefined)
      rows.push({ ...candidate, ...place, token: tokens.get(candidate.movement.asset), isLookalike: flagged })
    // Sound: the position of the first movement was read.
    else return { rows, next: nextOf(last!, candidate) }
  }
  return { rows, next }
})

/** The movements of wallets. */
export const source: WalletPage.Source<MovementRow, Selection, NotWatched> = {
  id: WalletLedger.id,
  kind: "ledger",
  revision: WalletLedger.revision,
  check: Coverage.checkWallet,
  read: (snapshot, query) => Effect.flatMap(search(snapshot, query), (found) => complete(snapshot, found, query)),
  skip,
}

/**
 * Reads a page.
 *
 * **Errors**
 * - `Stale`, `NotDerived`, `StoreError`: as for all pages.
 * - `NotWatched`: the index does not cover the wallet.
 */
export const read = WalletPage.make(source)
