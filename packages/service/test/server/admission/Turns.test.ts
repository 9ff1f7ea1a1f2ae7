import { afterEach, beforeEach, describe, expect, it, vi } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { stat } from "node:fs"
import * as Turns from "../../../src/server/admission/Turns.ts"

const now = () => performance.now()

const work = (millis: number) => {
  const end = performance.now() + millis
  while (performance.now() < end);
}

/** Enters work that does not throw. */
const enter = (turns: Turns.Turns, run: () => void) =>
  turns.enter(run, (error) => {
    throw error
  })

describe("Turns", () => {
  it.live("run: lets other work of the event loop run between pieces that take long", () =>
    Effect.gen(function* () {
      const turns = Turns.make(now)
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

  it.live("run: lets sockets be read between two pieces, of which the first follows a socket", () =>
    Effect.gen(function* () {
      const turns = Turns.make(now)
      const events: Array<string> = []
      // Files and sockets call back in the same phase of the event loop.
      yield* Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            stat(import.meta.filename, () => {
              stat(import.meta.filename, () => events.push("read"))
              enter(turns, () => (work(30), events.push("work")))
              enter(turns, () => (work(12), events.push("work"), resolve()))
            })
          }),
      )

      expect(events).toEqual(["work", "read", "work"])
    }),
  )

  it.live("run: runs small pieces at once", () =>
    Effect.gen(function* () {
      // Pieces without work take no time, also on a busy machine.
      vi.useFakeTimers({ toFake: ["performance"] })
      vi.advanceTimersByTime(60_000)
      const turns = Turns.make(now)
      let ticks = 0
      setImmediate(() => ticks++)

      yield* Effect.all(
        Array.from({ length: 50 }, () => turns.run(Effect.void)),
        { concurrency: "unbounded" },
      )

      expect(ticks).toBe(0)
    }).pipe(Effect.ensuring(Effect.sync(() => vi.useRealTimers()))),
  )

  it.live("run: a piece that fails or is interrupted lets the next one run", () =>
    Effect.gen(function* () {
      const turns = Turns.make(now)
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

  it.live("run: a page of one key does not wait for all that wait of another", () =>
    Effect.gen(function* () {
      const turns = Turns.make(now)
      const events: Array<string> = []
      const page = (key: string) =>
        Effect.provideService(turns.run(Effect.sync(() => (work(6), events.push(key)))), Turns.Holder, key)
      const keys = ["one", "one", "one", "one", "one", "other"]
      yield* Effect.forEach(keys, page, { concurrency: "unbounded" })

      expect(events).toEqual(["one", "one", "other", "one", "one", "one"])
    }),
  )

  it.live("run: forgets work of a holder that is interrupted while it waits", () =>
    Effect.gen(function* () {
      const turns = Turns.make(now)
      const events: Array<string> = []
      const page = (key: string) =>
        Effect.provideService(turns.run(Effect.sync(() => (work(6), events.push(key)))), Turns.Holder, key)
      yield* page("one")
      const waiting = yield* Effect.forkChild(page("left"), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      yield* page("two")

      expect(events).toEqual(["one", "two"])
    }),
  )

  describe("enter", () => {
    /** Time passes only by work: what a busy machine adds would decide otherwise. */
    const spend = (millis: number) => vi.advanceTimersByTime(millis)
    const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
    afterEach(() => void vi.useRealTimers().restoreAllMocks())

    it("enter: runs work at once while the turn has time, and else in the next one", async () => {
      const turns = Turns.make(now)
      const events: Array<string> = []
      enter(turns, () => (spend(4), events.push("a")))
      enter(turns, () => (spend(1), events.push("b")))
      enter(turns, () => events.push("c"))
      expect(events).toEqual(["a", "b"])
      await turn()

      expect(events).toEqual(["a", "b", "c"])
    })

    it("enter: takes work that waits in order, as much as a turn has time for", async () => {
      const turns = Turns.make(now)
      const events: Array<string> = []
      for (const name of ["a", "b", "c", "d", "e"])
        enter(turns, () => (spend(name === "a" ? 5 : 2.5), events.push(name)))
      expect(events).toEqual(["a"])
      await turn()
      expect(events).toEqual(["a", "b", "c"])
      enter(turns, () => events.push("f"))
      await turn()

      expect(events).toEqual(["a", "b", "c", "d", "e"])
      await turn()
      expect(events).toEqual(["a", "b", "c", "d", "e", "f"])
    })

    it("enter: takes the work of holders in turn, so that much of one does not delay another", async () => {
      const turns = Turns.make(now)
      const events: Array<string> = []
      const add = (name: string) =>
        turns.enter(
          () => (spend(5), events.push(name)),
          () => {},
          name[0],
        )
      for (const name of ["a1", "a2", "a3", "a4", "b1", "c1", "b2"]) add(name)
      for (let count = 0; count < 7; count++) await turn()

      expect(events).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"])
    })

    it("enter: gives each turn its whole time again", async () => {
      const turns = Turns.make(now)
      let runs = 0
      for (let count = 1; count <= 5; count++) {
        enter(turns, () => (spend(2), runs++))
        expect(runs).toBe(count)
        await turn()
      }
    })

    it("enter: passes what work throws in a later turn to its caller, and goes on with the work behind it", async () => {
      const turns = Turns.make(now)
      const events: Array<string> = []
      enter(turns, () => spend(5))
      turns.enter(
        () => {
          throw new Error("failed")
        },
        (error) => events.push(String(error)),
      )
      enter(turns, () => events.push("a"))
      await turn()

      expect(events).toEqual(["Error: failed", "a"])
    })

    it("enter: schedules nothing once no work waits", async () => {
      const turns = Turns.make(now)
      const scheduled = () => process.getActiveResourcesInfo().filter((name) => name === "Immediate").length
      const before = scheduled()
      for (let count = 0; count < 3; count++) enter(turns, () => spend(6))
      expect(scheduled()).toBe(before + 1)
      for (let count = 0; count < 4; count++) await turn()

      expect(scheduled()).toBe(before)
    })

    it("enter: lets no work pass that which waits already", async () => {
      const turns = Turns.make(now)
      const events: Array<string> = []
      enter(turns, () => spend(6))
      enter(turns, () => {
        events.push("a")
        enter(turns, () => events.push("c"))
      })
      enter(turns, () => {
        events.push("b")
        queueMicrotask(() => enter(turns, () => events.push("d")))
      })
      for (let count = 0; count < 3; count++) await turn()

      expect(events).toEqual(["a", "b", "c", "d"])
    })
  })
})
