import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo } from "node:net"
import type { ChainReader } from "../../../src/store/ChainReader.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"

/** Only work advances time, as the delays of a busy machine would change the outcome. */
const makeClock = () => {
  let now = 0
  return { now: () => now, spend: (millis: number) => (now += millis) }
}

/** Turns, work that takes time in them, and what has run. */
const make = () => {
  const { now, spend } = makeClock()
  const turns = Turns.make(now)
  const events: Array<string> = []
  const work = (name: string, millis: number) => Effect.sync(() => (spend(millis), events.push(name)))
  return {
    turns,
    events,
    spend,
    work,
    enter: (name: string, millis: number, holder = "") =>
      turns.enter(
        () => (spend(millis), events.push(name)),
        (error) => {
          throw error
        },
        holder,
      ),
    runAs: (holder: string, millis: number, name = holder) =>
      Effect.provideService(turns.run(work(name, millis)), Turns.Holder, holder),
  }
}

/** A turn that was scheduled before has ended. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe("Turns", () => {
  it("enter: counts a request as work of its kind", async () => {
    const { spend, turns } = make()
    const ask = async (kind: string) => {
      turns.enter(
        () => spend(1),
        (error) => expect.fail(String(error)),
        "one",
        kind,
      )
      await turn()
    }
    for (let count = 0; count < 20; count++) await ask("short")
    const short = turns.shares.standing("one")
    await ask("other")

    expect([short, turns.shares.standing("one")]).toEqual([20 - 16, 21])
  })

  it("enter: does not count time in which the thread waited for a core of the machine", async () => {
    const { now, spend } = makeClock()
    let waited = 5
    const turns = Turns.make(now, () => waited)
    const wait = (millis: number) => {
      spend(millis)
      waited += millis
    }
    const used: Array<number> = []
    for (const work of [() => (spend(3), wait(9)), () => spend(4), () => (wait(1), spend(1))]) {
      turns.enter(work, (error) => expect.fail(String(error)), "one")
      // It also waits before its turn.
      wait(100)
      await turn()
      used.push(turns.shares.standing("one"))
    }

    // A piece of 2 ms counts as it is.
    expect(used).toEqual([3, 3 + 4, 3 + 4 + 2])
  })

  it.live("run, fibers: a continuation counts as work of the fiber's kind, not of the last request", () =>
    Effect.gen(function* () {
      const { spend, turns } = make()
      const as = (kind: string) => Effect.provideService(Turns.Kind, kind)
      const later = Effect.sync(() => spend(20))
      const page = as("page")(turns.run(Effect.sync(() => spend(1))))
      const reading = as("reading")(turns.run(later))
      const fibers = as("fibers")(Turns.fibers(turns, Effect.andThen(Effect.yieldNow, later)))
      const works = Array.from({ length: 10 }, () => [page, reading, page, fibers]).flat()
      for (const work of [...works, page]) {
        yield* Effect.provideService(work, Turns.Holder, "one")
        yield* Effect.promise(turn)
      }

      // Pages are short: the holder is two quanta below what it has used.
      expect(turns.shares.standing("one")).toBe(21 * 1 + 20 * 20 - 16)
    }),
  )

  it.effect("fibers: throws an error that is not of the effect", () =>
    Effect.gen(function* () {
      const errors: Array<(error: unknown) => void> = []
      const enter: Turns.Turns["enter"] = (work, onError) => {
        errors.push(onError)
        work()
      }
      yield* Turns.fibers({ enter }, Effect.yieldNow)

      expect(() => errors[0]!(new Error("of the scheduler"))).toThrow("of the scheduler")
    }),
  )

  it.live("run: lets other work of the event loop run between long pieces", () =>
    Effect.gen(function* () {
      const { events, turns, work } = make()
      const tick = () => {
        events.push("tick")
        if (events.filter((event) => event === "work").length < 6) setImmediate(tick)
      }
      setImmediate(tick)

      yield* Effect.all(
        Array.from({ length: 6 }, () => turns.run(work("work", 3))),
        { concurrency: "unbounded" },
      )

      expect(events.filter((event) => event === "work")).toHaveLength(6)
      expect(events.join(" ")).not.toMatch(/work work/)
    }),
  )

  it.live("run: runs small pieces in one turn", () =>
    Effect.gen(function* () {
      const { turns } = make()
      let ticks = 0
      setImmediate(() => setImmediate(() => ticks++))

      yield* Effect.all(
        Array.from({ length: 16 }, () => turns.run(Effect.void)),
        { concurrency: "unbounded" },
      )

      expect(ticks).toBe(0)
    }),
  )

  it.live("run: continues immediately while earlier work of the fiber runs, until that has used its time", () =>
    Effect.gen(function* () {
      const { enter, events, runAs } = make()
      const request = Effect.forEach([1, 1, 1], (millis, at) => runAs("one", millis, `one-${at}`))
      const running = yield* Effect.forkChild(request, { startImmediately: true })
      enter("other", 1, "other")
      yield* Fiber.join(running)

      expect(events).toEqual(["one-0", "one-1", "other", "one-2"])
    }),
  )

  it("resume: runs immediately in a piece of its holder with time left, and otherwise in a turn", async () => {
    const { events, spend, turns } = make()
    const resume = (name: string, holder = "one") =>
      turns.resume(
        () => (spend(1), events.push(name)),
        (error) => events.push(String(error)),
        holder,
      )
    const fail = () => {
      throw new Error("failed")
    }
    resume("first")
    turns.enter(
      () => {
        turns.resume(fail, (error) => events.push(String(error)), "one")
        resume("at once")
        resume("other", "other")
        resume("at once again")
        resume("later")
        events.push("end")
      },
      (error) => expect.fail(String(error)),
      "one",
    )
    expect(events).toEqual([])
    for (let count = 0; count < 3; count++) await turn()

    expect(events).toEqual(["first", "Error: failed", "at once", "at once again", "end", "other", "later"])
  })

  it.live("run: a piece that fails or is interrupted lets the next one run", () =>
    Effect.gen(function* () {
      const { turns, work } = make()
      yield* Effect.flip(turns.run(Effect.andThen(work("failing", 12), Effect.fail("failed"))))
      const never = yield* Effect.forkChild(turns.run(Effect.never), { startImmediately: true })
      yield* Effect.promise(turn)
      yield* Fiber.interrupt(never)

      expect(yield* turns.run(Effect.succeed(1))).toBe(1)
    }),
  )

  it.live("run: a page of one key does not wait for everything that waits for another", () =>
    Effect.gen(function* () {
      const { events, runAs } = make()
      const keys = ["one", "one", "one", "one", "one", "other"]
      yield* Effect.forEach(keys, (key) => runAs(key, 6), { concurrency: "unbounded" })

      expect(events).toEqual(["one", "other", "one", "one", "one", "one"])
    }),
  )

  it.live("run: a page of a key with few requests waits for one piece of a hundred others", () =>
    Effect.gen(function* () {
      const { events, runAs } = make()
      const heavy = Array.from({ length: 300 }, (_, at) => at % 100)
      const all = yield* Effect.forkChild(
        Effect.forEach(heavy, (key) => runAs(`heavy-${key}`, 6 + key / 1_000, "heavy"), { concurrency: "unbounded" }),
        { startImmediately: true },
      )
      while (events.length < 150) yield* Effect.promise(turn)
      yield* runAs("light", 1)

      expect(events).toHaveLength(151)
      expect(events.at(-1)).toBe("light")
      yield* Fiber.interrupt(all)
    }),
  )

  it.live(
    "fibers: runs forks and continuations of an effect in turns of its holder, after holders that used less",
    () =>
      Effect.gen(function* () {
        const { enter, events, turns, work } = make()
        const steps = Effect.gen(function* () {
          yield* work("first", 6)
          yield* Effect.yieldNow
          yield* work("second", 6)
          yield* Fiber.join(yield* Effect.forkChild(work("forked", 6)))
        })
        const running = yield* Effect.forkChild(
          Effect.provideService(turns.run(Turns.fibers(turns, steps)), Turns.Holder, "one"),
          { startImmediately: true },
        )
        for (const name of ["other-0", "other-1", "other-2"]) enter(name, 5, name)
        yield* Fiber.join(running)
        yield* Effect.promise(turn)

        expect(events).toEqual(["first", "other-0", "other-1", "other-2", "second", "forked"])
        expect(turns.shares.standing("one")).toBe(18)
      }),
  )

  it.live("run: forgets work of a holder that is interrupted while it waits", () =>
    Effect.gen(function* () {
      const { events, runAs } = make()
      const waiting = yield* Effect.forkChild(runAs("left", 6), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      yield* runAs("two", 6)

      expect(events).toEqual(["two"])
    }),
  )

  it.live(
    "run: requests interrupted while they wait do not affect others of their key, and use no piece of a turn",
    () =>
      Effect.gen(function* () {
        const { enter, events, runAs } = make()
        const left = yield* Effect.forEach(Array.from({ length: 16 }), () =>
          Effect.forkChild(runAs("one", 0, "left"), { startImmediately: true }),
        )
        enter("stays", 0, "one")
        yield* Effect.forEach(left, Fiber.interrupt)
        yield* Effect.promise(turn)

        expect(events).toEqual(["stays"])
      }),
  )

  it.live("reading: reads each snapshot in a turn of the key", () =>
    Effect.gen(function* () {
      const { turns, work } = make()
      // Sound: nothing else of a reader is used.
      const reader = { snapshot: () => work("read", 3) } as unknown as ChainReader
      const read = Turns.reading(turns, reader).snapshot(() => Effect.void)
      yield* Effect.provideService(read, Turns.Holder, "one")
      yield* Effect.promise(turn)

      expect(turns.shares.standing("one")).toBe(3)
    }),
  )

  describe("enter", () => {
    it("enter: runs waiting work in order, as much as a turn has time for", async () => {
      const { enter, events } = make()
      for (const name of ["a", "b", "c", "d", "e"]) enter(name, name === "a" ? 2 : 1)
      await turn()
      expect(events).toEqual(["a"])
      await turn()
      expect(events).toEqual(["a", "b", "c"])
      enter("f", 0)
      await turn()
      expect(events).toEqual(["a", "b", "c", "d", "e"])
      await turn()
      expect(events).toEqual(["a", "b", "c", "d", "e", "f"])
    })

    it("enter: runs at most 16 pieces in a turn, each of which counts for its holder when the turn ends", async () => {
      const { enter, events, turns } = make()
      for (let count = 0; count < 17; count++) enter("work", 1 / 16, "one")
      await turn()

      expect([events.length, turns.shares.standing("one")]).toEqual([16, 1])
    })

    it("enter: work that a piece enters for its own holder does not make the holder's next work wait while the piece runs", async () => {
      const { enter, spend, turns } = make()
      const standings: Array<number> = []
      const enterAs = (work: () => void) => turns.enter(work, (error) => expect.fail(String(error)), "one")
      enter("first", 1, "other")
      await turn()
      enterAs(() => {
        spend(5)
        enterAs(() => standings.push(turns.shares.standing("other")))
      })
      await turn()
      await turn()

      // Nothing waited when the piece ended, so the other holder has saved none of its time.
      expect(standings).toEqual([1 + 5])
    })

    it("enter: begins after the received data of the sockets was read", async () => {
      const { enter, events } = make()
      const server = createServer((socket) => socket.on("data", () => events.push("read")))
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      const client = connect((server.address() as AddressInfo).port, "127.0.0.1")
      await Promise.all([once(client, "connect"), once(server, "connection")])

      // The kernel has the byte when `write` returns.
      client.write("x")
      enter("first", 30)
      enter("second", 12)
      while (!events.includes("second")) await turn()
      client.destroy()
      server.close()

      expect(events.indexOf("read")).toBeLessThan(events.indexOf("second"))
    })

    it("enter: runs the work of the holder that used the least", async () => {
      const { enter, events } = make()
      const work: ReadonlyArray<readonly [name: string, millis: number]> = [
        ["a1", 9],
        ["a2", 9],
        ["a3", 9],
        ["b1", 3],
        ["b2", 3],
        ["b3", 3],
        ["b4", 3],
        ["c1", 5],
        ["c2", 5],
      ]
      for (const [name, millis] of work) enter(name, millis, name[0])
      for (let count = 0; count < work.length; count++) await turn()

      expect(events).toEqual(["a1", "b1", "c1", "b2", "c2", "b3", "a2", "b4", "a3"])
    })

    it("enter: passes what work throws to its caller, and continues with the next work", async () => {
      const { enter, events, turns } = make()
      turns.enter(
        () => {
          throw new Error("failed")
        },
        (error) => events.push(String(error)),
      )
      enter("a", 0)
      await turn()

      expect(events).toEqual(["Error: failed", "a"])
    })

    it("enter: schedules one turn while work waits, and nothing once none does", async () => {
      const scheduled = () => process.getActiveResourcesInfo().filter((name) => name === "Immediate").length
      const { enter } = make()
      const before = scheduled()
      for (let count = 0; count < 3; count++) enter("work", 6)
      const ofTurn = scheduled() - before
      enter("work", 6)
      expect(scheduled() - before).toBe(ofTurn)
      for (let count = 0; count < 5; count++) await turn()

      expect(scheduled()).toBe(before)
    })

    it("enter: does not let work of a holder overtake its earlier waiting work", async () => {
      const { enter, events, turns } = make()
      turns.enter(
        () => {
          enter("c", 0)
          queueMicrotask(() => enter("d", 0))
        },
        () => {},
      )
      enter("a", 0)
      enter("b", 0)
      for (let count = 0; count < 3; count++) await turn()

      expect(events).toEqual(["a", "b", "c", "d"])
    })
  })
})
