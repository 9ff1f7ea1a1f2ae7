/**
 * Movements of a wallet, from its ledger. A selection may match few of them: a page searches a bounded number, and the next page continues
 * where it stopped.
 *
 * Source: decision 0049.
 */
import type * as LedgerQuery from "@daybook/schema/LedgerQuery"
import * as Effect from "effect/Effect"
import * as Movement from "../ledger/Movement.ts"
import * as OpeningMovement from "../ledger/OpeningMovement.ts"
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
/** Bytes per position that are read at once: most have a few movements, of about 60 bytes each. */
const positionBytes = 512

/** Parts before those of a transaction: opening balances come first. */
const openingParts = 1 << 20

/** Remaining movements of an entry, in page order. */
const candidatesOf = (entry: LedgerEntry, { after, order }: Query): Array<Candidate> => {
  if (entry.movements.length === 0) return []
  const all = entry.movements.map((movement, at): Candidate => ({
    entry,
    movement,
    index: at,
    part: at + openingParts,
  }))
  const sent = after?.block === entry.block && after.index === entry.index ? after.part : undefined
  const left = sent !== undefined ? all.filter(({ part }) => (order === "ASC" ? part > sent : part < sent)) : all
  return order === "ASC" ? left : left.reverse()
}

/** Where to read next: after one of the opening balances, or before all of them. */
interface AtOpenings {
  readonly _tag: "Openings"
  readonly after: number | undefined
}

/** Where to read next: among the opening balances, or after a position of the ledger. */
type Reading = AtOpenings | { readonly _tag: "Entries"; readonly after: WalletPage.Place | null }

/** Movements at one position, in page order. */
interface Group {
  readonly candidates: ReadonlyArray<Candidate>
  /** Number of movements that were read. */
  readonly read: number
  /** The position after all of them, in page order. */
  readonly end: WalletPage.Place
}

/** What was read at once. */
interface Batch {
  readonly groups: ReadonlyArray<Group>
  /** Entries of the ledger; none if opening balances were read. */
  readonly entries: ReadonlyArray<LedgerEntry>
  /** Undefined if nothing is left. */
  readonly next: Reading | undefined
}

/** The opening balances that a query has left, as a position of reading; undefined for none. They are at the start of the first block. */
const openingsOf = ({ after, from, order, to }: Query, first: number): AtOpenings | undefined => {
  const all = { _tag: "Openings", after: undefined } as const
  if (first < from || first > to) return undefined
  if (after === null) return all
  const { block, index, part } = after
  const isAtStart = block === first && index === 0
  if (isAtStart && part !== undefined && part < openingParts) return { _tag: "Openings", after: part }
  if (order === "ASC") return block < first ? all : undefined
  return block < first || (isAtStart && part === undefined) ? undefined : all
}

/** Where a query begins to read. */
const startOf = (query: Query, first: number): Reading => {
  const openings = openingsOf(query, first)
  const isNext = query.order === "ASC" || openings?.after !== undefined
  return isNext && openings !== undefined ? openings : { _tag: "Entries", after: WalletPage.placeBefore(query) }
}

/** Reads up to `size` opening balances after one. */
const readOpenings = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  query: Query,
  first: number,
  after: number | undefined,
  size: number,
): Effect.fn.Return<Batch, StoreError> {
  const { order, wallet } = query
  const { next, rows } = yield* snapshot.openingRange({ wallet, order, after, limit: size })
  const entry: LedgerEntry = { block: first, index: 0, roles: 0, movements: [] }
  const candidates = rows.map(({ movement, number }): Candidate => ({ entry, movement, index: number, part: number }))
  const end = { block: first, index: 0, part: next ?? (order === "ASC" ? openingParts - 1 : 0) }
  const following: Reading | undefined =
    order === "ASC" ? { _tag: "Entries", after: WalletPage.placeBefore(query) } : undefined
  return {
    groups: [{ candidates, read: candidates.length, end }],
    entries: [],
    next: next === undefined ? following : { _tag: "Openings", after: next },
  }
})

/** Reads up to `size` entries after a position. */
const readEntries = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  query: Query,
  first: number,
  after: WalletPage.Place | null,
  size: number,
): Effect.fn.Return<Batch, StoreError> {
  const { from, order, to, wallet } = query
  const bounds = { limit: size, maxBytes: size * positionBytes }
  const { hasMore, rows: entries } = yield* snapshot.ledger({ wallet, from, to, order, after, ...bounds })
  const groups = entries.map((entry): Group => {
    const { block, index, movements } = entry
    const hasOpenings = order === "DESC" && block === first && index === 0
    const end = hasOpenings ? { block, index, part: openingParts } : { block, index }
    return { candidates: candidatesOf(entry, query), read: movements.length, end }
  })
  const openings = order === "ASC" ? undefined : openingsOf(query, first)
  return {
    groups,
    entries,
    next: hasMore ? { _tag: "Entries", after: entries.at(-1) ?? null } : openings,
  }
})

const readAt = (
  snapshot: Snapshot,
  query: Query,
  first: number,
  at: Reading,
  size: number,
): Effect.Effect<Batch, StoreError> =>
  at._tag === "Openings"
    ? readOpenings(snapshot, query, first, at.after, size)
    : readEntries(snapshot, query, first, at.after, size)

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

/** First indexed block; 0 in an empty index, which has no entries. */
const firstBlockOf = (snapshot: Snapshot): Effect.Effect<number, StoreError> =>
  Effect.map(snapshot.checkpoint, (checkpoint) => checkpoint?.first ?? 0)

/** Searches the movements of a page. */
const search = Effect.fnUntraced(function* (snapshot: Snapshot, query: Query): Effect.fn.Return<Found, StoreError> {
  const { from, limit, order } = query
  const matches = matcherOf(query.selection)
  const first = yield* firstBlockOf(snapshot)
  const found: Array<Candidate> = []
  let state: Omit<Found, "next"> = { found, searched: [], isFromFirst: false }
  let at = startOf(query, first)
  let work = 0
  for (let size = Math.min(positionsOf(query), batch); ;) {
    const { entries, groups, next } = yield* readAt(snapshot, query, first, at, size)
    const searched = found.length === 0 ? entries : [...state.searched, ...entries]
    state = { found, searched, isFromFirst: order === "DESC" && next?._tag !== "Entries" && from <= first }
    if (at._tag === "Entries") size = Math.min(size * 4, batch)
    for (const { candidates, end, read } of groups) {
      for (const candidate of candidates) {
        if (!matches(candidate.movement)) continue
        const last = found.at(-1)
        if (found.length === limit && last !== undefined) return { ...state, next: nextOf(last, candidate) }
        found.push(candidate)
      }
      work += placeWork + read
      if (work >= maxWork) return { ...state, next: end }
    }
    if (next === undefined) return { ...state, next: null }
    at = next
  }
})

/** Last of a number of movements, whose positions are counted without reading blocks, transactions and tokens. */
const skip = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  query: Query,
  rows: number,
  inTurn: InTurn,
): Effect.fn.Return<WalletPage.Place | null, StoreError> {
  const matches = matcherOf(query.selection)
  const first = yield* firstBlockOf(snapshot)
  let at = startOf(query, first)
  for (let left = rows; ;) {
    const { groups, next } = yield* inTurn(readAt(snapshot, query, first, at, batch))
    for (const { candidates } of groups) {
      const matching = candidates.filter(({ movement }) => matches(movement))
      const last = matching[left - 1]
      if (last !== undefined) return { block: last.entry.block, index: last.entry.index, part: last.part }
      left -= matching.length
    }
    if (next === undefined) return null
    at = next
  }
})

/** Position of a movement's block and transaction; opening balances belong to the first block itself. */
const positionOf = ({ entry: { block, index }, movement }: Candidate): Position =>
  OpeningMovement.isOpening(movement) ? { block, index: Movement.blockLevelIndex } : { block, index }

/** Counterparty of a movement made by another account; undefined if there is none. */
const strangerOf = ({ entry: { block, index, roles }, movement }: Candidate): Lookalikes.Candidate | undefined =>
  movement.counterparty === null || OpeningMovement.isOpening(movement) || MovementFlags.isOwn(roles)
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
