/** Waits on SQLite, which has no notifications. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { blockOn, refOf } from "../model.ts"
import { ref } from "../TestDatabase.ts"
import { temporaryFolder } from "../temporaryFolder.ts"
import * as TestStore from "../TestStore.ts"

const first = blockOn(null, {})

describe("awaitChange", () => {
  it.effect("awaitChange: polls the journal every 50 ms on SQLite", () =>
    Effect.gen(function* () {
      const store = yield* TestStore.inFolder(yield* temporaryFolder, ref)
      yield* store.append(null, [first])
      const waiting = yield* Effect.forkChild(store.awaitChange(1), { startImmediately: true })
      yield* store.append(refOf(first), [blockOn(refOf(first), {})])
      yield* TestClock.adjust("50 millis")

      expect(waiting.pollUnsafe()).toBeDefined()
      expect(yield* Fiber.join(waiting)).toBe(2)
    }).pipe(Effect.scoped),
  )
})
