/**
 * Pages of the rows of a wallet: the range, the position, the rows, where the next page begins, and what the index covers. Everything that
 * a page needs of the database is read in one snapshot. It knows neither HTTP nor the cursors and parameters of a dialect.
 *
 * Source: docs/interface.md#4.1; decisions 0008 and 0011.
 */
import * as Effect from "effect/Effect"
import type { BlockRef, Checkpoint } from "../block/BlockRows.ts"
import type { Projection } from "../block/Projection.ts"
import * as ServedChain from "../config/ServedChain.ts"
import * as Movement from "../ledger/Movement.ts"
import type { PageQuery, Snapshot, SnapshotOptions } from "../store/ChainReader.ts"
import * as StoreError from "../store/StoreError.ts"
import * as WatchList from "../store/WatchList.ts"
import * as Coverage from "./Coverage.ts"
import type { IndexedChain } from "./IndexedChain.ts"
import type { InTurn } from "./PinnedReader.ts"
import { type NotDerived, Stale } from "./QueryError.ts"
import * as Range from "./Range.ts"

/** A row that was read: its block, its index in it, and the part of it, where a row is read in parts. */
export interface Place {
  readonly block: number
  readonly index: number
  readonly part?: number | undefined
}

/** Where a list goes on: a page that follows another one reads the same blocks, whatever was indexed meanwhile. */
export interface Continuation {
  /** First block of the list. */
  readonly from: number
  /** Last block of the list. */
  readonly to: number
  /** The last row that was read, or searched. */
  readonly after: Place
  /** Hash of the block of that row. */
  readonly afterHash: string
  /** The highest block of the list: later blocks are not part of it. */
  readonly top: BlockRef
  /** Serial of the state that the page was read of; `finalSerial` where the list is final. */
  readonly serial: number
}

/**
 * Serial of a list whose top block is final, so that its continuation is the same whenever its page is read. Each state that has the block
 * answers it, and one that has not reached the block is behind.
 */
export const finalSerial = Number.MAX_SAFE_INTEGER

/** A place of a list, and the number of rows up to it. */
export interface CountedPlace {
  readonly place: Place
  readonly rows: number
}

/** A page begins behind a number of rows, which are counted in steps that others leave time for. */
export interface Skip {
  readonly _tag: "Skip"
  readonly rows: number
  /** Rows are counted from this place on, one among those that are skipped; left out, from the first one. */
  readonly known?: CountedPlace | undefined
  readonly inTurn: InTurn
}

/** Where a page begins: at the first row, behind a number of rows, or behind the page before. */
export type Position =
  | { readonly _tag: "First" }
  | Skip
  | { readonly _tag: "After"; readonly continuation: Continuation }

/** The position of a first page. */
export const first: Position = { _tag: "First" }

/** A query for a page. */
export interface Query<Selection> {
  readonly chain: IndexedChain
  /** Lower case. */
  readonly wallet: string
  readonly range: Range.Range
  readonly order: PageQuery["order"]
  readonly position: Position
  /** Maximum number of rows. */
  readonly limit: number
  /** Maximum size of the rows, in bytes; a larger row is a page by itself. */
  readonly maxBytes: number
  /** What selects rows beside the range. */
  readonly selection: Selection
}

/** Which rows are read of a source. */
export interface SourceQuery<Selection> extends Pick<
  Query<Selection>,
  "wallet" | "order" | "limit" | "maxBytes" | "selection"
> {
  /** First block, inclusive. */
  readonly from: number
  /** Last block, inclusive. */
  readonly to: number
  /** Rows begin after this one, in the order of the page. */
  readonly after: Place | null
}

/** The place just before the first one that is read or searched of a source with parts, in the order of the page. */
export const placeBefore = ({ after, order }: Pick<SourceQuery<unknown>, "after" | "order">): Place | null => {
  if (after === null) return null
  const { block, index, part } = after
  if (part === undefined) return { block, index }
  if (order === "ASC") return { block, index: index - 1 }
  return index < Movement.blockLevelIndex ? { block, index: index + 1 } : { block: block + 1, index: 0 }
}

/** The rows that fit a page. */
export interface SourceRows<Row> {
  readonly rows: ReadonlyArray<Row>
  /** The last row that was read or searched; `null` where nothing is left. */
  readonly next: Place | null
}

/** Rows of a projection, and how they are read. */
export interface Source<Row, Selection, E> extends Pick<Projection, "id" | "kind" | "revision"> {
  readonly check: Coverage.Requirement<E>
  readonly read: (
    snapshot: Snapshot,
    query: SourceQuery<Selection>,
  ) => Effect.Effect<SourceRows<Row>, StoreError.StoreError>
  /** What `read` asks of the snapshot first, where that is one page of it. */
  readonly pageOf?: ((query: SourceQuery<Selection>) => PageQuery) | undefined
  /** The last of a number of rows, which are not read; `null` where there are fewer. */
  readonly skip: (
    snapshot: Snapshot,
    query: SourceQuery<Selection>,
    rows: number,
    inTurn: InTurn,
  ) => Effect.Effect<Place | null, StoreError.StoreError | E>
}

/** A page. */
export interface Page<Row> {
  readonly rows: ReadonlyArray<Row>
  /** The row that the page begins behind; `null` for none. */
  readonly after: Place | null
  /** Where the next page begins; `null` on the last. */
  readonly next: Continuation | null
  readonly coverage: Coverage.Coverage
  /** The chain does not change the page any more: its list ends with a final block, and nothing of the index is missing. */
  readonly isFixed: boolean
}

/**
 * The first block whose rows may have changed since a page was read; `null` while both blocks of its continuation are stored.
 *
 * **Errors**
 * - `StoreError`, retryable: the state is an earlier one than that of the continuation, and has not reached its blocks.
 *
 * Source: decision 0011.
 */
const reorgedFrom = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  chain: string,
  { after, afterHash, serial, top }: Continuation,
): Effect.fn.Return<number | null, StoreError.StoreError> {
  const refs: ReadonlyArray<BlockRef> = [{ number: after.block, hash: afterHash }, top]
  const missing: Array<BlockRef> = []
  for (const ref of refs) if ((yield* snapshot.block(ref.number))?.hash !== ref.hash) missing.push(ref)
  if (missing.length === 0) return null
  const checkpoint = yield* snapshot.checkpoint
  if (snapshot.serial < serial && (checkpoint?.head.number ?? -1) < top.number) return yield* StoreError.behind(chain)
  const known: Array<number> = []
  for (const ref of missing) {
    const from = yield* snapshot.lowestReorgedBlock(ref)
    if (from !== null) known.push(from)
  }
  if (known.length === missing.length) return Math.min(...known)
  // Nothing is known of a block: only final blocks are certain not to have changed.
  const lowest = Math.min(...missing.map(({ number }) => number), ...known)
  const afterFinal = (checkpoint?.finalized ?? -1) + 1
  return afterFinal > 0 && afterFinal <= lowest ? afterFinal : Math.min(lowest, checkpoint?.first ?? 0)
})

/** What a page continues; undefined for the first one of a list. */
const continuationOf = ({ position }: Query<unknown>): Continuation | undefined =>
  position._tag === "After" ? position.continuation : undefined

/**
 * The checkpoint that a page states. The list of a continuation begins with a block that was resolved for its first page: blocks that were
 * indexed below it since are not part of it.
 */
const coveredBy = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  { range }: Query<unknown>,
  continuation: Continuation | undefined,
  checkpoint: Checkpoint,
): Effect.fn.Return<Checkpoint, StoreError.StoreError> {
  if (continuation === undefined) return checkpoint
  const from = (yield* Range.firstBlock(snapshot, range.from, checkpoint)) ?? continuation.from
  return from < continuation.from ? { ...checkpoint, first: continuation.from } : checkpoint
})

const isFinal = (block: number, { finalized }: Checkpoint): boolean => finalized !== null && block <= finalized

/**
 * Whether the blocks of a list stay as they are: its last block is stated and final, and no blocks can be added below its first one. Instants
 * state neither, as only blocks around them do.
 */
const isFixedRange = ({ chain, range, ...query }: Query<unknown>, checkpoint: Checkpoint): boolean => {
  const continuation = continuationOf({ chain, range, ...query })
  const numberOf = (bound: Range.Bound) => (bound._tag === "Block" ? bound.block : undefined)
  const [from, to] = [continuation?.from ?? numberOf(range.from), continuation?.top.number ?? numberOf(range.to)]
  const begins = checkpoint.first === 0 || (from !== undefined && from >= checkpoint.first)
  return begins && to !== undefined && isFinal(to, checkpoint) && !ServedChain.mayRewind(chain)
}

/** How the list goes on behind a row. */
const continuationAfter = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  continuation: Continuation | undefined,
  { from, to }: Pick<PageQuery, "from" | "to">,
  after: Place,
  checkpoint: Checkpoint,
): Effect.fn.Return<Continuation, StoreError.StoreError> {
  const { head } = checkpoint
  const top = continuation?.top ?? (to === head.number ? head : yield* snapshot.block(to))
  const block = yield* snapshot.block(after.block)
  if (top === null || block === null) return yield* Effect.die(new Error("A block of a page is not stored."))
  const serial = isFinal(top.number, checkpoint) ? finalSerial : snapshot.serial
  return { from, to, after, afterHash: block.hash, top: { number: top.number, hash: top.hash }, serial }
})

/** The row that a page begins after; `null` for none, undefined where the list ends before it. */
const startOf = <Row, Selection, E>(
  source: Source<Row, Selection, E>,
  snapshot: Snapshot,
  { position }: Query<Selection>,
  range: Omit<SourceQuery<Selection>, "after">,
): Effect.Effect<Place | null | undefined, StoreError.StoreError | E> => {
  if (position._tag === "After") return Effect.succeed(position.continuation.after)
  if (position._tag === "First" || position.rows === 0) return Effect.succeed(null)
  const { inTurn, known, rows } = position
  const left = rows - (known?.rows ?? 0)
  if (known !== undefined && left === 0) return Effect.succeed(known.place)
  const after = known?.place ?? null
  return Effect.map(source.skip(snapshot, { ...range, after }, left, inTurn), (place) => place ?? undefined)
}

/** Reads a page in a snapshot. */
const readIn = Effect.fnUntraced(function* <Row, Selection, E>(
  source: Source<Row, Selection, E>,
  snapshot: Snapshot,
  query: Query<Selection>,
): Effect.fn.Return<Page<Row>, StoreError.StoreError | Stale | NotDerived | E> {
  const { chain, limit, maxBytes, order, range, selection, wallet } = query
  const continuation = continuationOf(query)
  const found = yield* snapshot.checkpoint
  yield* source.check(chain, found, wallet)
  const checkpoint = found && WatchList.ofWallet(found, wallet)
  const resumeFromBlock = continuation && (yield* reorgedFrom(snapshot, chain.name, continuation))
  if (resumeFromBlock != null) return yield* new Stale({ resumeFromBlock, checkpoint })
  const gaps = yield* snapshot.gapCounts
  const covered = checkpoint && (yield* coveredBy(snapshot, query, continuation, checkpoint))
  const coverage = { ...(yield* Coverage.ofWallet(snapshot, found, gaps, wallet)), checkpoint: covered }
  const isFixed =
    checkpoint !== null &&
    source.kind !== "ledger" &&
    Object.values(gaps).every((count) => count === 0) &&
    isFixedRange(query, checkpoint)
  const empty = { rows: [], after: null, next: null, coverage, isFixed }
  if (checkpoint === null) return empty
  yield* Coverage.checkDerived(source, snapshot, chain.name, checkpoint)
  const from = continuation?.from ?? (yield* Range.firstBlock(snapshot, range.from, checkpoint))
  const to = continuation?.to ?? (yield* Range.lastBlock(snapshot, range.to, checkpoint))
  if (from === null || to === null || from > to) return empty
  const wanted = { wallet, from, to, order, limit, maxBytes, selection }
  const after = yield* startOf(source, snapshot, query, wanted)
  if (after === undefined) return empty
  const { next, rows } = yield* source.read(snapshot, { ...wanted, after })
  if (next === null) return { ...empty, rows, after }
  return {
    ...empty,
    rows,
    after,
    next: yield* continuationAfter(snapshot, continuation, { from, to }, next, checkpoint),
  }
})

/** A block of a bound; undefined for an instant, which the index of times finds. */
const blockOf = (bound: Range.Bound, open: number): number | undefined => {
  if (bound._tag === "Open") return open
  return bound._tag === "Block" ? bound.block : undefined
}

/** What a page asks for, as far as that does not depend on the index; undefined where it does. */
const expectedPage = <Row, Selection, E>(
  { pageOf }: Source<Row, Selection, E>,
  query: Query<Selection>,
): PageQuery | undefined => {
  const { limit, maxBytes, order, position, range, selection, wallet } = query
  const continuation = continuationOf(query)
  const from = blockOf(range.from, 0)
  const to = continuation?.to ?? blockOf(range.to, Number.MAX_SAFE_INTEGER)
  if (pageOf === undefined || position._tag === "Skip" || from === undefined || to === undefined) return undefined
  const after = continuation?.after ?? null
  return pageOf({ wallet, from: continuation?.from ?? from, to, order, after, limit, maxBytes, selection })
}

/** Which snapshot to read, any for a first page and at least that of the page before for a later one, and what the page reads there. */
const optionsOf = <Row, Selection, E>(source: Source<Row, Selection, E>, query: Query<Selection>): SnapshotOptions => {
  const { range, wallet } = query
  const continuation = continuationOf(query)
  const top = continuation?.top.number ?? (range.to._tag === "Block" ? range.to.block : undefined)
  const blocks = [continuation?.after.block, top].filter((block) => block !== undefined)
  const atLeast = continuation === undefined || continuation.serial === finalSerial ? 0 : continuation.serial
  return { atLeast, expected: { wallet, projection: source.id, blocks, page: expectedPage(source, query) } }
}

/**
 * Makes the reader of pages of a source.
 *
 * **Errors**
 * - `Stale`: the position refers to a block that was reorged.
 * - `NotDerived`: the rows of the projection are not derived of all blocks yet.
 * - `StoreError`: the database cannot be read, or has not reached the blocks of the position.
 */
export const make =
  <Row, Selection, E>(source: Source<Row, Selection, E>) =>
  (query: Query<Selection>): Effect.Effect<Page<Row>, Stale | NotDerived | StoreError.StoreError | E> =>
    query.chain.reader.snapshot((snapshot) => readIn(source, snapshot, query), optionsOf(source, query))
