import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Latch, Schema } from "effect"
import * as SharedLookups from "../../../src/store/postgres/SharedLookups.ts"

/** Lookups of a list whose statements wait for a latch: each finds the keys that are valid when it begins. */
const prepare = () => {
  const valid = new Set(["a", "b", "c"])
  const statements: Array<ReadonlyArray<string>> = []
  const latch = Latch.makeUnsafe(false)
  let failure: string | undefined
  const find = SharedLookups.make(
    Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
      statements.push(keys)
      const found = new Map(keys.filter((key) => valid.has(key)).map((key) => [key, key.toUpperCase()]))
      yield* latch.await
      return failure === undefined ? found : yield* Effect.fail(failure)
    }),
  )
  return {
    find,
    statements,
    valid,
    latch,
    fail: (message: string | undefined) => {
      failure = message
    },
  }
}

const begin = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

describe("SharedLookups", () => {
  it.effect("make: sends a lookup alone at once, and those that begin while it runs in one statement", () =>
    Effect.gen(function* () {
      const { find, latch, statements } = prepare()
      const fibers = yield* Effect.forEach(["a", "b", "x", "b", "a"], (key) => begin(find(key)))

      expect(statements).toEqual([["a"]])
      yield* latch.open
      expect(yield* Fiber.joinAll(fibers)).toEqual(["A", "B", null, "B", "A"])
      expect(statements).toEqual([["a"], ["b", "x", "a"]])
      expect(yield* find("c")).toBe("C")
      expect(statements.length).toBe(3)
    }),
  )

  it.effect("make: a key that becomes invalid while a statement runs is not found by a lookup that begins later", () =>
    Effect.gen(function* () {
      const { find, latch, valid } = prepare()
      const before = yield* begin(find("a"))
      valid.delete("a")
      const after = yield* begin(find("a"))
      yield* latch.open

      expect([yield* Fiber.join(before), yield* Fiber.join(after)]).toEqual(["A", null])
    }),
  )

  it.effect("make: a failure is that of the lookups that share its statement, and the next ones are sent", () =>
    Effect.gen(function* () {
      const { fail, find, latch } = prepare()
      fail("lost")
      const fibers = yield* Effect.forEach(["a", "b", "c"], (key) => begin(Effect.exit(find(key))))
      yield* latch.open

      expect(yield* Fiber.joinAll(fibers)).toEqual([Exit.fail("lost"), Exit.fail("lost"), Exit.fail("lost")])
      fail(undefined)
      expect(yield* find("a")).toBe("A")
    }),
  )

  it.effect("make: a lookup that is interrupted delays no other", () =>
    Effect.gen(function* () {
      const { find, latch, statements } = prepare()
      const first = yield* begin(find("a"))
      const second = yield* begin(find("b"))
      const third = yield* begin(find("c"))
      yield* Fiber.interrupt(first)
      expect(statements).toEqual([["a"], ["b", "c"]])
      yield* Fiber.interrupt(second)
      yield* latch.open

      expect(yield* Fiber.join(third)).toBe("C")
      expect(yield* find("a")).toBe("A")
    }),
  )

  it.effect.prop(
    "make: each lookup finds what a statement found that began after it",
    [Schema.NonEmptyArray(Schema.Literals(["look up", "change", "yield"]))],
    ([steps]) =>
      Effect.gen(function* () {
        let state = 0
        const find = SharedLookups.make((keys) =>
          Effect.suspend(() => {
            const found = new Map(keys.map((key) => [key, state]))
            return Effect.as(Effect.yieldNow, found)
          }),
        )
        const lookups: Array<Effect.Effect<readonly [before: number, found: number | null]>> = []
        for (const step of steps) {
          if (step === "change") state++
          if (step === "yield") yield* Effect.yieldNow
          if (step !== "look up") continue
          const before = state
          const fiber = yield* begin(find("a"))
          lookups.push(Effect.map(Fiber.join(fiber), (found) => [before, found] as const))
        }
        for (const [before, found] of yield* Effect.all(lookups)) expect(found).toBeGreaterThanOrEqual(before)
      }),
  )
})
