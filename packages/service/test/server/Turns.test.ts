import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Turns from "../../src/server/Turns.ts"

const work = (millis: number) => {
  const end = performance.now() + millis
  while (performance.now() < end);
}

describe("Turns", () => {
  it.live("run: lets other work of the event loop run between pieces that take long", () =>
    Effect.gen(function* () {
      const turns = Turns.make()
      const events: Array<string> = []
      const tick = () => {
        events.push("tick")
        if (events.filter((event) => event === "work").length < 6) setImmediate(tick)
      }
      setImmediate(tick)

      const piece = turns.run(Effect.sync(() => (work(12), events.push("work"))))
      yield* Effect.all(
        Array.from({ length: 6 }, () => piece),
        { concurrency: "unbounded" },
      )

      expect(events.filter((event) => event === "work")).toHaveLength(6)
      expect(events.join(" ")).not.toMatch(/work work work/)
    }),
  )

  it.live("run: runs small pieces at once", () =>
    Effect.gen(function* () {
      const turns = Turns.make()
      let ticks = 0
      setImmediate(() => ticks++)

      yield* Effect.all(
        Array.from({ length: 50 }, () => turns.run(Effect.void)),
        { concurrency: "unbounded" },
      )

      expect(ticks).toBe(0)
    }),
  )

  it.live("run: a piece that fails or is interrupted lets the next one run", () =>
    Effect.gen(function* () {
      const turns = Turns.make()
      const failing = turns.run(
        Effect.andThen(
          Effect.sync(() => work(12)),
          Effect.fail("failed"),
        ),
      )
      yield* Effect.flip(failing)
      yield* Effect.timeoutOption(turns.run(Effect.never), 20)

      expect(yield* turns.run(Effect.succeed(1))).toBe(1)
    }),
  )
})
