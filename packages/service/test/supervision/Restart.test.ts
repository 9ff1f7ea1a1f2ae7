import { describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import * as Restart from "../../src/supervision/Restart.ts"

/** Runs a task that ends after some milliseconds each time, for the given time; returns the logged lines. */
const logged = Effect.fnUntraced(function* (
  runMillis: ReadonlyArray<number>,
  { forMillis, reason }: { readonly forMillis: number; readonly reason: string },
) {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  let runs = 0
  const once = Effect.suspend(() => Effect.as(Effect.sleep(runMillis[runs++] ?? Infinity), reason))
  const fiber = yield* Effect.forkChild(Effect.provide(Restart.forever("The worker", once), Logger.layer([logger])))
  yield* TestClock.adjust(forMillis)
  yield* Fiber.interrupt(fiber)
  return { lines, runs }
})

const intervals = (lines: ReadonlyArray<string>) => lines.map((line) => line.match(/it in (.*) s\.$/)?.[1])

describe("Restart", () => {
  it.effect("forever: doubles the delay after each end, and logs the reason as one sentence", () =>
    Effect.gen(function* () {
      const { lines, runs } = yield* logged([0, 0, 0], { forMillis: 3_499, reason: "exit code 1. " })

      expect(runs).toBe(3)
      expect(lines).toEqual([
        "The worker ended: exit code 1. Restarting it in 0.5 s.",
        "The worker ended: exit code 1. Restarting it in 1 s.",
        "The worker ended: exit code 1. Restarting it in 2 s.",
      ])
      expect((yield* logged([0, 0, 0], { forMillis: 3_500, reason: "x" })).runs).toBe(4)
    }),
  )

  it.effect("forever: waits at most half a minute", () =>
    Effect.gen(function* () {
      const { lines } = yield* logged([0, 0, 0, 0, 0, 0, 0, 0], { forMillis: 120_000, reason: "exit code 1" })

      expect(intervals(lines)).toEqual(["0.5", "1", "2", "4", "8", "16", "30", "30"])
    }),
  )

  it.effect("forever: resets the delay once the task has run for more than a minute", () =>
    Effect.gen(function* () {
      const { lines } = yield* logged([0, 60_000, 60_001, 0], { forMillis: 300_000, reason: "SIGKILL" })

      expect(intervals(lines)).toEqual(["0.5", "1", "0.5", "1"])
    }),
  )
})
