/** Blocks that are indexed below the first one: their order, obstacles, and when nothing is fetched. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { HydratedBlock } from "@daybook/schema/Block"
import * as BlockAssembler from "../../src/fetch/BlockAssembler.ts"
import * as BlockPrepender from "../../src/indexer/BlockPrepender.ts"
import type { IndexerReport } from "../../src/indexer/IndexerReport.ts"
import * as BatchFetcher from "../../src/node/BatchFetcher.ts"
import type { Node } from "../../src/node/Node.ts"
import type { BlockRows } from "../../src/block/BlockRows.ts"
import * as ChainSession from "../../src/store/ChainSession.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import { decoder } from "./chain.ts"
import * as fixture from "./fixture.ts"

const hashOf = (number: number, branch = 0) => `0x${(branch * 1e6 + number).toString(16).padStart(64, "0")}`

const blockAt = (number: number, branch = 0): HydratedBlock =>
  fixture.block({
    number: `0x${number.toString(16)}`,
    hash: hashOf(number, branch),
    parentHash: hashOf(Math.max(0, number - 1), branch),
    transactions: [],
    gasUsed: "0x0",
  })

const assembling = { decoder, checks: "links" } as const

const rowsOf = (number: number): BlockRows => {
  const rows = BlockAssembler.assemble({ block: blockAt(number), receipts: [], traces: null }, assembling)
  // Sound: the fixture is valid.
  return (rows as Extract<typeof rows, { readonly _tag: "Success" }>).success
}

const first = 300
const below = (lowest: number) => ({ lowest, rules: HashRules.none })
const second = 1_000

/** A prepender over a store whose first block is 300. */
const setup = Effect.fnUntraced(function* (
  fetchBlock: (number: number) => Effect.Effect<HydratedBlock | null> = (number) => Effect.succeed(blockAt(number)),
) {
  const database = yield* Engine.fromUrl(`sqlite:${yield* temporaryFolder}`, "/")
  const store = yield* ChainSession.open(database, { chain: { name: "test", id: 1 }, owner: "one", leaseMillis: 5_000 })
  yield* store.holdLease
  yield* store.append(null, [rowsOf(first), rowsOf(first + 1)])
  const fetched: Array<number> = []
  const reports: Array<IndexerReport> = []
  // Sound: nothing else of a node is called for blocks without transactions.
  const node = {
    batchFetcher: () => Effect.succeed({ ...BatchFetcher.none, size: 20 }),
    block: (number: number) => Effect.suspend(() => (fetched.push(number), fetchBlock(number))),
    receipts: () => Effect.succeed([]),
    traces: () => Effect.succeed(null),
    latencyMillis: () => 0,
    isSettled: () => true,
  } as unknown as Node
  const { during } = yield* BlockPrepender.make({
    node,
    store,
    assembling,
    concurrency: 2,
    maxDelayMillis: 1e3,
    reporter: {
      report: (report) => Effect.sync(() => void reports.push(report)),
      settings: Effect.succeed([]),
      heartbeat: Effect.never,
      stopped: Effect.void,
    },
  })
  const firstOf = Effect.map(
    store.snapshot((snapshot) => snapshot.checkpoint),
    (found) => found?.first,
  )
  const prepended = () => reports.flatMap((report) => (report._tag === "Prepended" ? [report.first] : []))
  return { store, during, fetched, firstOf, prepended, reports }
})

/** Runs an effect while time passes. */
const passing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(effect, Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust(10))))

describe("BlockPrepender", () => {
  it.effect(
    "during: stores the blocks below in batches from the top down, and ends early once the lowest is stored",
    () =>
      Effect.gen(function* () {
        const { during, firstOf, prepended, reports, store } = yield* setup()

        expect(yield* during(60 * second, below(30))).toBeNull()

        expect(prepended()).toEqual([200, 100, 30])
        expect(yield* firstOf).toBe(30)
        expect((yield* store.headers(0, 999)).map(({ hash }) => hash)).toEqual(
          Array.from({ length: first + 2 - 30 }, (_, index) => hashOf(30 + index)),
        )
        expect(reports[0]).toEqual({ _tag: "Prepending", first, to: 30 })
      }),
  )

  it.effect("during: waits for the whole interval if no block is to be stored below", () =>
    Effect.gen(function* () {
      const { during, fetched } = yield* setup()

      expect(yield* passing(during(5 * second, below(first)))).toBeNull()

      expect(fetched).toEqual([])
    }),
  )

  it.effect("during: starts no range between two calls, and then continues where it stopped", () =>
    Effect.gen(function* () {
      const { during, fetched, firstOf, reports } = yield* setup((number) =>
        Effect.as(Effect.sleep(100), blockAt(number)),
      )

      yield* passing(during(second, below(0)))
      yield* TestClock.adjust(60 * second)
      const between = fetched.length
      yield* TestClock.adjust(60 * second)
      expect([fetched.length, yield* firstOf]).toEqual([between, first])

      while ((yield* firstOf) !== 0) yield* passing(during(second, below(0)))
      expect(fetched.length).toBe(first)
      expect(reports.filter(({ _tag }) => _tag === "Prepending")).toHaveLength(1)
    }),
  )

  it.effect("during: stores the blocks above one that cannot be fetched, and retries only that one", () =>
    Effect.gen(function* () {
      const missing = 215
      let refusals = 3
      const { during, fetched, firstOf } = yield* setup((number) =>
        Effect.succeed(number === missing && refusals-- > 0 ? null : blockAt(number)),
      )
      const failures: Array<readonly [number, number | undefined]> = []

      while ((yield* firstOf) !== 200) {
        const failure = yield* passing(during(second, below(200)))
        if (failure !== null) failures.push([failure.failures, yield* firstOf])
      }

      expect(failures).toEqual([
        [1, 220],
        [2, missing + 1],
        [3, missing + 1],
      ])
      expect(fetched.filter((number) => number === missing)).toHaveLength(4)
    }),
  )

  it.effect("during: stores no block of another branch, and reports the first block that does not link", () =>
    Effect.gen(function* () {
      const { during, firstOf } = yield* setup((number) => Effect.succeed(blockAt(number, 1)))

      const failure = yield* passing(during(second, below(0)))

      expect(failure).toMatchObject({
        failures: 1,
        error: { _tag: "InvalidBlock", block: first - 1, what: `it is not the parent of block ${first} of the index` },
      })
      expect(yield* firstOf).toBe(first)
    }),
  )

  it.effect("during: starts again from the stored blocks if the first block has changed", () =>
    Effect.gen(function* () {
      const { during, firstOf, reports, store } = yield* setup((number) =>
        Effect.as(Effect.sleep(100), blockAt(number)),
      )
      yield* passing(during(second, below(0)))
      yield* store.prepend({ number: first, hash: hashOf(first) }, [rowsOf(first - 1)])

      while ((yield* firstOf) !== 0) yield* passing(during(second, below(0)))

      const begun = reports.flatMap((report) => (report._tag === "Prepending" ? [report.first] : []))
      expect(begun).toEqual([first, first - 1])
    }),
  )

  it.effect("during: fails with CheckpointConflict if another indexer has written, and then starts again", () =>
    Effect.gen(function* () {
      const { during, firstOf, store } = yield* setup((number) => Effect.as(Effect.sleep(100), blockAt(number)))
      const other = Effect.andThen(
        Effect.sleep(150),
        store.prepend({ number: first, hash: hashOf(first) }, [rowsOf(first - 1)]),
      )

      const error = yield* passing(Effect.flip(Effect.andThen(Effect.forkChild(other), during(600 * second, below(0)))))

      expect(error).toMatchObject({ _tag: "CheckpointConflict", expected: { number: first } })
      while ((yield* firstOf) !== 0) yield* passing(during(second, below(0)))
    }),
  )

  it.effect("during: propagates an unexpected exception of a fetch", () =>
    Effect.gen(function* () {
      const { during } = yield* setup(() => Effect.die(new Error("injected")))

      const exit = yield* Effect.exit(during(second, below(0)))

      expect(String(exit)).toContain("injected")
    }),
  )
})
