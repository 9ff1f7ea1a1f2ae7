import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Logger, Result } from "effect"
import { TestClock } from "effect/testing"
import type { ChainJob } from "../../src/indexer/job/ChainJob.ts"
import * as Supervisor from "../../src/indexer/Supervisor.ts"
import * as WorkerThread from "../../src/supervision/WorkerThread.ts"

describe("Supervisor", () => {
  it.effect("run: retries at growing intervals if a thread cannot be started, and does not fail", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      // Sound: no thread receives the job.
      const job = { chain: "eth", config: {} } as unknown as ChainJob
      const startThread = () => Result.fail(new WorkerThread.ThreadNotStarted({ message: "no thread is left" }))
      const indexers = Supervisor.run({ jobs: [job], startThread })
      const fiber = yield* Effect.forkScoped(Effect.provide(indexers, Logger.layer([logger])))
      yield* TestClock.adjust(1_000)

      expect(lines).toEqual([
        "The indexer ended: no thread is left. Restarting it in 0.5 s.",
        "The indexer ended: no thread is left. Restarting it in 1 s.",
      ])
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* Fiber.interrupt(fiber)
    }),
  )
})
