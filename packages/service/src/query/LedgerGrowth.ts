/**
 * Adds the movements of a wallet to sums in slices, between which other requests are answered. Final positions are read in separate
 * snapshots, since they do not change, and the sums up to them are kept.
 *
 * Source: decision 0049.
 */
import * as Arr from "effect/Array"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { blockLevelIndex } from "../ledger/Movement.ts"
import * as OpeningMovement from "../ledger/OpeningMovement.ts"
import * as Totals from "../ledger/Totals.ts"
import type { Position, Snapshot } from "../store/ChainReader.ts"
import type { OpeningBalance } from "../store/Proofs.ts"
import type { StoreError } from "../store/StoreError.ts"
import type { IndexedChain } from "./IndexedChain.ts"
import { IndexChanged, type InTurn } from "./PinnedReader.ts"
import type { TotalsCache } from "./TotalsCache.ts"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"

/** A ledger to sum. */
export interface Subject {
  readonly chain: IndexedChain
  /** Lower case. */
  readonly wallet: string
  /** Assets; undefined for all. */
  readonly assets: ReadonlySet<string> | undefined
  /** First indexed block. */
  readonly first: number
  /** Opening balances before that block, as far as they are known. */
  readonly openings: ReadonlyArray<OpeningBalance>
  /** Last indexed block. */
  readonly head: number
}

/** How sums share resources with others. */
export interface Sharing {
  readonly inTurn: InTurn
  /** Waits until there is memory for a number of sums. */
  readonly room: (sums: number) => Effect.Effect<void>
  /** Reads in a snapshot that is kept between turns, once one of the few permitted ones is free. */
  readonly keeping: InTurn
}

/** Resources for making sums. */
export interface Shared extends Sharing {
  readonly cache: TotalsCache
}

/** Growing sums, and the position that they reach. */
export interface Growing {
  readonly totals: Totals.Totals
  readonly after: Position | null
}

/** There are more positions after the last final block than can be summed in one turn. */
export class LongTail extends Data.TaggedError("LongTail")<{}> {}

/** Maximum number of positions and bytes of a slice: some milliseconds of work. The shortest movement has three bytes. */
const slice = { limit: 512, maxBytes: 32 * 1024 } as const
/** Number of positions between kept sums. */
const keptEvery = 25_000

/** The position after everything in a block. */
export const whole = (block: number): Position => ({ block, index: blockLevelIndex })

/** Number of opening balances added per turn. */
const openingsPerTurn = 1_000

/** Sums the opening balances, which come before all positions. */
const begin = Effect.fnUntraced(function* (
  { assets, first, openings, wallet }: Subject,
  inTurn: InTurn,
): Effect.fn.Return<Totals.Totals> {
  const totals = Totals.make()
  for (const part of Arr.chunksOf(openings.filter(OpeningMovement.isMovement), openingsPerTurn)) {
    const movements = part.map((one) => OpeningMovement.make(wallet, one))
    yield* inTurn(Effect.sync(() => Totals.add(totals, first, { movements, roles: 0 }, assets)))
  }
  return totals
})

/** Adds the next positions up to a block; `null` if none is left. */
const addSlice = (
  { assets, first, wallet }: Subject,
  snapshot: Snapshot,
  { after, totals }: Growing,
  to: number,
): Effect.Effect<{ readonly last: Position; readonly count: number } | null, StoreError> =>
  Effect.map(snapshot.ledger({ wallet, from: first, to, order: "ASC", after, ...slice }), ({ hasMore, rows }) => {
    for (const entry of rows) Totals.add(totals, entry.block, entry, assets)
    const last = rows.at(-1)
    return last === undefined || !hasMore ? null : { last, count: rows.length }
  })

const keyOf = ({ assets, chain, wallet }: Subject): string =>
  [chain.id, wallet, ...[...(assets ?? [])].toSorted()].join(" ")

/** The kept sums that reach furthest, up to a final block. */
const kept = Effect.fnUntraced(function* (
  { cache }: Shared,
  subject: Subject,
  snapshot: Snapshot,
  to: number,
): Effect.fn.Return<Growing, StoreError> {
  const now = yield* MonotonicClock.millis
  const basis = { first: subject.first, openings: subject.openings.length }
  for (const entry of cache.upTo(keyOf(subject), to, basis, now)) {
    if ((yield* snapshot.block(entry.through.block))?.hash === entry.hash) {
      return { totals: Totals.copy(entry.totals), after: entry.through }
    }
  }
  return { totals: Totals.make(), after: null }
})

const keep = Effect.fnUntraced(function* (
  { cache }: Shared,
  subject: Subject,
  snapshot: Snapshot,
  { after, totals }: Growing,
): Effect.fn.Return<void, StoreError> {
  const block = after === null ? null : yield* snapshot.block(after.block)
  if (after === null || block === null) return
  const { first, openings } = subject
  const entry = { through: after, hash: block.hash, first, openings: openings.length, totals: Totals.copy(totals) }
  cache.add(keyOf(subject), { ...entry, at: yield* MonotonicClock.millis })
})

/** Runs reads in a snapshot of the same index. It is opened in a turn that has time, since pages need one of the few that may be open. */
export const same = <A, E>(
  { inTurn }: Shared,
  { chain, first, head }: Pick<Subject, "chain" | "first" | "head">,
  read: (snapshot: Snapshot) => Effect.Effect<A, E>,
): Effect.Effect<A, E | StoreError | IndexChanged> =>
  inTurn(
    chain.reader.snapshot((snapshot) =>
      Effect.flatMap(snapshot.checkpoint, (now): Effect.Effect<A, E | IndexChanged> => {
        const isSame = now?.first === first && now.head.number >= head
        return isSame ? read(snapshot) : Effect.fail(new IndexChanged())
      }),
    ),
  )

/** Sums up to a final block, each slice in its own snapshot. */
export const upToFinal = Effect.fnUntraced(function* (
  shared: Shared,
  subject: Subject,
  to: number,
): Effect.fn.Return<Growing, StoreError | IndexChanged> {
  if (to < subject.first) return { totals: Totals.make(), after: null }
  let state = yield* same(shared, subject, (snapshot) => kept(shared, subject, snapshot, to))
  if (state.after === null) state = { totals: yield* begin(subject, shared.inTurn), after: null }
  yield* shared.room(state.totals.sums.size)
  if (state.after?.block === to && state.after.index === blockLevelIndex) return state
  for (let places = 0; ;) {
    const current = state
    const read = yield* same(shared, subject, (snapshot) => addSlice(subject, snapshot, current, to))
    state = { totals: state.totals, after: read === null ? whole(to) : read.last }
    places += read?.count ?? 0
    // No snapshot is open in the meantime.
    yield* shared.room(state.totals.sums.size)
    if (read !== null && places < keptEvery) continue
    const grown = state
    yield* same(shared, subject, (snapshot) => keep(shared, subject, snapshot, grown))
    if (read === null) return state
    places = 0
  }
})

/**
 * Sums up to a block in one snapshot: one slice or, if the snapshot may be kept (`isKept`), all of them, each in a turn that has time.
 *
 * **Errors**
 * - `LongTail`: there are more slices, and the snapshot may not be kept.
 */
export const upTo = Effect.fnUntraced(function* (
  shared: Shared,
  subject: Subject,
  snapshot: Snapshot,
  { after, totals }: Growing,
  to: number,
  isKept: boolean,
): Effect.fn.Return<Growing, StoreError | LongTail> {
  const inTurn: InTurn = (work) => (isKept ? shared.inTurn(work) : work)
  // Sums without a position are empty.
  const grown = after === null ? yield* begin(subject, inTurn) : totals
  let last = after
  for (;;) {
    const read = yield* inTurn(addSlice(subject, snapshot, { totals: grown, after: last }, to))
    if (read === null) return { totals: grown, after: whole(to) }
    if (!isKept) return yield* new LongTail()
    last = read.last
  }
})
