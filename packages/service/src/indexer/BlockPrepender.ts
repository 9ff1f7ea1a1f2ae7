/**
 * Indexes blocks below the first one, from the top down, while the indexer waits for new blocks at the head. Ranges are fetched in the
 * background, and no new one is started while the indexer is busy. The indexer itself stores them, each batch in one transaction, so that
 * readers see one contiguous range that grows downwards.
 *
 * Source: decision 0046.
 */
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type { LinkedBlock } from "../block/BlockRows.ts"
import type { ChainSession } from "../store/ChainSession.ts"
import type { WriteError } from "../store/ChainWriter.ts"
import type { CheckpointConflict, StoreError } from "../store/StoreError.ts"
import { InvalidBlock } from "../verification/InvalidBlock.ts"
import * as AppendBatch from "./AppendBatch.ts"
import * as RangeSource from "./backfill/RangeSource.ts"
import type * as BlockAppender from "./BlockAppender.ts"
import type * as BlockFetcher from "../fetch/BlockFetcher.ts"
import * as FailureDelay from "./FailureDelay.ts"
import type { Below, TurnError } from "./IndexerTurn.ts"
import * as PrependBatch from "./PrependBatch.ts"

/**
 * Dependencies and options of a prepender.
 */
export interface Options extends Omit<BlockAppender.Options, "onAppended"> {
  /** Longest delay after a connection failure, in milliseconds. */
  readonly maxDelayMillis: number
}

/**
 * Blocks could not be fetched, this many times in a row.
 */
export interface Failure {
  readonly _tag: "Failed"
  readonly error: TurnError
  readonly failures: number
}

/**
 * Indexes blocks below the first one.
 */
export interface BlockPrepender {
  /**
   * Waits, and meanwhile stores blocks fetched below the first one. Ends early when nothing is left, or when fetching fails, which it
   * reports once per failure.
   *
   * **Errors**
   * - `CheckpointConflict`, `LeaseLost`: another indexer has written, or holds the lease.
   * - `StoreError`: the database failed.
   */
  readonly during: (millis: number, below: Below) => Effect.Effect<Failure | null, WriteError | CheckpointConflict>
}

type Item = { readonly _tag: "Fetched"; readonly batch: PrependBatch.PrependBatch } | Failure

/** Blocks being fetched. */
interface Fetching extends Below {
  /** Lowest stored block, below which the next batch belongs. */
  first: LinkedBlock
  readonly items: Queue.Queue<Item>
}

interface Context extends Options {
  /** Open while ranges may be started. */
  readonly gate: Latch.Latch
}

/** The last block that could not be fetched. */
interface Obstacle {
  readonly block: number
  readonly failures: number
}

/** Fetching ends before the lowest block. */
interface Ended {
  readonly _tag: "Ended"
  readonly batch: PrependBatch.PrependBatch
  readonly block: number
  readonly error: TurnError
}

/** Lowest block reached by an attempt, and why it ended; `null` if it fetched all blocks. */
type Attempted = readonly [reached: LinkedBlock, ended: Ended | null]

/**
 * The first block of an index; `null` while it is empty.
 */
export const firstBlock = (store: Pick<ChainSession, "snapshot">): Effect.Effect<LinkedBlock | null, StoreError> =>
  store.snapshot(({ block, checkpoint }) =>
    Effect.flatMap(checkpoint, (found) => (found === null ? Effect.succeed(null) : block(found.first))),
  )

/** Hands over a batch, and starts the next one below it. */
const flush = Effect.fnUntraced(function* (items: Queue.Queue<Item>, batch: PrependBatch.PrependBatch) {
  if (batch.blocks.length > 0) yield* Queue.offer(items, { _tag: "Fetched", batch })
  return PrependBatch.make(PrependBatch.bottom(batch), yield* MonotonicClock.millis)
})

const end = (batch: PrependBatch.PrependBatch, block: number, error: TurnError): Effect.Effect<never, Ended> =>
  Effect.fail({ _tag: "Ended", batch, block, error })

/** Adds the blocks of a range to a batch, highest first, and hands the batch over whenever it is full. */
const take = Effect.fnUntraced(function* (
  { batchBlocks }: Context,
  items: Queue.Queue<Item>,
  before: PrependBatch.PrependBatch,
  from: number,
  { failure, rows }: BlockFetcher.FetchedRange,
): Effect.fn.Return<PrependBatch.PrependBatch, Ended> {
  let batch = before
  // Blocks below a missing one cannot be stored before it.
  if (failure !== null) return yield* end(batch, from + rows.length, failure)
  for (const row of rows.toReversed()) {
    const longer = PrependBatch.add(batch, row)
    if (longer === null) {
      const what = `it is not the parent of block ${PrependBatch.bottom(batch).number} of the index`
      return yield* end(batch, row.number, new InvalidBlock({ block: row.number, hash: row.hash, what }))
    }
    const isFull = AppendBatch.isFull(longer, yield* MonotonicClock.millis, batchBlocks)
    batch = isFull ? yield* flush(items, longer) : longer
  }
  return batch
})

/** The highest part of a range that is not planned yet, once the indexer waits; `undefined` at the end. */
const nextRange = Effect.fnUntraced(function* (
  { gate }: Context,
  source: RangeSource.RangeSource,
  from: number,
  to: number,
) {
  if (to < from) return undefined
  yield* gate.await
  const planned = yield* source.plan({ from, to }, "highest")
  return [planned, planned.from - 1] as const
})

/** Fetches the blocks below a given one, down to the obstacle; only the obstacle once it is the next block. */
const attempt = Effect.fnUntraced(function* (
  context: Context,
  { items, lowest, rules }: Fetching,
  above: LinkedBlock,
  obstacle: Obstacle | null,
): Effect.fn.Return<Attempted> {
  const { assembling, concurrency, node, rangeSource = RangeSource.local } = context
  const to = above.number - 1
  const isAlone = obstacle?.block === to
  const from = obstacle === null ? lowest : isAlone ? to : obstacle.block + 1
  const failures = isAlone ? obstacle.failures : 0
  const turn: RangeSource.Turn = { node, concurrency, assembling: { ...assembling, rules, failures } }
  const source = isAlone ? RangeSource.single(turn) : rangeSource(turn)
  const begin = yield* MonotonicClock.millis
  const { batch, ended } = yield* Stream.unfold(to, (at) => nextRange(context, source, from, at)).pipe(
    Stream.mapEffect(
      ({ fetch, from: lowestOfRange }) => Effect.map(fetch, (fetched) => [lowestOfRange, fetched] as const),
      { concurrency: source.concurrency },
    ),
    Stream.runFoldEffect(
      () => PrependBatch.make(above, begin),
      (batch, [lowestOfRange, fetched]) => take(context, items, batch, lowestOfRange, fetched),
    ),
    Effect.map((batch) => ({ batch, ended: null })),
    Effect.catchTag("Ended", (ended: Ended) => Effect.succeed({ batch: ended.batch, ended })),
  )
  const { above: reached } = yield* flush(items, batch)
  return [reached, ended]
})

/** Obstacle after an attempt, given the block it reached. */
const obstacleAfter = (before: Obstacle | null, reached: LinkedBlock, ended: Ended | null): Obstacle | null => {
  if (ended === null) return before !== null && before.block < reached.number ? before : null
  const { block } = ended
  return { block, failures: before?.block === block ? before.failures + 1 : 1 }
}

/** Fetches all blocks down to the lowest one, regardless of how often that fails. */
const fetchAll = Effect.fnUntraced(function* (context: Context, fetching: Fetching): Effect.fn.Return<void> {
  let above = fetching.first
  let obstacle: Obstacle | null = null
  while (above.number > fetching.lowest) {
    const [reached, ended]: Attempted = yield* attempt(context, fetching, above, obstacle)
    above = reached
    obstacle = obstacleAfter(obstacle, reached, ended)
    if (ended === null || obstacle === null) continue
    const { error } = ended
    const { failures }: Obstacle = obstacle
    yield* Queue.offer(fetching.items, { _tag: "Failed", error, failures })
    yield* Effect.sleep(FailureDelay.delayAfter(error, failures, context.maxDelayMillis))
  }
})

const isSame = (fetching: Fetching | null, { lowest, rules }: Below, first: LinkedBlock): fetching is Fetching =>
  fetching !== null && fetching.lowest === lowest && fetching.rules === rules && fetching.first.hash === first.hash

/**
 * Makes a prepender whose fetching ends with the scope.
 */
export const make = Effect.fnUntraced(function* (
  options: Options,
): Effect.fn.Return<BlockPrepender, never, Scope.Scope> {
  const context: Context = { ...options, gate: yield* Latch.make() }
  const { gate, reporter, store } = context
  const handle = yield* FiberHandle.make()
  let fetching: Fetching | null = null

  const stop = Effect.suspend(() => {
    fetching = null
    return FiberHandle.clear(handle)
  })

  const begin = Effect.fnUntraced(function* (below: Below, first: LinkedBlock) {
    const items = yield* Queue.bounded<Item>(1)
    const begun: Fetching = { ...below, first, items }
    yield* reporter.report({ _tag: "Prepending", first: first.number, to: below.lowest })
    // A defect is raised in the indexer.
    const fetch = Effect.onError(fetchAll(context, begun), (cause) => Queue.failCause(items, cause))
    yield* FiberHandle.run(handle, fetch)
    fetching = begun
    return begun
  })

  /** Stores a batch; false if a previous one was lost, so that it does not adjoin the first block. */
  const storeBatch = Effect.fnUntraced(function* (
    current: Fetching,
    { above, blocks, transactions }: PrependBatch.PrependBatch,
  ) {
    const [lowest] = blocks
    if (lowest === undefined || above.hash !== current.first.hash) return false
    yield* Effect.onError(store.prepend({ number: above.number, hash: above.hash }, blocks), () => stop)
    current.first = lowest
    const { number: first } = lowest
    yield* reporter.report({
      _tag: "Prepended",
      first,
      to: current.lowest,
      blocks: blocks.length,
      transactions,
    })
    return first > current.lowest
  })

  const storeUntil = Effect.fnUntraced(function* (current: Fetching, until: number) {
    for (let now = yield* MonotonicClock.millis; now < until; now = yield* MonotonicClock.millis) {
      const item = yield* Effect.timeoutOption(Queue.take(current.items), until - now)
      if (Option.isNone(item)) return null
      if (item.value._tag === "Failed") return item.value
      if (!(yield* storeBatch(current, item.value.batch))) {
        yield* stop
        return null
      }
    }
    return null
  })

  return {
    during: Effect.fnUntraced(function* (millis, below) {
      const until = (yield* MonotonicClock.millis) + millis
      const first = yield* firstBlock(store)
      if (first === null || first.number <= below.lowest) {
        yield* Effect.sleep(millis)
        return null
      }
      const current = isSame(fetching, below, first) ? fetching : yield* begin(below, first)
      yield* gate.open
      return yield* Effect.ensuring(storeUntil(current, until), gate.close)
    }),
  }
})
