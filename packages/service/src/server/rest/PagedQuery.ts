/**
 * Pages of the rows of one key (a wallet, a token) in a projection: range, cursor, coverage and the position of the next page.
 * Everything that a page needs of the database is read in one snapshot. It knows neither HTTP nor what a row holds.
 *
 * Source: docs/interface.md#4.1; decisions 0006, 0007, 0008 and 0011.
 */
import * as WalletQuery from "@daybook/schema/WalletQuery"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ChainRegistry from "../../config/ChainRegistry.ts"
import type { Projection } from "../../projection/Projection.ts"
import type { BlockRef, Checkpoint } from "../../store/BlockRows.ts"
import type { PageQuery, PageRow, Snapshot } from "../../store/ChainReader.ts"
import type { StoreError } from "../../store/StoreError.ts"
import type { IndexedChain } from "../IndexedChain.ts"
import * as Cursor from "./Cursor.ts"
import * as Dates from "./Dates.ts"
import * as IndexCoverage from "./IndexCoverage.ts"
import { InvalidParameter } from "./InvalidParameter.ts"

/** The query parameters that every paged operation has. */
export interface Parameters extends Pick<
  WalletQuery.WalletQuery,
  "chain" | "from_block" | "to_block" | "from_date" | "to_date" | "cursor" | "limit" | "order"
> {}

/**
 * A query whose parameters are all handled here. An operation takes out its own parameters first; one that is left over, because it
 * was added to the contract, does not compile.
 */
export type Handled<Q> = [Exclude<keyof Q, keyof Parameters>] extends [never]
  ? Q
  : `Query parameter not handled: ${Exclude<keyof Q, keyof Parameters> & string}`

/** The projection that rows are read of. */
export type Source = Pick<Projection, "id" | "kind" | "revision">

/** What to read. */
export interface Request<E> {
  /** Lower case. */
  readonly key: string
  /** True: internal transactions are read too. */
  readonly internal: boolean
  /** Refuses a key that the index of the chain does not cover. */
  readonly guard: (chain: IndexedChain, checkpoint: Checkpoint | null) => Effect.Effect<void, E>
}

/** A page. */
export interface Page {
  readonly chain: IndexedChain
  readonly rows: ReadonlyArray<PageRow>
  /** Its number, 0 for the first. */
  readonly number: number
  /** Maximum number of its rows. */
  readonly size: number
  /** Cursor of the next page; `null` on the last. */
  readonly cursor: string | null
  /** What the list of the page covers; `null` while the index is empty. */
  readonly checkpoint: Checkpoint | null
  /** Transactions of the index, of any wallet, that have no row. */
  readonly missing: number
}

/** The cursor refers to a block that was reorged. */
export class StaleCursor extends Data.TaggedError("StaleCursor")<{
  /** First block whose rows are no longer valid. */
  readonly resumeFromBlock: number
  readonly checkpoint: Checkpoint | null
}> {}

/** The rows of the projection are not derived of all blocks yet. */
export class NotDerived extends Data.TaggedError("NotDerived")<{
  readonly chain: string
  /** First block whose rows are not derived; `null` where none is. */
  readonly next: number | null
  readonly checkpoint: Checkpoint
}> {}

/** A block number that the store can hold; no chain is longer. */
const toBlock = (block: bigint): number =>
  Number(block > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : block)

interface Bounds {
  readonly from: Cursor.RequestedBound
  readonly to: Cursor.RequestedBound
}

const parseDate = (
  name: "from_date" | "to_date",
  text: string | undefined,
): Result.Result<number | undefined, InvalidParameter> =>
  text === undefined ? Result.succeed(undefined) : Dates.read(name, text)

const isAbove = ({ from, to }: Bounds): boolean =>
  from._tag === "Block" && to._tag === "Block"
    ? from.block > to.block
    : from._tag === "Date" && to._tag === "Date" && from.date > to.date

const formatBound = (bound: Cursor.RequestedBound): string =>
  bound._tag === "Block" ? `block ${bound.block}` : bound._tag === "Date" ? Cursor.formatDate(bound.date) : "none"

/** The range of a query: a block number takes precedence over a date, at each end separately. */
const boundsOf = ({
  from_block,
  from_date,
  to_block,
  to_date,
}: Parameters): Result.Result<Bounds, InvalidParameter> => {
  const fromDate = parseDate("from_date", from_date)
  if (Result.isFailure(fromDate)) return Result.fail(fromDate.failure)
  const toDate = parseDate("to_date", to_date)
  if (Result.isFailure(toDate)) return Result.fail(toDate.failure)
  const bounds: Bounds = WalletQuery.bounds<number, number>({
    ...(from_block === undefined ? {} : { from_block: toBlock(from_block) }),
    ...(to_block === undefined ? {} : { to_block: toBlock(to_block) }),
    ...(fromDate.success === undefined ? {} : { from_date: fromDate.success }),
    ...(toDate.success === undefined ? {} : { to_date: toDate.success }),
  })
  if (!isAbove(bounds)) return Result.succeed(bounds)
  const { from, to } = bounds
  const suffix = from._tag === "Date" ? "date" : "block"
  const expected = `at most to_${suffix} (${formatBound(to)})`
  return Result.fail(InvalidParameter.fromIssue({ path: `from_${suffix}`, expected, received: formatBound(from) }))
}

const sizeOf = (limit: number | undefined, maxLimit: number): Result.Result<number, InvalidParameter> => {
  if (limit === undefined || limit <= maxLimit) return Result.succeed(limit ?? maxLimit)
  const expected = `a whole number from 1 to ${maxLimit}`
  return Result.fail(InvalidParameter.fromIssue({ path: "limit", expected, received: `"${limit}"` }))
}

/** First block of the range, inclusive; `null` where the range begins after the last indexed block. */
const firstBlock = (snapshot: Snapshot, bound: Cursor.RequestedBound, { first }: Checkpoint) => {
  if (bound._tag === "Open") return Effect.succeed(first)
  if (bound._tag === "Block") return Effect.succeed(Math.max(first, bound.block))
  return snapshot.firstAtOrAfter(Math.ceil(bound.date / 1000))
}

/** Last block of the range, inclusive; `null` where the range ends before the first indexed block. */
const lastBlock = (snapshot: Snapshot, bound: Cursor.RequestedBound, { head }: Checkpoint) => {
  if (bound._tag === "Open") return Effect.succeed(head.number)
  if (bound._tag === "Block") return Effect.succeed(Math.min(head.number, bound.block))
  return snapshot.lastAtOrBefore(Math.floor(bound.date / 1000))
}

/**
 * The first block whose rows may have changed since the cursor was made; `null` while both of its blocks are stored.
 *
 * Source: decision 0011.
 */
const reorgedFrom = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  { position, positionHash, top }: Cursor.Cursor,
): Effect.fn.Return<number | null, StoreError> {
  const refs: ReadonlyArray<BlockRef> = [{ number: position[0], hash: positionHash }, top]
  const missing: Array<BlockRef> = []
  for (const ref of refs) if ((yield* snapshot.block(ref.number))?.hash !== ref.hash) missing.push(ref)
  if (missing.length === 0) return null
  const known: Array<number> = []
  for (const ref of missing) {
    const from = yield* snapshot.lowestReorgedBlock(ref)
    if (from !== null) known.push(from)
  }
  if (known.length === missing.length) return Math.min(...known)
  // Nothing is known of a block: only final blocks are certain not to have changed.
  const checkpoint = yield* snapshot.checkpoint
  const lowest = Math.min(...missing.map(({ number }) => number), ...known)
  const afterFinal = (checkpoint?.finalized ?? -1) + 1
  return afterFinal > 0 && afterFinal <= lowest ? afterFinal : Math.min(lowest, checkpoint?.first ?? 0)
})

/**
 * The checkpoint that a page states. The list of a cursor begins with a block that was resolved for its first page: blocks that were
 * indexed below it since are not part of it.
 */
const coverageOf = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  cursor: Cursor.Cursor | undefined,
  checkpoint: Checkpoint,
): Effect.fn.Return<Checkpoint, StoreError> {
  if (cursor === undefined) return checkpoint
  const from = (yield* firstBlock(snapshot, cursor.requestedFrom, checkpoint)) ?? cursor.from
  return from < cursor.from ? { ...checkpoint, first: cursor.from } : checkpoint
})

/** A query without its database part. */
interface Resolved {
  readonly chain: IndexedChain
  readonly key: string
  readonly bounds: Bounds
  readonly size: number
  readonly maxBytes: number
  readonly cursor: Cursor.Cursor | undefined
  readonly order: WalletQuery.Order
}

/** The cursor that a query sends, compared with the rest of the query; undefined on the first page. */
const cursorOf = (
  key: string,
  chain: IndexedChain,
  bounds: Bounds,
  { order }: Parameters,
  sent: Cursor.Cursor | undefined,
): Result.Result<Cursor.Cursor | undefined, InvalidParameter> =>
  sent === undefined
    ? Result.succeed(undefined)
    : Cursor.match(sent, { chainId: chain.id, wallet: key, order, from: bounds.from, to: bounds.to })

/** The cursor behind the last row of a page. */
const nextCursor = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  { bounds, chain, cursor, key, order }: Resolved,
  { from, to }: Pick<PageQuery, "from" | "to">,
  last: PageRow,
  head: BlockRef,
): Effect.fn.Return<Cursor.Cursor, StoreError> {
  const top = cursor?.top ?? (to === head.number ? head : yield* snapshot.block(to))
  const block = yield* snapshot.block(last.block)
  if (top === null || block === null) return yield* Effect.die(new Error("A block of a page is not stored."))
  return {
    chainId: chain.id,
    wallet: key,
    order,
    requestedFrom: cursor?.requestedFrom ?? bounds.from,
    requestedTo: cursor?.requestedTo ?? bounds.to,
    from,
    to,
    page: (cursor?.page ?? 0) + 1,
    position: [last.block, last.index],
    positionHash: block.hash,
    top: { number: top.number, hash: top.hash },
  }
})

/** Refuses a projection whose rows are not derived of all blocks. Those of wallets' transactions are written with their blocks. */
const checkDerived = Effect.fnUntraced(function* (
  projection: Source,
  snapshot: Snapshot,
  chain: string,
  checkpoint: Checkpoint,
): Effect.fn.Return<void, NotDerived | StoreError> {
  if (projection.kind !== "ledger") return
  const found = yield* snapshot.projection(projection.id)
  const next = found?.revision === projection.revision ? found.next : null
  if (next === null || next <= checkpoint.head.number) return yield* new NotDerived({ chain, next, checkpoint })
})

/** Reads a page in one snapshot: coverage, cursor check, rows and the next cursor. */
const read = Effect.fnUntraced(function* <E>(
  projection: Source,
  snapshot: Snapshot,
  resolved: Resolved,
  { guard, internal }: Request<E>,
): Effect.fn.Return<Page, StoreError | StaleCursor | NotDerived | E> {
  const { bounds, chain, cursor, key, maxBytes, order, size } = resolved
  const checkpoint = yield* snapshot.checkpoint
  yield* guard(chain, checkpoint)
  const resumeFromBlock = cursor === undefined ? null : yield* reorgedFrom(snapshot, cursor)
  if (resumeFromBlock !== null) return yield* new StaleCursor({ resumeFromBlock, checkpoint })
  const missing = IndexCoverage.missingTransactions(yield* snapshot.gapCounts)
  const covered = checkpoint === null ? null : yield* coverageOf(snapshot, cursor, checkpoint)
  const page = { chain, rows: [], number: cursor?.page ?? 0, size, cursor: null, checkpoint: covered, missing }
  if (checkpoint === null) return page
  yield* checkDerived(projection, snapshot, chain.name, checkpoint)
  const from = cursor?.from ?? (yield* firstBlock(snapshot, bounds.from, checkpoint))
  const to = cursor?.to ?? (yield* lastBlock(snapshot, bounds.to, checkpoint))
  if (from === null || to === null || from > to) return page
  const after = cursor === undefined ? null : { block: cursor.position[0], index: cursor.position[1] }
  const query = { key, from, to, order, after, limit: size, maxBytes, internal }
  const { hasMore, rows } = yield* snapshot.page(projection, query)
  const last = rows.at(-1)
  if (!hasMore || last === undefined) return { ...page, rows }
  const next = yield* nextCursor(snapshot, resolved, { from, to }, last, checkpoint.head)
  return { ...page, rows, cursor: Cursor.toText(projection.id, next) }
})

/** Makes the reader of pages of a projection. */
export const make = (options: {
  readonly chains: ReadonlyArray<IndexedChain>
  readonly maxLimit: number
  /** Maximum size of the rows of a page, in bytes; a larger row is a page by itself. */
  readonly maxBytes: number
  readonly projection: Source
}) => {
  const { chains, maxBytes, maxLimit, projection } = options
  const find = ChainRegistry.finder(chains)

  const chainOf = (name: string | undefined, cursor: Cursor.Cursor | undefined) => {
    if (name !== undefined) return find(name)
    if (cursor !== undefined) return find(String(cursor.chainId))
    return Result.mapError(find(ChainRegistry.defaultName), () => ChainRegistry.defaultNotServed(chains))
  }

  /** Everything of a query that needs no database. */
  const resolve = (key: string, query: Parameters): Result.Result<Resolved, InvalidParameter> => {
    const bounds = boundsOf(query)
    if (Result.isFailure(bounds)) return Result.fail(bounds.failure)
    const size = sizeOf(query.limit, maxLimit)
    if (Result.isFailure(size)) return Result.fail(size.failure)
    const sent = query.cursor === undefined ? Result.succeed(undefined) : Cursor.fromText(projection.id, query.cursor)
    if (Result.isFailure(sent)) return Result.fail(sent.failure)
    const chain = chainOf(query.chain, sent.success)
    if (Result.isFailure(chain)) return Result.fail(InvalidParameter.fromChain(chain.failure))
    const cursor = cursorOf(key, chain.success, bounds.success, query, sent.success)
    if (Result.isFailure(cursor)) return Result.fail(cursor.failure)
    return Result.succeed({
      chain: chain.success,
      key,
      bounds: bounds.success,
      size: size.success,
      maxBytes,
      cursor: cursor.success,
      order: cursor.success?.order ?? query.order ?? "DESC",
    })
  }

  /**
   * Reads a page.
   *
   * **Errors**
   * - `InvalidParameter`: a parameter is refused, or the cursor belongs to another query.
   * - `StaleCursor`: the cursor refers to a block that was reorged.
   * - `NotDerived`: the rows of the projection are not derived of all blocks yet.
   * - `StoreError`: the database cannot be read.
   */
  return <E, Q extends Parameters>(
    query: Q & Handled<Q>,
    request: Request<E>,
  ): Effect.Effect<Page, InvalidParameter | StaleCursor | NotDerived | StoreError | E> => {
    const resolved = resolve(request.key, query)
    return Result.isFailure(resolved)
      ? Effect.fail(resolved.failure)
      : resolved.success.chain.reader.snapshot((snapshot) => read(projection, snapshot, resolved.success, request))
  }
}
