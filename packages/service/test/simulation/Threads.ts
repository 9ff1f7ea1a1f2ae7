/**
 * Backfill threads of a simulated process, each with a separate connection, in the thread and the virtual time of the simulation. They
 * end unexpectedly at random.
 */
import { Effect, Result } from "effect"
import type * as BlockSource from "../../src/indexer/job/BlockSource.ts"
import type * as RangeSource from "../../src/indexer/backfill/RangeSource.ts"
import * as RangeWorker from "../../src/indexer/backfill/RangeWorker.ts"
import { type Thread, ThreadLost } from "../../src/indexer/backfill/Thread.ts"
import * as ThreadPool from "../../src/indexer/backfill/ThreadPool.ts"
import * as Engine from "../../src/store/Engine.ts"
import type { Count } from "./Count.ts"
import type { SeededRandom } from "../store/SeededRandom.ts"

/** Dependencies of the threads. */
export interface Setting {
  readonly random: SeededRandom
  readonly count: Count
  readonly threads: number
  /** Connects a thread to the nodes. */
  readonly connect: Effect.Effect<BlockSource.BlockSource>
}

const lossRate = 0.03

/** Source of block ranges of a process. */
export const make = Effect.fnUntraced(function* ({ connect, count, random, threads }: Setting) {
  const start = (): Thread => {
    let worker: RangeWorker.RangeWorker | undefined
    const fetch = Effect.fnUntraced(function* (request: RangeWorker.Request) {
      worker ??= RangeWorker.make(yield* connect, Engine.preparer("sqlite:", {}))
      return yield* worker(request)
    })
    return {
      fetch: (request) =>
        Effect.suspend(() => {
          if (random.is(lossRate)) {
            count("a thread is lost")
            return Effect.fail(new ThreadLost({ message: "exit code 1" }))
          }
          return Effect.tap(fetch(request), ({ rows }) =>
            Effect.sync(() => count(rows.length === 0 ? "a thread fetches nothing" : "a thread fetches a range")),
          )
        }),
      ping: Effect.succeed(0),
      stop: Effect.void,
    }
  }
  const pool = yield* ThreadPool.make({ threads, start: () => Result.succeed(start()) })
  // Chains of a simulation are short, so its threads also fetch blocks near the head, which may be reorged.
  return (turn: RangeSource.Turn) => pool.source({ ...turn, node: { ...turn.node, isSettled: () => true } })
})
