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

  it("enter: runs work at once where the turn has time, and else in a later one", async () => {
    const turns = Turns.make()
    const events: Array<string> = []
    turns.enter(() => events.push("small"))
    turns.enter(() => (work(6), events.push("long")))
    turns.enter(() => events.push("late"))
    expect(events).toEqual(["small", "long"])
    await new Promise((resolve) => setImmediate(resolve))

    expect(events).toEqual(["small", "long", "late"])
  })

  it("enter: takes work that waits in order, and counts it to the turn in which it runs", async () => {
    const turns = Turns.make()
    const events: Array<string> = []
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    for (const name of ["a", "b", "c"]) turns.enter(() => (work(6), events.push(name)))
    expect(events).toEqual(["a"])
    await turn()
    expect(events).toEqual(["a", "b"])
    turns.enter(() => events.push("d"))
    await turn()
    expect(events).toEqual(["a", "b", "c"])
    await turn()

    expect(events).toEqual(["a", "b", "c", "d"])
  })

  it("enter: gives each turn its whole time again", async () => {
    const turns = Turns.make()
    let runs = 0
    for (let turn = 1; turn <= 5; turn++) {
      turns.enter(() => (work(2), runs++))
      expect(runs).toBe(turn)
      await new Promise((resolve) => setImmediate(resolve))
    }
  })

  it("enter: schedules nothing once no work waits", async () => {
    const turns = Turns.make()
    const scheduled = () => process.getActiveResourcesInfo().filter((name) => name === "Immediate").length
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const before = scheduled()
    for (let count = 0; count < 3; count++) turns.enter(() => work(6))
    expect(scheduled()).toBe(before + 1)
    for (let count = 0; count < 4; count++) await turn()

    expect(scheduled()).toBe(before)
  })

  it("enter: lets no work pass that which waits already", async () => {
    const turns = Turns.make()
    const events: Array<string> = []
    turns.enter(() => work(6))
    const later = (name: string) => () => {
      events.push(name)
      queueMicrotask(() => turns.enter(() => events.push(`${name} again`)))
    }
    turns.enter(() => {
      events.push("a")
      turns.enter(() => events.push("c"))
    })
    turns.enter(later("b"))
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))

    expect(events).toEqual(["a", "b", "c", "b again"])
  })
})
