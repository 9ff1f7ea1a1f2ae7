/** A pool whose threads run in this one: the order of their responses, what they lack, and their end. */
import { describe, it } from "@effect/vitest"
import { Effect, Logger, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import * as BlockAppender from "../../../src/indexer/BlockAppender.ts"
import * as BlockAssembler from "../../../src/fetch/BlockAssembler.ts"
import * as RangeWorker from "../../../src/indexer/backfill/RangeWorker.ts"
import { type Thread, ThreadLost } from "../../../src/indexer/backfill/Thread.ts"
import * as ThreadPool from "../../../src/indexer/backfill/ThreadPool.ts"
import * as StatusReporter from "../../../src/indexer/StatusReporter.ts"
import * as BatchFetcher from "../../../src/node/BatchFetcher.ts"
import type { Node } from "../../../src/node/Node.ts"
import type { BlockRows } from "../../../src/block/BlockRows.ts"
import * as ChainSession from "../../../src/store/ChainSession.ts"
import * as Engine from "../../../src/store/Engine.ts"
import * as Deviation from "../../../src/block/Deviation.ts"
import * as HashRules from "../../../src/verification/HashRules.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"
import { decoder } from "../chain.ts"
import { emptyBlock, hashOf } from "../emptyBlocks.ts"

const assembling = { decoder, checks: "links" } as const

const rowsOf = (number: number, parentHash?: string): BlockRows => {
  const rows = BlockAssembler.assemble(
    { block: emptyBlock(number, parentHash === undefined ? {} : { parentHash }), receipts: [], traces: null },
    assembling,
  )
  // Sound: the fixture is valid.
  return (rows as Extract<typeof rows, { readonly _tag: "Success" }>).success
}

const allRows = ({ from, to }: RangeWorker.Request): ReadonlyArray<BlockRows> =>
  Array.from({ length: to - from + 1 }, (_, index) => rowsOf(from + index))

/** All rows of a range, from nodes with this batch size. */
const responding = (request: RangeWorker.Request, size: number): Effect.Effect<RangeWorker.Response> =>
  Effect.succeed({ rows: allRows(request), size, deviations: [] })

type Behaviour = (request: RangeWorker.Request) => Effect.Effect<RangeWorker.Response, ThreadLost>

const lost = Effect.fail(new ThreadLost({ message: "exit code 1" }))

interface Settings {
  readonly threads?: number
  readonly settledTo?: number
  readonly ping?: Thread["ping"]
  readonly cannotStart?: boolean
  readonly minBlocks?: number
}

/** An appender over an empty store, whose ranges are fetched by threads with the given behaviour. */
const setup = Effect.fnUntraced(function* (behaviour: Behaviour, settings: Settings = {}) {
  const { cannotStart = false, ping = Effect.succeed(0), minBlocks, settledTo = 1_000, threads = 2 } = settings
  const database = yield* Engine.fromUrl(`sqlite:${yield* temporaryFolder}`, "/")
  const store = yield* ChainSession.open(database, { chain: { name: "test", id: 1 }, owner: "one", leaseMillis: 5_000 })
  yield* store.holdLease
  const alone: Array<number> = []
  const requests: Array<readonly [number, number]> = []
  const counts = { started: 0, stopped: 0 }
  let progress = 0
  // Sound: nothing else of a node is called for blocks without transactions.
  const node = {
    batchFetcher: () => Effect.succeed(BatchFetcher.none),
    block: (number: number) => Effect.sync(() => (alone.push(number), emptyBlock(number))),
    receipts: () => Effect.succeed([]),
    traces: () => Effect.succeed(null),
    latencyMillis: () => 0,
    isSettled: (number: number) => number <= settledTo,
    traceSource: Effect.succeed("off"),
  } as unknown as Node
  const pool = yield* ThreadPool.make({
    threads,
    minBlocks,
    start: () => {
      counts.started += 1
      if (cannotStart) return Result.fail(new ThreadLost({ message: "no thread can be started" }))
      return Result.succeed({
        ping,
        fetch: (request) =>
          Effect.suspend(() => {
            requests.push([request.from, request.to])
            return behaviour(request)
          }),
        stop: Effect.sync(() => void (counts.stopped += 1)),
      })
    },
  })
  const options: BlockAppender.Options = {
    node,
    store,
    rangeSource: pool.source,
    concurrency: 2,
    assembling: {
      ...assembling,
      onDeviation: Deviation.makeLog().report,
    },
    reporter: yield* StatusReporter.make({
      store,
      onEvent: () => Effect.void,
    }),
    onAppended: Effect.void,
    onFetched: Effect.sync(() => void (progress += 1)),
  }
  const run = (from: number, to: number) =>
    BlockAppender.run(options, {
      tip:
        from === 1
          ? null
          : {
              number: from - 1,
              hash: hashOf(from - 1),
            },
      _tag: "Extend",
      from,
      to,
      first: 1,
      nodeHead: to,
      rules: HashRules.none,
      isRetry: false,
    })
  const hashes = (from: number, to: number) => Effect.map(store.headers(from, to), (all) => all.map(({ hash }) => hash))
  const headOf = store.snapshot((snapshot) => Effect.map(snapshot.checkpoint, (found) => found?.head.number ?? null))
  const fetchBelow = Effect.fnUntraced(function* (from: number, to: number) {
    const source = pool.source({ node, assembling: options.assembling, concurrency: 2 })
    const planned = yield* source.plan({ from, to }, "highest")
    return yield* planned.fetch
  })
  return { run, fetchBelow, alone, requests, counts, hashes, headOf, running: pool.running, progress: () => progress }
})

/** Runs an effect while time passes. */
const passing = <A, E, R>(millis: number, effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(effect, Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust(millis))))

const expected = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => hashOf(from + index))

describe("ThreadPool", () => {
  it.effect("source: assigns each range to a thread, with as many blocks as its nodes accept at once", () =>
    Effect.gen(function* () {
      const { alone, hashes, requests, run } = yield* setup((request) => responding(request, 20), { threads: 1 })

      expect(yield* run(1, 100)).toBe(null)
      expect(yield* hashes(1, 100)).toEqual(expected(1, 100))
      expect(requests.every(([from, to]) => to - from < 20)).toBe(true)
      expect(requests.some(([from, to]) => to - from === 19)).toBe(true)
      expect(alone).toEqual([])
    }),
  )

  it.effect.prop(
    "source: the stored blocks do not depend on the order in which threads respond, or on what they omit",
    {
      threads: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })),
      turns: Schema.Array(
        Schema.Struct({
          delay: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400 })),
          size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 30 })),
          outcome: Schema.Literals(["all", "some", "none", "lost"]),
        }),
      ).check(Schema.isMinLength(1)),
    },
    ({ threads, turns }) =>
      Effect.gen(function* () {
        let at = 0
        const { hashes, run } = yield* setup(
          (request) => {
            const { delay, outcome, size } = turns[at++ % turns.length]!
            const rows = allRows(request)
            const kept = { all: rows.length, some: rows.length >> 1, none: 0, lost: 0 }[outcome]
            const response =
              outcome === "lost" ? lost : Effect.succeed({ rows: rows.slice(0, kept), size, deviations: [] })
            return Effect.andThen(Effect.sleep(delay), response)
          },
          { threads },
        )

        expect(yield* passing(100, run(1, 60))).toBe(null)
        expect(yield* hashes(1, 60)).toEqual(expected(1, 60))
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 12 } },
  )

  it.effect("source: a deviation that every thread finds in many blocks is reported once", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message }) => void lines.push(message))
    return Effect.gen(function* () {
      const asked = new Set<number>()
      const { run } = yield* setup(
        (request) =>
          Effect.sync(() => {
            asked.add(request.from)
            const deviations = Array.from({ length: request.to - request.from + 1 }, (_, index) => ({
              block: request.from + index,
              deviations: [{ kind: "blooms" as const, detail: "the bloom of the block is another one" }],
            }))
            return { rows: allRows(request), size: 4, deviations }
          }),
        { threads: 3 },
      )
      yield* run(1, 60)

      expect(asked.size).toBeGreaterThan(3)
      expect(lines).toEqual([["Accepted a block that could not be verified in full"]])
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.effect("source: fetches what a thread omits over the connection of the indexer", () =>
    Effect.gen(function* () {
      const { alone, headOf, run } = yield* setup((request) =>
        Effect.succeed({ rows: allRows(request).slice(0, 1), size: 4, deviations: [] }),
      )

      expect(yield* run(1, 12)).toBe(null)
      expect(alone.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 6, 7, 8, 10, 11, 12])
      expect(yield* headOf).toBe(12)
    }),
  )

  it.effect("source: continues without a lost thread, and starts it again after its delay", () =>
    Effect.gen(function* () {
      let isBroken = true
      const { alone, counts, run } = yield* setup((request) => (isBroken ? lost : responding(request, 4)), {
        threads: 1,
      })
      yield* run(1, 40)
      expect([counts, alone.length]).toEqual([{ started: 1, stopped: 1 }, 40])

      isBroken = false
      yield* TestClock.adjust(500)
      yield* run(41, 60)
      expect(counts.started).toBe(2)
    }),
  )

  it.effect("source: continues without a thread that cannot be started, and retries after its delay", () =>
    Effect.gen(function* () {
      const { alone, counts, run } = yield* setup(() => lost, { threads: 1, cannotStart: true })
      yield* run(1, 40)
      expect([counts, alone.length]).toEqual([{ started: 1, stopped: 0 }, 40])

      yield* TestClock.adjust(500)
      yield* run(41, 60)
      expect([counts, alone.length]).toEqual([{ started: 2, stopped: 0 }, 60])
    }),
  )

  it.effect("source: assigns no range for 30 seconds to a thread that has declined", () =>
    Effect.gen(function* () {
      const declined = Effect.succeed(RangeWorker.declined)
      const { alone, requests, run } = yield* setup(() => declined, { threads: 1 })
      yield* run(1, 60)
      const first = requests.length
      yield* run(61, 100)

      expect(alone.length).toBe(100)
      expect(first).toBeLessThan(15)
      expect(requests.length).toBe(first)
      yield* TestClock.adjust("30 seconds")
      yield* run(101, 120)
      expect(requests.length).toBeGreaterThan(first)
    }),
  )

  it.effect("source: does not store a block of another branch from the rows of a thread", () =>
    Effect.gen(function* () {
      const { headOf, run } = yield* setup((request) =>
        Effect.succeed({
          rows: allRows(request).map((rows) => (rows.number === 13 ? rowsOf(13, hashOf(12, 1)) : rows)),
          size: 8,
          deviations: [],
        }),
      )

      expect(yield* run(1, 40)).toMatchObject({ number: 13 })
      expect(yield* headOf).toBe(12)
    }),
  )

  it.effect("source: fetches blocks near the head over the connection of the indexer", () =>
    Effect.gen(function* () {
      const { alone, requests, run } = yield* setup((request) => responding(request, 4), {
        settledTo: 18,
      })
      yield* run(1, 40)

      expect(requests.map(([, to]) => to).toSorted((a, b) => a - b)).toEqual([4, 8, 12, 16])
      expect(alone.length).toBe(24)
    }),
  )

  it.effect("source: starts no thread for the last blocks of a backfill, but uses running ones", () =>
    Effect.gen(function* () {
      const short = yield* setup((request) => responding(request, 20), { minBlocks: 200, settledTo: 150 })
      const long = yield* setup((request) => responding(request, 20), { minBlocks: 200, settledTo: 250 })

      expect([yield* short.run(1, 100), yield* long.run(1, 100)]).toEqual([null, null])
      expect([short.counts.started, short.requests]).toEqual([0, []])
      expect(yield* short.hashes(1, 100)).toEqual(expected(1, 100))
      expect(long.counts.started).toBeGreaterThan(0)
      expect(long.requests.some(([from]) => from > 50)).toBe(true)
      expect(yield* long.hashes(1, 100)).toEqual(expected(1, 100))
    }),
  )

  it.effect("source: starts no thread for a few blocks to be stored below the first one", () =>
    Effect.gen(function* () {
      const { counts, fetchBelow } = yield* setup((request) => responding(request, 20), { minBlocks: 200 })
      yield* fetchBelow(101, 120)
      const started = counts.started
      yield* fetchBelow(101, 400)

      expect([started, counts.started]).toEqual([0, 1])
    }),
  )

  it.effect("source: ends an unresponsive thread, and fetches its range without it", () =>
    Effect.gen(function* () {
      const { alone, counts, headOf, run } = yield* setup(() => Effect.never, { threads: 1, ping: Effect.never })
      yield* passing(30_000, run(1, 16))

      expect([counts.stopped, alone.length, yield* headOf]).toEqual([1, 16, 16])
    }),
  )

  it.effect("source: waits for a responsive thread, however long its nodes take", () =>
    Effect.gen(function* () {
      const { alone, counts, headOf, run } = yield* setup(
        (request) => Effect.delay(responding(request, 4), "20 minutes"),
        { threads: 1 },
      )
      yield* passing(30_000, run(1, 16))

      expect([counts.stopped, alone.length, yield* headOf]).toEqual([0, 0, 16])
    }),
  )

  it.effect("source: reports progress while a thread fetches blocks of a slow range, and none while it does not", () =>
    Effect.gen(function* () {
      let fetched = 0
      const { progress, run } = yield* setup(() => Effect.never, { threads: 1, ping: Effect.sync(() => fetched) })
      yield* Effect.forkScoped(run(1, 16))
      const after = Effect.fnUntraced(function* (seconds: number) {
        yield* TestClock.adjust(`${seconds} seconds`)
        return progress()
      })

      expect(yield* after(60)).toBe(0)
      fetched = 3
      const atFirst = yield* after(15)
      expect(atFirst).toBeGreaterThan(0)
      expect(yield* after(60)).toBe(atFirst)
      fetched = 4
      expect(yield* after(15)).toBeGreaterThan(atFirst)
    }),
  )

  it.effect("make: ends the threads after they were idle for a while", () =>
    Effect.gen(function* () {
      const { counts, run, running } = yield* setup((request) => responding(request, 4), {
        threads: 1,
      })
      expect(running()).toBe(0)
      yield* run(1, 40)
      expect([counts, running()]).toEqual([{ started: 1, stopped: 0 }, 1])

      yield* TestClock.adjust("61 seconds")
      expect([counts, running()]).toEqual([{ started: 1, stopped: 1 }, 0])
    }),
  )
})
