import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { ChainJob } from "../../src/indexer/ChainJob.ts"
import * as Supervisor from "../../src/indexer/Supervisor.ts"

describe("Supervisor", () => {
  it.effect("run: tries again at growing intervals where a thread cannot be started, and does not fail", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      // Sound: nothing reads the job; a thread does not take a function.
      const job = { chain: "eth", database: () => 1 } as unknown as ChainJob
      const fiber = yield* Effect.forkScoped(Effect.provide(Supervisor.run({ jobs: [job] }), Logger.layer([logger])))
      yield* TestClock.adjust(1_000)

      expect(lines).toEqual([
        "The indexer ended: () => 1 could not be cloned. Restarting it in 0.5 s.",
        "The indexer ended: () => 1 could not be cloned. Restarting it in 1 s.",
      ])
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* Fiber.interrupt(fiber)
    }),
  )
})
