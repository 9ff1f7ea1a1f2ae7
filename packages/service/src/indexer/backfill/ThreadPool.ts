/**
 * Fetches the ranges of a backfill in several threads. The indexer orders the results, verifies that they are linked, and is the only
 * writer.
 *
 * Threads are started for a long range, and stopped after a time without ranges. A range that a thread cannot fetch is fetched over the
 * indexer's connection.
 *
 * Source: decision 0026.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import * as HashRules from "../../verification/HashRules.ts"
import type { FetchedRange } from "../../fetch/BlockFetcher.ts"
import * as PoolState from "./PoolState.ts"
import * as RangeFetcher from "./RangeFetcher.ts"
import * as RangeSource from "./RangeSource.ts"
import type * as RangeWorker from "./RangeWorker.ts"
import { type Thread, ThreadLost } from "./Thread.ts"

/**
 * Parts of a pool.
 */
export interface Options {
  /** Number of threads, at least 1. */
  readonly threads: number
  /** Starts one of them. */
  readonly start: () => Result.Result<Thread, ThreadLost>
  /**
   * Threads are not started for fewer blocks, below the head or below the first one, because their start takes longer than they save.
   * Default 0.
   */
  readonly minBlocks?: number | undefined
}

/**
 * A pool of threads.
 */
export interface ThreadPool {
  /** Number of running threads. */
  readonly running: () => number
  /** Source of one turn's ranges. */
  readonly source: (turn: RangeSource.Turn) => RangeSource.RangeSource
}

/** Number of ranges that one thread fetches concurrently. */
const rangesPerThread = 4
/** Time after which a thread that has not returned a range is pinged, and time limit for its response. */
const pingMillis = 15_000
const hungMillis = 60_000
/** Time without a range after which the threads are stopped. */
const idleMillis = 30_000

/** The running threads, by index. */
interface Context extends Options {
  state: PoolState.PoolState
  readonly running: Map<number, Thread>
  usedAtMillis: number
}

const apply = (context: Context, input: PoolState.Input): void => {
  context.state = PoolState.step(context.state, input)
}

/** Thread at an index. It is started in a single step, so that two ranges do not start two threads. */
const threadAt = ({ running, start }: Context, index: number): Result.Result<Thread, ThreadLost> => {
  const thread = running.get(index)
  if (thread !== undefined) return Result.succeed(thread)
  const started = start()
  if (Result.isSuccess(started)) running.set(index, started.success)
  return started
}

const stopAll = ({ running }: Context): Effect.Effect<void> =>
  Effect.suspend(() => {
    const threads = [...running.values()]
    running.clear()
    return Effect.forEach(threads, ({ stop }) => stop, { concurrency: "unbounded", discard: true })
  })

/** Ends a lost thread, once; `undefined` means that it did not start. */
const lose = Effect.fnUntraced(function* (
  context: Context,
  index: number,
  thread: Thread | undefined,
  error: ThreadLost,
) {
  const nowMillis = yield* MonotonicClock.millis
  apply(context, { _tag: "Lost", index, nowMillis })
  if (context.running.get(index) !== thread) return
  context.running.delete(index)
  if (thread !== undefined) yield* thread.stop
  const text = error.message.replace(/[.\s]+$/, "")
  yield* Effect.logWarning(`A backfill thread ended: ${text}. Its ranges are fetched without it.`)
})

/** Fails once a thread does not respond. A range of a slow node takes as long as it needs, and blocks that arrive meanwhile are reported. */
const watch = ({ ping }: Thread, onFetched: Effect.Effect<void>): Effect.Effect<never, ThreadLost> => {
  const hung = Effect.fail(new ThreadLost({ message: `no response for ${hungMillis / 1000} s` }))
  let known = 0
  const probe = Effect.flatMap(Effect.timeoutOrElse(ping, { duration: hungMillis, orElse: () => hung }), (fetched) => {
    const isMore = fetched > known
    known = fetched
    return isMore ? onFetched : Effect.void
  })
  return Effect.forever(Effect.andThen(Effect.sleep(pingMillis), probe))
}

/** Rows of a range from a thread; empty if it is lost. */
const fetchIn = (
  context: Context,
  index: number,
  request: RangeWorker.Request,
  { onDeviation = () => Effect.void, onFetched = Effect.void }: RangeSource.Turn["assembling"],
): Effect.Effect<RangeWorker.Response["rows"]> => {
  const use = Effect.gen(function* () {
    const started = threadAt(context, index)
    const thread = Result.isSuccess(started) ? started.success : undefined
    const asked = Effect.flatMap(Effect.fromResult(started), (found) =>
      Effect.raceFirst(found.fetch(request), watch(found, onFetched)),
    )
    const { deviations, rows, size } = yield* Effect.tapError(asked, (error) => lose(context, index, thread, error))
    if (rows.length > 0) yield* onFetched
    const nowMillis = yield* MonotonicClock.millis
    apply(context, size === null ? { _tag: "Declined", index, nowMillis } : { _tag: "Answered", index, size })
    for (const found of deviations) yield* onDeviation(found.block, found.deviations)
    return rows
  })
  return Effect.suspend(() => {
    apply(context, { _tag: "Assigned", index })
    return use
  }).pipe(
    Effect.onInterrupt(() => Effect.sync(() => apply(context, { _tag: "Interrupted", index }))),
    Effect.orElseSucceed(() => []),
  )
}

/** Fetches the rest of a range over the indexer's connection. */
const complete = Effect.fnUntraced(function* (
  { assembling, node }: RangeSource.Turn,
  { from, to }: RangeFetcher.BlockRange,
  rows: RangeWorker.Response["rows"],
): Effect.fn.Return<FetchedRange> {
  const next = from + rows.length
  if (next > to) return { rows, failure: null }
  const rest = yield* RangeFetcher.run(node, { from: next, to }, assembling)
  return { rows: [...rows, ...rest.rows], failure: rest.failure }
})

const fetchRange = Effect.fnUntraced(function* (
  context: Context,
  turn: RangeSource.Turn,
  range: RangeFetcher.BlockRange,
): Effect.fn.Return<FetchedRange> {
  const now = yield* MonotonicClock.millis
  context.usedAtMillis = now
  const index = PoolState.next(context.state, now)
  const traces = yield* Effect.orElseSucceed(turn.node.traceSource, () => null)
  if (index === null || traces === null) return yield* complete(turn, range, [])
  const { ledger, rules = HashRules.none, watch = null } = turn.assembling
  const request = { ...range, rules, isTraced: traces !== "off", watch, hasLedger: ledger !== undefined }
  return yield* complete(turn, range, yield* fetchIn(context, index, request, turn.assembling))
})

/** True if a range is left to the threads: they are running, or enough blocks remain, up to the head or in the range, to start them. */
const isForThreads = (
  { minBlocks = 0, running }: Context,
  { node }: RangeSource.Turn,
  { from, to }: RangeFetcher.BlockRange,
  end: RangeSource.End,
): boolean => running.size > 0 || (end === "highest" ? to - from >= minBlocks : node.isSettled(from + minBlocks))

const sourceOf = (context: Context, turn: RangeSource.Turn): RangeSource.RangeSource => {
  const local = RangeSource.local(turn)
  return {
    concurrency: Math.max(local.concurrency, context.threads * rangesPerThread),
    plan: Effect.fnUntraced(function* (range, end) {
      if (!isForThreads(context, turn, range, end)) return yield* local.plan(range, end)
      const index = PoolState.next(context.state, yield* MonotonicClock.millis)
      if (index === null) return yield* local.plan(range, end)
      const part = RangeSource.partOf(range, context.state[index]!.size, end)
      // Near the head a single node is used, for consistency.
      if (!turn.node.isSettled(part.to)) return yield* local.plan(range, end)
      return { ...part, fetch: fetchRange(context, turn, part) }
    }),
  }
}

const stopWhenIdle = (context: Context): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Effect.sleep(idleMillis)
    const isIdle = (yield* MonotonicClock.millis) - context.usedAtMillis > idleMillis
    if (isIdle && context.state.every(({ ranges }) => ranges === 0)) yield* stopAll(context)
  })

/**
 * Makes a pool whose threads end with the scope. None is started yet.
 */
export const make = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<ThreadPool, never, Scope.Scope> {
  const context: Context = {
    ...options,
    state: PoolState.make(options.threads),
    running: new Map(),
    usedAtMillis: 0,
  }
  yield* Effect.addFinalizer(() => stopAll(context))
  yield* Effect.forkScoped(Effect.forever(stopWhenIdle(context)))
  return { running: () => context.running.size, source: (turn) => sourceOf(context, turn) }
})
