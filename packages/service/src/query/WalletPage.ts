/**
 * Pages of a wallet's rows: the range, the position, the rows, where the next page starts, and what the index covers. Everything that a
 * page needs from the database is read in one snapshot. It knows neither HTTP nor the cursors and parameters of a dialect.
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

/** A row that was read: its block, its index in it, and its part, if rows are read in parts. */
export interface Place {
  readonly block: number
  readonly index: number
  readonly part?: number | undefined
}

/** Where a list continues: a later page reads the same blocks, regardless of what was indexed meanwhile. */
export interface Continuation {
  /** First block of the list. */
  readonly from: number
  /** Last block of the list. */
  readonly to: number
  /** The last row read or searched. */
  readonly after: Place
  /** Hash of the block of that row. */
  readonly afterHash: string
  /** The highest block of the list: later blocks are not part of it. */
  readonly top: BlockRef
  /** Serial of the state from which the page was read; `finalSerial` if the list is final. */
  readonly serial: number
}

/**
 * Serial of a list whose top block is final, so that its continuation is always the same. Every state with that block can serve it, and a
 * state that has not reached the block is behind.
 */
const finalSerial = Number.MAX_SAFE_INTEGER

/** A position in a list, and the number of rows up to it. */
export interface CountedPlace {
  readonly place: Place
  readonly rows: number
}

/** Starts a page after a number of rows, which are counted in steps between other work. */
export interface Skip {
  readonly _tag: "Skip"
  readonly rows: number
  /** Position from which rows are counted, among the skipped ones; if absent, the first one. */
  readonly known?: CountedPlace | undefined
  readonly inTurn: InTurn
}

/** Where a page starts: at the first row, after a number of rows, or after the previous page. */
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
  /** Maximum size of the rows, in bytes; a larger row forms a page by itself. */
  readonly maxBytes: number
  /** Filters besides the range. */
  readonly selection: Selection
}

/** Which rows to read from a source. */
export interface SourceQuery<Selection> extends Pick<
  Query<Selection>,
  "wallet" | "order" | "limit" | "maxBytes" | "selection"
> {
  /** First block, inclusive. */
  readonly from: number
  /** Last block, inclusive. */
  readonly to: number
  /** Rows start after this one, in page order. */
  readonly after: Place | null
}

/** The position just before the first one to read or search in a source with parts, in page order. */
export const placeBefore = ({ after, order }: Pick<SourceQuery<unknown>, "after" | "order">): Place | null => {
  if (after === null) return null
  const { block, index, part } = after
  if (part === undefined) return { block, index }
  if (order === "ASC") return { block, index: index - 1 }
  return index < Movement.blockLevelIndex ? { block, index: index + 1 } : { block: block + 1, index: 0 }
}

/** Rows that fit into a page. */
export interface SourceRows<Row> {
  readonly rows: ReadonlyArray<Row>
  /** The last row read or searched; `null` if nothing is left. */
  readonly next: Place | null
}

/** Rows of a projection, and how to read them. */
export interface Source<Row, Selection, E> extends Pick<Projection, "id" | "kind" | "revision"> {
  readonly check: Coverage.Requirement<E>
  readonly read: (
    snapshot: Snapshot,
    query: SourceQuery<Selection>,
  ) => Effect.Effect<SourceRows<Row>, StoreError.StoreError>
  /** What `read` first requests from the snapshot, if that is a single page. */
  readonly pageOf?: ((query: SourceQuery<Selection>) => PageQuery) | undefined
  /** The last of a number of rows, which are not read; `null` if there are fewer. */
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
  /** The row after which the page starts; `null` for none. */
  readonly after: Place | null
  /** Where the next page starts; `null` on the last page. */
  readonly next: Continuation | null
  readonly coverage: Coverage.Coverage
  /** Whether the chain can no longer change the page: its list ends with a final block, and the index has no gaps. */
  readonly isFixed: boolean
}

/**
 * First block whose rows may have changed since a page was read; `null` if both blocks of its continuation are stored.
 *
 * **Errors**
 * - `StoreError`, retryable: the state is earlier than that of the continuation, and has not reached its blocks.
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
  // Nothing is known about a block: only final blocks are certain to be unchanged.
  const lowest = Math.min(...missing.map(({ number }) => number), ...known)
  const afterFinal = (checkpoint?.finalized ?? -1) + 1
  return afterFinal > 0 && afterFinal <= lowest ? afterFinal : Math.min(lowest, checkpoint?.first ?? 0)
})

/** What a page continues; undefined for the first page of a list. */
const continuationOf = ({ position }: Query<unknown>): Continuation | undefined =>
  position._tag === "After" ? position.continuation : undefined

/**
 * Checkpoint that a page reports. The list of a continuation starts with a block resolved for its first page; blocks indexed below it since
 * are not part of it.
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
 * True if the blocks of a list cannot change: its last block is given and final, and no blocks can be added below its first one. Instants
 * qualify for neither, because only the surrounding blocks determine them.
 */
const isFixedRange = ({ chain, range, ...query }: Query<unknown>, checkpoint: Checkpoint): boolean => {
  const continuation = continuationOf({ chain, range, ...query })
  const numberOf = (bound: Range.Bound) => (bound._tag === "Block" ? bound.block : undefined)
  const [from, to] = [continuation?.from ?? numberOf(range.from), continuation?.top.number ?? numberOf(range.to)]
  const begins = checkpoint.first === 0 || (from !== undefined && from >= checkpoint.first)
  return begins && to !== undefined && isFinal(to, checkpoint) && !ServedChain.mayRewind(chain)
}

/** How the list continues after a row. */
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

/** The row after which a page starts; `null` for none, undefined if the list ends before it. */
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

/** Block of a bound; undefined for an instant, which the time index resolves. */
const blockOf = (bound: Range.Bound, open: number): number | undefined => {
  if (bound._tag === "Open") return open
  return bound._tag === "Block" ? bound.block : undefined
}

/** What a page requests, as far as it does not depend on the index; undefined if it does. */
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

/** Which snapshot to read (any for a first page, at least that of the previous page for a later one), and what the page reads there. */
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
 * - `NotDerived`: the rows of the projection are not derived for all blocks yet.
 * - `StoreError`: the database cannot be read, or has not reached the blocks of the position.
 */
export const make =
  <Row, Selection, E>(source: Source<Row, Selection, E>) =>
  (query: Query<Selection>): Effect.Effect<Page<Row>, Stale | NotDerived | StoreError.StoreError | E> =>
    query.chain.reader.snapshot((snapshot) => readIn(source, snapshot, query), optionsOf(source, query))
