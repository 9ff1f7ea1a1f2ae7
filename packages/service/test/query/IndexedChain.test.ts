/** What is read once of an index for many pages. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as IndexedChain from "../../src/query/IndexedChain.ts"

describe("IndexedChain.settingsFrom", () => {
  it.effect("reads the status once for a head and those below it, and again for a later one, or after a minute", () =>
    Effect.gen(function* () {
      let reads = 0
      const status = Effect.sync(() => {
        reads += 1
        return { settings: [{ name: "traces" as const, value: String(reads) }] }
      })
      const settingsTo = IndexedChain.settingsFrom(status)
      const readAt = (head: number) => Effect.map(settingsTo(head), ([setting]) => setting?.value)

      expect(yield* Effect.forEach([7, 7, 3, 8, 7], readAt)).toEqual(["1", "1", "1", "2", "2"])
      yield* TestClock.adjust("59 seconds")
      expect(yield* readAt(8)).toBe("2")
      yield* TestClock.adjust("1 second")
      expect(yield* readAt(3)).toBe("3")
    }),
  )

  it.effect("has no settings while no indexer has written a status", () =>
    Effect.gen(function* () {
      expect(yield* IndexedChain.settingsFrom(Effect.succeed(null))(7)).toEqual([])
      expect(yield* IndexedChain.settingsFrom(Effect.succeed({ settings: undefined }))(7)).toEqual([])
    }),
  )
})
