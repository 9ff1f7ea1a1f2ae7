/** Ranges that are fetched as batches, and what is appended if a range ends early. */
import { describe, it } from "@effect/vitest"
import { type Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import type { HydratedBlock } from "@daybook/schema/Block"
import * as BlockAppender from "../../src/indexer/BlockAppender.ts"
import * as StatusReporter from "../../src/indexer/StatusReporter.ts"
import type { BatchFetcher } from "../../src/node/BatchFetcher.ts"
import type { Node } from "../../src/node/Node.ts"
import { NodeFailed } from "../../src/node/NodeError.ts"
import * as ChainSession from "../../src/store/ChainSession.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as HashRules from "../../src/verification/HashRules.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import { decoder } from "./chain.ts"
import { emptyBlock, hashOf } from "./emptyBlocks.ts"

const failed = new NodeFailed({
  message: "The node is gone.",
  isMisconfigured: false,
  pace: "rarely",
  cause: { _tag: "TimeoutError" } as never,
})

/** An appender over an empty store and a node of empty blocks, and the ranges that it fetched as batches. */
const setup = Effect.fnUntraced(function* (
  blockAt: (number: number) => HydratedBlock | null,
  size = 5,
  delay: Duration.Input = 0,
) {
  const database = yield* Engine.fromUrl(`sqlite:${yield* temporaryFolder}`, "/")
  const store = yield* ChainSession.open(database, { chain: { name: "test", id: 1 }, owner: "one", leaseMillis: 5_000 })
  yield* store.holdLease
  const ranges: Array<ReadonlyArray<number>> = []
  let renewals = 0
  const fetcher: BatchFetcher = {
    size,
    blocks: (numbers) =>
      Effect.suspend(() => {
        ranges.push(numbers)
        return Effect.delay(
          Effect.sync(() => numbers.map((number) => blockAt(number))),
          delay,
        )
      }),
    parts: (refs) => Effect.succeed(refs.map(() => ({ receipts: [], traces: null }))),
  }
  // Sound: nothing else of a node is called for blocks without transactions.
  const node = {
    batchFetcher: () => Effect.succeed(fetcher),
    block: (number: number) => {
      const block = blockAt(number)
      return block === null ? Effect.fail(failed) : Effect.succeed(block)
    },
    receipts: () => Effect.succeed([]),
    traces: () => Effect.succeed(null),
    latencyMillis: () => 0,
    isSettled: () => false,
  } as unknown as Node
  const options: BlockAppender.Options = {
    node,
    store,
    reporter: yield* StatusReporter.make({ store, onEvent: () => Effect.void }),
    onAppended: Effect.sync(() => void (renewals += 1)),
    assembling: { decoder, checks: "links" },
    concurrency: 2,
  }
  const run = (from: number, to: number) =>
    BlockAppender.run(options, {
      _tag: "Extend",
      tip: null,
      from,
      to,
      first: from,
      nodeHead: to,
      rules: HashRules.none,
      isRetry: false,
    })
  const headOf = store.snapshot((snapshot) => Effect.map(snapshot.checkpoint, (found) => found?.head.number ?? null))
  return { run, ranges, headOf, renewals: () => renewals }
})

describe("BlockAppender", () => {
  it.effect("run: fetches ranges of the fetcher's size and the rest of the turn, and nothing beyond it", () =>
    Effect.gen(function* () {
      const { headOf, ranges, run } = yield* setup(emptyBlock)

      expect(yield* run(10, 22)).toBe(null)
      expect(ranges).toEqual([
        [10, 11, 12, 13, 14],
        [15, 16, 17, 18, 19],
        [20, 21, 22],
      ])
      expect(yield* headOf).toBe(22)
    }),
  )

  it.effect("run: fetches each block separately at the head of the chain, and appends each immediately", () =>
    Effect.gen(function* () {
      const { headOf, ranges, renewals, run } = yield* setup(emptyBlock)
      yield* run(10, 17)

      expect([ranges, renewals(), yield* headOf]).toEqual([[], 8, 17])
    }),
  )

  it.effect("run: fetches nine or more blocks in ranges, and appends them in one batch", () =>
    Effect.gen(function* () {
      const { headOf, ranges, renewals, run } = yield* setup(emptyBlock)
      yield* run(10, 18)

      expect([ranges.flat().length, renewals(), yield* headOf]).toEqual([9, 1, 18])
    }),
  )

  it.effect("run: starts no range after 30 seconds, but always at least one", () =>
    Effect.gen(function* () {
      const { headOf, ranges, run } = yield* setup(emptyBlock, 5, "15 seconds")
      const turn = yield* Effect.forkChild(run(10, 1_000))
      yield* TestClock.adjust("10 minutes")

      // Two at a time: the third pair begins at 30 seconds.
      expect([yield* Fiber.join(turn), yield* headOf, ranges.length]).toEqual([null, 39, 6])
    }),
  )

  it.effect("run: appends the blocks below one that cannot be fetched, and fails with its error", () =>
    Effect.gen(function* () {
      const { headOf, renewals, run } = yield* setup((number) => (number === 18 ? null : emptyBlock(number)))

      expect(yield* Effect.flip(run(10, 22))).toBe(failed)
      expect([yield* headOf, renewals()]).toEqual([17, 1])
    }),
  )

  it.effect("run: appends the blocks below one of another branch, and returns that block", () =>
    Effect.gen(function* () {
      const { headOf, run } = yield* setup((number) =>
        number === 13 ? emptyBlock(13, { parentHash: hashOf(12, 1) }) : emptyBlock(number),
      )

      expect(yield* run(10, 22)).toMatchObject({ number: 13, hash: hashOf(13) })
      expect(yield* headOf).toBe(12)
    }),
  )

  it.effect("run: appends nothing if the first block cannot be fetched", () =>
    Effect.gen(function* () {
      const { headOf, renewals, run } = yield* setup(() => null)

      expect(yield* Effect.flip(run(10, 22))).toBe(failed)
      expect([yield* headOf, renewals()]).toEqual([null, 0])
    }),
  )
})
