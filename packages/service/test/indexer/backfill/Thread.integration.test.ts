/** A backfill with real worker threads: from an embedded node, with a thread that is terminated during work. */
import { describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Head, Scenario } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import type { ChainJob } from "../../../src/indexer/job/ChainJob.ts"
import * as Thread from "../../../src/indexer/backfill/Thread.ts"
import * as ThreadPool from "../../../src/indexer/backfill/ThreadPool.ts"
import { caughtUp, chainOf, openStore, start } from "../chain.ts"
import * as oracle from "../oracle.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

const jobOf = (url: string, chainId: number, baseFolder: string): ChainJob => ({
  chain: "my chain",
  chainId,
  baseFolder,
  database: "sqlite:data",
  documents: "zstd",
  owner: "test",
  config: {
    rpc: [`${url}/?key=canary0key`],
    fromBlock: 0,
    traces: "auto",
    allFrames: false,
    labels: {},
  },
})

/** A pool whose threads are recorded. */
const recordedPool = Effect.fnUntraced(function* (url: string, chainId: number, threads: number) {
  const started: Array<Thread.Thread> = []
  let responses = 0
  const record = (thread: Thread.Thread): Thread.Thread => {
    started.push(thread)
    return { ...thread, fetch: (request) => Effect.tap(thread.fetch(request), () => Effect.sync(() => responses++)) }
  }
  const start = yield* Thread.starter(jobOf(url, chainId, yield* temporaryFolder), [url])
  const pool = yield* ThreadPool.make({ threads, start: () => Result.map(start(), record) })
  return { pool, started, responses: () => responses }
})

describe("Thread", () => {
  it.live("start: two threads store what the node has, even if one of them is terminated during work", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.Anvil
      const world = yield* Scenario.Scenario
      yield* Head.mine(node, 200)
      const head = world.lastBlock + 200
      const { pool, responses, started } = yield* recordedPool(node.url, node.chainId, 2)
      const store = yield* openStore
      const indexer = yield* start(store, [node.url], { rangeSource: pool.source })
      const isAtWork = Effect.sync(() => started.length === 2 && responses() > 0)
      yield* Eventually.untilEffect(isAtWork, { what: "responses of two threads" })
      yield* started[0]!.ping
      yield* started[0]!.stop
      expect(yield* Effect.flip(started[0]!.ping)).toMatchObject({ _tag: "ThreadLost" })
      yield* indexer.until(caughtUp(head))
      yield* indexer.stop

      expect(yield* store.headers(0, head)).toEqual(yield* chainOf(node, head))
      const expected = yield* oracle.scan(node, world.lastBlock)
      yield* oracle.expectWallets(store, expected, world.addresses)
    }).pipe(
      Effect.scoped,
      Effect.provide(Scenario.layer({ blobs: false, blocks: 15 }).pipe(Layer.provideMerge(Anvil.layer()))),
    ),
  )
})
