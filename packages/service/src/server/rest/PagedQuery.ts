/**
 * Pages of the rows of one key (a wallet, a token) in a projection: range, cursor, coverage and the position of the next page.
 * Everything that a page needs of the database is read in one snapshot. It knows neither HTTP nor what a row holds.
 *
 * Source: docs/interface.md#4.1; decisions 0008 and 0011.
 */
import type * as WalletQuery from "@daybook/schema/WalletQuery"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ChainRegistry from "../../config/ChainRegistry.ts"
import * as ServedChain from "../../config/ServedChain.ts"
import type { Projection } from "../../block/Projection.ts"
import type { BlockRef, Checkpoint } from "../../block/BlockRows.ts"
import type { PageQuery, PageRow, Snapshot, SnapshotOptions } from "../../store/ChainReader.ts"
import * as WalletLedger from "../../projection/WalletLedger.ts"
import * as StoreError from "../../store/StoreError.ts"
import * as WatchList from "../../store/WatchList.ts"
import type { IndexedChain } from "../chain/IndexedChain.ts"
import * as BlockRange from "./BlockRange.ts"
import * as Cursor from "./Cursor.ts"
import * as IndexCoverage from "./IndexCoverage.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"

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

/** What rows are read of a source. */
export interface SourceQuery extends Omit<PageQuery, "after"> {
  /** Rows begin after this one, in the order of the page. */
  readonly after: Cursor.Position | null
  /** The last part of that row that was sent, where it is sent in parts. */
  readonly part: number | undefined
  readonly filter: Cursor.Filter
}

/** The rows that fit a page. */
export interface SourceRows<Row> {
  readonly rows: ReadonlyArray<Row>
  /** Where the next page begins; `null` where nothing is left. */
  readonly next: { readonly after: Cursor.Position; readonly part?: number } | null
}

/** Rows of a projection, and how they are read. */
export interface Source<Row> extends Pick<Projection, "id" | "kind" | "revision"> {
  /** Names its cursors. */
  readonly cursor: string
  readonly read: (
    snapshot: Snapshot,
    query: SourceQuery,
  ) => Effect.Effect<SourceRows<Row>, StoreError.StoreError | InvalidParameter>
}

/** The rows of a projection themselves. */
export const sourceOf = (projection: Pick<Projection, "id" | "kind" | "revision">): Source<PageRow> => ({
  ...projection,
  cursor: projection.id,
  read: (snapshot, { after, ...query }) =>
    Effect.map(
      snapshot.page(projection, { ...query, after: after === null ? null : { block: after[0], index: after[1] } }),
      ({ hasMore, rows }) => {
        const last = rows.at(-1)
        return { rows, next: hasMore && last !== undefined ? { after: [last.block, last.index] } : null }
      },
    ),
})

/** What to read. */
export interface Request<E> {
  /** Lower case. */
  readonly key: string
  /** True: internal transactions are read too. */
  readonly internal: boolean
  /** What selects rows; a cursor has its own. */
  readonly filter?: Cursor.Filter
  /** Refuses a key that the index of the chain does not cover. */
  readonly guard: (chain: IndexedChain, checkpoint: Checkpoint | null) => Effect.Effect<void, E>
}

/** A page. */
export interface Page<Row> {
  readonly chain: IndexedChain
  readonly rows: ReadonlyArray<Row>
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
  /** Last block at which the ledger of the key was proved; `null` while there is none. */
  readonly reconciledTo: number | null
  /** The chain does not change the page any more: its list ends with a final block, and nothing of the index is missing. */
  readonly isFixed: boolean
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

const sizeOf = (limit: number | undefined, maxLimit: number): Result.Result<number, InvalidParameter> => {
  if (limit === undefined || limit <= maxLimit) return Result.succeed(limit ?? maxLimit)
  const expected = `a whole number from 1 to ${maxLimit}`
  return Result.fail(InvalidParameter.fromIssue({ path: "limit", expected, received: `"${limit}"` }))
}

/**
 * The first block whose rows may have changed since the cursor was made; `null` while both of its blocks are stored.
 *
 * **Errors**
 * - `StoreError`, retryable: the state is an earlier one than that of the cursor, and has not reached its blocks.
 *
 * Source: decision 0011.
 */
const reorgedFrom = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  chain: string,
  { position, positionHash, serial, top }: Cursor.Cursor,
): Effect.fn.Return<number | null, StoreError.StoreError> {
  const refs: ReadonlyArray<BlockRef> = [{ number: position[0], hash: positionHash }, top]
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

/**
 * The checkpoint that a page states. The list of a cursor begins with a block that was resolved for its first page: blocks that were
 * indexed below it since are not part of it.
 */
const coverageOf = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  cursor: Cursor.Cursor | undefined,
  checkpoint: Checkpoint,
): Effect.fn.Return<Checkpoint, StoreError.StoreError> {
  if (cursor === undefined) return checkpoint
  const from = (yield* BlockRange.firstBlock(snapshot, cursor.requestedFrom, checkpoint)) ?? cursor.from
  return from < cursor.from ? { ...checkpoint, first: cursor.from } : checkpoint
})

const isFinal = (block: number, { finalized }: Checkpoint): boolean => finalized !== null && block <= finalized

/**
 * Whether the blocks of a list stay as they are: its last block is stated and final, and no blocks can be added below its first one. Dates
 * state neither, as only blocks around them do.
 */
const isFixedRange = (
  { bounds, chain, cursor }: Pick<Resolved, "bounds" | "chain" | "cursor">,
  checkpoint: Checkpoint,
): boolean => {
  const numberOf = (bound: Cursor.RequestedBound) => (bound._tag === "Block" ? bound.block : undefined)
  const [first, last] = [cursor?.from ?? numberOf(bounds.from), cursor?.top.number ?? numberOf(bounds.to)]
  const begins = checkpoint.first === 0 || (first !== undefined && first >= checkpoint.first)
  return begins && last !== undefined && isFinal(last, checkpoint) && !ServedChain.mayRewind(chain)
}

/** A query without its database part. */
interface Resolved {
  readonly chain: IndexedChain
  readonly key: string
  readonly bounds: BlockRange.Bounds
  readonly size: number
  readonly maxBytes: number
  readonly cursor: Cursor.Cursor | undefined
  readonly order: WalletQuery.Order
  readonly filter: Cursor.Filter
}

/** The cursor that a query sends, compared with the rest of the query; undefined on the first page. */
const cursorOf = (
  key: string,
  chain: IndexedChain,
  bounds: BlockRange.Bounds,
  { order }: Parameters,
  filter: Cursor.Filter,
  sent: Cursor.Cursor | undefined,
): Result.Result<Cursor.Cursor | undefined, InvalidParameter> =>
  sent === undefined
    ? Result.succeed(undefined)
    : Cursor.match(sent, { chainId: chain.id, wallet: key, order, from: bounds.from, to: bounds.to, filter })

/** The cursor behind a row. */
const nextCursor = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  { bounds, chain, cursor, filter, key, order }: Resolved,
  { from, to }: Pick<PageQuery, "from" | "to">,
  { after, part }: NonNullable<SourceRows<unknown>["next"]>,
  checkpoint: Checkpoint,
): Effect.fn.Return<Cursor.Cursor, StoreError.StoreError> {
  const { head } = checkpoint
  const top = cursor?.top ?? (to === head.number ? head : yield* snapshot.block(to))
  const block = yield* snapshot.block(after[0])
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
    position: after,
    positionHash: block.hash,
    top: { number: top.number, hash: top.hash },
    serial: isFinal(top.number, checkpoint) ? Cursor.finalSerial : snapshot.serial,
    filter,
    ...(part === undefined ? {} : { part }),
  }
})

/** Refuses a projection whose rows are not derived of all blocks. Those of wallets' transactions are written with their blocks. */
export const checkDerived = Effect.fnUntraced(function* (
  projection: Pick<Projection, "id" | "kind" | "revision">,
  snapshot: Snapshot,
  chain: string,
  checkpoint: Checkpoint,
): Effect.fn.Return<void, NotDerived | StoreError.StoreError> {
  if (projection.kind !== "ledger") return
  const next = WalletLedger.nextOf(yield* snapshot.projection(projection.id))
  if (next === null || next <= checkpoint.head.number) return yield* new NotDerived({ chain, next, checkpoint })
})

/** Reads a page in one snapshot: coverage, cursor check, rows and the next cursor. */
const read = Effect.fnUntraced(function* <Row, E>(
  source: Source<Row>,
  snapshot: Snapshot,
  resolved: Resolved,
  { guard, internal }: Request<E>,
): Effect.fn.Return<Page<Row>, StoreError.StoreError | InvalidParameter | StaleCursor | NotDerived | E> {
  const { bounds, chain, cursor, filter, key, maxBytes, order, size } = resolved
  const found = yield* snapshot.checkpoint
  yield* guard(chain, found)
  const checkpoint = found && WatchList.ofWallet(found, key)
  const resumeFromBlock = cursor === undefined ? null : yield* reorgedFrom(snapshot, chain.name, cursor)
  if (resumeFromBlock !== null) return yield* new StaleCursor({ resumeFromBlock, checkpoint })
  const gaps = yield* snapshot.gapCounts
  const missing = IndexCoverage.missingTransactions(gaps)
  const covered = checkpoint === null ? null : yield* coverageOf(snapshot, cursor, checkpoint)
  const reconciledTo = yield* snapshot.reconciledTo(key)
  const state = { checkpoint: covered, missing, reconciledTo }
  const isFixed =
    checkpoint !== null &&
    source.kind !== "ledger" &&
    Object.values(gaps).every((count) => count === 0) &&
    isFixedRange(resolved, checkpoint)
  const page = { chain, rows: [], number: cursor?.page ?? 0, size, cursor: null, isFixed, ...state }
  if (checkpoint === null) return page
  yield* checkDerived(source, snapshot, chain.name, checkpoint)
  const from = cursor?.from ?? (yield* BlockRange.firstBlock(snapshot, bounds.from, checkpoint))
  const to = cursor?.to ?? (yield* BlockRange.lastBlock(snapshot, bounds.to, checkpoint))
  if (from === null || to === null || from > to) return page
  const after = cursor?.position ?? null
  const range = { key, from, to, order, after, part: cursor?.part, filter, limit: size, maxBytes, internal }
  const { next, rows } = yield* source.read(snapshot, range)
  if (next === null) return { ...page, rows }
  const made = yield* nextCursor(snapshot, resolved, { from, to }, next, checkpoint)
  return { ...page, rows, cursor: Cursor.toText(source.cursor, made) }
})

/** Finds the chain of a query; one that it leaves out is the default. */
export const chainFinder = <C extends ServedChain.ServedChain>(chains: ReadonlyArray<C>) => {
  const find = ChainRegistry.finder(chains)
  return (name: string | undefined) =>
    name === undefined
      ? Result.mapError(find(ChainRegistry.defaultName), () => ChainRegistry.defaultNotServed(chains))
      : find(name)
}

/** Which snapshot to read, any for a first page and at least the cursor's for a later one, and what the page reads there. */
const optionsOf = ({ cursor, key: wallet }: Resolved): SnapshotOptions => {
  if (cursor === undefined) return { atLeast: 0, expected: { wallet } }
  const expected = { wallet, blocks: [cursor.position[0], cursor.top.number] }
  return { atLeast: cursor.serial === Cursor.finalSerial ? 0 : cursor.serial, expected }
}

/** Makes the reader of pages of a source. */
export const make = <Row>(options: {
  readonly chains: ReadonlyArray<IndexedChain>
  readonly maxLimit: number
  /** Maximum size of the rows of a page, in bytes; a larger row is a page by itself. */
  readonly maxBytes: number
  readonly source: Source<Row>
}) => {
  const { chains, maxBytes, maxLimit, source } = options
  const find = ChainRegistry.finder(chains)
  const named = chainFinder(chains)

  const chainOf = (name: string | undefined, cursor: Cursor.Cursor | undefined) =>
    name === undefined && cursor !== undefined ? find(String(cursor.chainId)) : named(name)

  /** Everything of a query that needs no database. */
  const resolve = (
    key: string,
    query: Parameters,
    filter: Cursor.Filter,
  ): Result.Result<Resolved, InvalidParameter> => {
    const bounds = BlockRange.boundsOf(query)
    if (Result.isFailure(bounds)) return Result.fail(bounds.failure)
    const size = sizeOf(query.limit, maxLimit)
    if (Result.isFailure(size)) return Result.fail(size.failure)
    const sent = query.cursor === undefined ? Result.succeed(undefined) : Cursor.fromText(source.cursor, query.cursor)
    if (Result.isFailure(sent)) return Result.fail(sent.failure)
    const chain = chainOf(query.chain, sent.success)
    if (Result.isFailure(chain)) return Result.fail(InvalidParameter.fromChain(chain.failure))
    const cursor = cursorOf(key, chain.success, bounds.success, query, filter, sent.success)
    if (Result.isFailure(cursor)) return Result.fail(cursor.failure)
    return Result.succeed({
      chain: chain.success,
      key,
      bounds: bounds.success,
      size: size.success,
      maxBytes,
      cursor: cursor.success,
      order: cursor.success?.order ?? query.order ?? "DESC",
      filter: cursor.success === undefined ? filter : (cursor.success.filter ?? {}),
    })
  }

  /**
   * Reads a page.
   *
   * **Errors**
   * - `InvalidParameter`: a parameter is refused, or the cursor belongs to another query.
   * - `StaleCursor`: the cursor refers to a block that was reorged.
   * - `NotDerived`: the rows of the projection are not derived of all blocks yet.
   * - `StoreError`: the database cannot be read, or has not reached the blocks of the cursor.
   */
  return <E, Q extends Parameters>(
    query: Q & Handled<Q>,
    request: Request<E>,
  ): Effect.Effect<Page<Row>, InvalidParameter | StaleCursor | NotDerived | StoreError.StoreError | E> => {
    const resolved = resolve(request.key, query, request.filter ?? {})
    if (Result.isFailure(resolved)) return Effect.fail(resolved.failure)
    const { chain } = resolved.success
    return chain.reader.snapshot(
      (snapshot) => read(source, snapshot, resolved.success, request),
      optionsOf(resolved.success),
    )
  }
}
