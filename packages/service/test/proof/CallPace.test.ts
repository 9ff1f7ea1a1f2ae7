import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as CallPace from "../../src/proof/CallPace.ts"

describe("CallPace", () => {
  it.effect("make: spreads calls over time, and releases those of interrupted calls to others", () =>
    Effect.gen(function* () {
      const pause = CallPace.make(10)
      const made: Array<string> = []
      const call = (name: string) =>
        Effect.forkChild(
          Effect.andThen(
            pause(1),
            Effect.sync(() => made.push(name)),
          ),
          { startImmediately: true },
        )
      yield* call("first")
      const waiting = yield* Effect.forEach(["second", "third", "fourth"], call)
      yield* Effect.forEach(waiting, Fiber.interrupt)
      yield* call("fifth")
      yield* TestClock.adjust("5 seconds")

      expect(made).toEqual(["first"])
      yield* TestClock.adjust("1 second")
      expect(made).toEqual(["first", "fifth"])
    }),
  )
})
