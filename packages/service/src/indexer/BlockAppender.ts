/**
 * Fetches ranges of blocks concurrently and appends them in order. Stops at the first block that does not extend the previous one, and
 * after the time limit of a turn.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type { Node } from "../node/Node.ts"
import type { BlockRef, BlockRows } from "../block/BlockRows.ts"
import type { ChainSession } from "../store/ChainSession.ts"
import type { CheckpointConflict, LeaseLost, StoreError } from "../store/StoreError.ts"
import * as AppendBatch from "./AppendBatch.ts"
import type * as BlockFetcher from "../fetch/BlockFetcher.ts"
import * as RangeSource from "./backfill/RangeSource.ts"
import type { Extend, TurnError } from "./IndexerTurn.ts"
import type { StatusReporter } from "./StatusReporter.ts"

/**
 * Dependencies and options of an appender.
 */
export interface Options {
  readonly node: Node
  readonly store: ChainSession
  readonly reporter: StatusReporter
  /** Runs after each append: renews the lease. */
  readonly onAppended: Effect.Effect<unknown, StoreError>
  /** Receives appended blocks. Default: nothing. */
  readonly onRows?: ((blocks: ReadonlyArray<BlockRows>) => Effect.Effect<void>) | undefined
  /** Runs whenever blocks were fetched. Default: nothing. */
  readonly onFetched?: Effect.Effect<void>
  readonly assembling: BlockFetcher.Options
  /** Maximum number of ranges fetched concurrently. */
  readonly concurrency: number
  /** Maximum number of blocks stored in one transaction. Default 100. */
  readonly batchBlocks?: number | undefined
  /** Where ranges come from. Default: `RangeSource.local`. */
  readonly rangeSource?: ((turn: RangeSource.Turn) => RangeSource.RangeSource) | undefined
}

/** Ranges of at most this many blocks count as the head of the chain: each block is appended, and thus served, at once. */
const headBlocks = 8

/** The range ends early, at a block that does not extend the batch or could not be fetched. */
interface Ended {
  readonly _tag: "Ended"
  readonly batch: AppendBatch.AppendBatch
  readonly reason:
    | { readonly _tag: "Broken"; readonly found: BlockRef }
    | { readonly _tag: "Failed"; readonly error: TurnError }
}

/** Time after which a turn starts no new range; meanwhile, only the head of the node is polled. */
const turnMillis = 30_000

/** The range that starts with a block; `undefined` at the end of the blocks or of the turn. */
const nextRange = Effect.fnUntraced(function* (
  source: RangeSource.RangeSource,
  at: number,
  { from, to }: Extend,
  begin: number,
) {
  if (at > to || (at > from && (yield* MonotonicClock.millis) - begin > turnMillis)) return undefined
  const planned = yield* source.plan({ from: at, to }, "lowest")
  return [planned, planned.to + 1] as const
})

/** Appends a batch and starts the next one. */
const flush = Effect.fnUntraced(function* (
  { onAppended, onRows, reporter, store }: Options,
  { first }: Extend,
  batch: AppendBatch.AppendBatch,
): Effect.fn.Return<AppendBatch.AppendBatch, StoreError | CheckpointConflict | LeaseLost> {
  const { blocks, tip, transactions } = batch
  const head = AppendBatch.head(batch)
  const next = AppendBatch.make(head, yield* MonotonicClock.millis)
  if (blocks.length === 0 || head === null) return next
  yield* store.append(tip, blocks)
  yield* reporter.report({ _tag: "Indexed", first, head: head.number, blocks: blocks.length, transactions })
  yield* onAppended
  if (onRows !== undefined) yield* onRows(blocks)
  return next
})

/** Adds fetched blocks to a batch, and appends it whenever it is full. */
const take = Effect.fnUntraced(function* (
  options: Options,
  extend: Extend,
  before: AppendBatch.AppendBatch,
  { failure, rows }: BlockFetcher.FetchedRange,
): Effect.fn.Return<AppendBatch.AppendBatch, Ended | StoreError | CheckpointConflict | LeaseLost> {
  const isAtHead = extend.to - extend.from < headBlocks
  let batch = before
  for (const block of rows) {
    const longer = AppendBatch.add(batch, block)
    if (longer === null) return yield* ended(batch, { _tag: "Broken", found: block })
    batch = longer
    if (isAtHead || AppendBatch.isFull(batch, yield* MonotonicClock.millis, options.batchBlocks))
      batch = yield* flush(options, extend, batch)
  }
  return failure === null ? batch : yield* ended(batch, { _tag: "Failed", error: failure })
})

const ended = (batch: AppendBatch.AppendBatch, reason: Ended["reason"]): Effect.Effect<never, Ended> =>
  Effect.fail({ _tag: "Ended", batch, reason })

/**
 * Appends the blocks of a range within the time limit of a turn. Returns the first block that does not extend its predecessor, or `null` if
 * all do. Blocks fetched before a failure are appended.
 *
 * **Errors**
 * - `NodeFailed`, `WrongChain`, `BlockNotFound`, `InvalidBlock`: a block could not be fetched.
 * - `CheckpointConflict`, `LeaseLost`: another indexer has written, or holds the lease.
 * - `StoreError`: the database failed.
 */
export const run = Effect.fn("BlockAppender.run")(function* (
  options: Options,
  extend: Extend,
): Effect.fn.Return<BlockRef | null, TurnError> {
  const { concurrency, node, onFetched = Effect.void, rangeSource = RangeSource.local } = options
  const { failures = 0, from, rules, tip, to } = extend
  const turn: RangeSource.Turn = {
    node,
    concurrency,
    assembling: { ...options.assembling, rules, failures, onFetched },
  }
  const source = to - from < headBlocks ? RangeSource.single(turn) : rangeSource(turn)
  const begin = yield* MonotonicClock.millis
  const { batch, reason } = yield* Stream.unfold(from, (at) => nextRange(source, at, extend, begin)).pipe(
    Stream.mapEffect(({ fetch }) => fetch, { concurrency: source.concurrency }),
    Stream.runFoldEffect(
      () => AppendBatch.make(tip, begin),
      (batch, fetched) => take(options, extend, batch, fetched),
    ),
    Effect.map((batch) => ({ batch, reason: null })),
    Effect.catchTag("Ended", (end) => Effect.succeed(end)),
  )
  yield* flush(options, extend, batch)
  if (reason?._tag === "Failed") return yield* Effect.fail(reason.error)
  return reason === null ? null : reason.found
})
