/** What is read once of an index for many pages. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as IndexedChain from "../../src/query/IndexedChain.ts"

describe("IndexedChain.settingsFrom", () => {
  it.effect("reads the status once for a head and those below it, and again for a later one or after a minute", () =>
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

describe("IndexedChain.untracedFrom", () => {
  it.effect(
    "reads the highest block once for a state, and again for another state or for a page that ends below it",
    () =>
      Effect.gen(function* () {
        const read: Array<number> = []
        const lastUntraced = IndexedChain.untracedFrom((to) =>
          Effect.sync(() => {
            read.push(to)
            return to < 5 ? null : Math.min(to, 40)
          }),
        )

        expect([yield* lastUntraced(1, 99), yield* lastUntraced(1, 40), yield* lastUntraced(1, 80)]).toEqual([
          40, 40, 40,
        ])
        expect(read.splice(0)).toEqual([Number.MAX_SAFE_INTEGER])
        expect([yield* lastUntraced(1, 30), yield* lastUntraced(1, 4)]).toEqual([30, null])
        expect(read.splice(0)).toEqual([30, 4])
        expect(yield* lastUntraced(2, 99)).toBe(40)
        expect(read).toEqual([Number.MAX_SAFE_INTEGER])
      }),
  )

  it.effect("reads once for a state without such a block", () =>
    Effect.gen(function* () {
      let reads = 0
      const lastUntraced = IndexedChain.untracedFrom(() =>
        Effect.as(
          Effect.sync(() => (reads += 1)),
          null,
        ),
      )

      expect([yield* lastUntraced(1, 9), yield* lastUntraced(1, 3)]).toEqual([null, null])
      expect(reads).toBe(1)
    }),
  )
})
