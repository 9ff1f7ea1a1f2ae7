import { describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Schema, Scope } from "effect"
import { expect } from "vitest"
import * as FairQueue from "../../../src/server/admission/FairQueue.ts"
import * as FairShares from "../../../src/server/admission/FairShares.ts"

const options: FairQueue.Options = { concurrency: 2, maxWaitingPerCaller: 3, maxWaiting: 5 }

/** A queue, and work that begins when permitted and ends on demand. */
const makeWork = (more: Partial<FairQueue.Options> = {}, shares?: FairShares.FairShares) => {
  const queue = FairQueue.make({ ...options, ...more }, shares)
  const begun: Array<string> = []
  const ends = new Map<string, Deferred.Deferred<void>>()
  const start = Effect.fnUntraced(function* (caller: string, name: string) {
    const end = yield* Deferred.make<void>()
    ends.set(name, end)
    const work = Effect.andThen(
      Effect.sync(() => void begun.push(name)),
      Deferred.await(end),
    )
    return yield* Effect.forkChild(queue.run(caller, work), { startImmediately: true })
  })
  const end = (name: string) => Effect.andThen(Deferred.succeed(ends.get(name)!, undefined), Effect.yieldNow)
  return { queue, begun, start, end }
}

describe("FairQueue", () => {
  it.effect("run: runs one computation per caller at a time, and another caller does not wait for it", () =>
    Effect.gen(function* () {
      const { begun, end, start } = makeWork()
      for (const name of ["a1", "a2", "a3"]) yield* start("a", name)
      yield* start("b", "b1")
      expect(begun).toEqual(["a1", "b1"])
      yield* end("a1")
      expect(begun).toEqual(["a1", "b1", "a2"])
    }),
  )

  it.effect("run: runs at most as many computations of a caller at once as the options permit", () =>
    Effect.gen(function* () {
      const { begun, end, queue, start } = makeWork({ concurrency: 5, concurrencyPerCaller: 2 })
      for (const name of ["a1", "a2", "a3", "a4"]) yield* start("a", name)
      yield* start("b", "b1")
      expect(begun).toEqual(["a1", "a2", "b1"])
      yield* end("a2")
      expect(begun).toEqual(["a1", "a2", "b1", "a3"])
      for (const name of ["a1", "a3", "a4", "b1"]) yield* end(name)

      expect(begun).toEqual(["a1", "a2", "b1", "a3", "a4"])
      expect(queue.size()).toEqual({ running: 0, waiting: 0 })
    }),
  )

  it.effect("run: callers take turns, however many computations each has waiting", () =>
    Effect.gen(function* () {
      const { begun, end, start } = makeWork({ concurrency: 1 })
      for (const name of ["a1", "a2", "a3"]) yield* start("a", name)
      yield* start("b", "b1")
      yield* start("c", "c1")
      for (const name of ["a1", "a2", "b1", "c1"]) yield* end(name)

      expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3"])
    }),
  )

  it.effect("run: the next caller is the one that used the least thread time", () =>
    Effect.gen(function* () {
      const shares = FairShares.make()
      shares.enter("waiting")
      shares.add("a", 1, false)
      for (let at = 0; at < 10; at++) shares.add("b", 30, false)
      const { begun, end, start } = makeWork({ concurrency: 1 }, shares)
      yield* start("a", "a1")
      yield* start("b", "b1")
      yield* start("a", "a2")
      yield* start("c", "c1")
      shares.add("c", 40, false)
      for (const name of ["a1", "b1", "a2"]) yield* end(begun.at(-1) ?? name)

      expect(begun).toEqual(["a1", "a2", "c1", "b1"])
    }),
  )

  it.effect("enter: keeps a turn until its scope ends", () =>
    Effect.gen(function* () {
      const queue = FairQueue.make({ ...options, concurrency: 1 })
      const scope = yield* Scope.make()
      yield* Scope.provide(queue.enter("a"), scope)
      const waiting = yield* Effect.forkChild(queue.run("b", Effect.succeed(1)), { startImmediately: true })
      expect(queue.size()).toEqual({ running: 1, waiting: 1 })
      yield* Scope.close(scope, Exit.void)

      expect(yield* Fiber.join(waiting)).toBe(1)
      expect(queue.size()).toEqual({ running: 0, waiting: 0 })
    }),
  )

  it.effect("run: rejects computations beyond the limit per caller and the total limit", () =>
    Effect.gen(function* () {
      const { queue, start } = makeWork({ concurrency: 1 })
      for (const name of ["a1", "a2", "a3", "a4"]) yield* start("a", name)
      const ofCaller = yield* Effect.flip(queue.run("a", Effect.void))
      yield* start("b", "b1")
      yield* start("b", "b2")
      const ofAll = yield* Effect.flip(queue.run("c", Effect.void))

      expect([ofCaller.scope, ofCaller.max, ofAll.scope, ofAll.max]).toEqual(["caller", 3, "total", 5])
      expect(queue.size()).toEqual({ running: 1, waiting: 5 })
    }),
  )

  it.effect("run: an interrupted computation leaves the queue, and its slot to others", () =>
    Effect.gen(function* () {
      const { begun, end, queue, start } = makeWork({ concurrency: 1 })
      const running = yield* start("a", "a1")
      const waiting = yield* start("a", "a2")
      yield* start("a", "a3")
      yield* start("b", "b1")
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(running)
      yield* end("a3")
      yield* end("b1")

      expect(begun).toEqual(["a1", "a3", "b1"])
      expect(queue.size()).toEqual({ running: 0, waiting: 0 })
    }),
  )

  it.effect("run: skips a caller whose last waiting computation is interrupted", () =>
    Effect.gen(function* () {
      const { begun, end, queue, start } = makeWork({ concurrency: 1 })
      yield* start("a", "a1")
      const waiting = yield* start("b", "b1")
      yield* start("c", "c1")
      yield* Fiber.interrupt(waiting)
      yield* end("a1")

      expect(begun).toEqual(["a1", "c1"])
      expect(queue.size()).toEqual({ running: 1, waiting: 0 })
    }),
  )

  it.effect.prop(
    "run: runs everything that is admitted once, within the limits, in any order of arrivals",
    { callers: Schema.Array(Schema.Literals(["a", "b", "c", "d"])) },
    ({ callers }) =>
      Effect.gen(function* () {
        const queue = FairQueue.make({ concurrency: 2, maxWaitingPerCaller: 4, maxWaiting: 8 })
        const running = new Map<string, number>()
        let most = 0
        const work = (caller: string) =>
          Effect.gen(function* () {
            running.set(caller, (running.get(caller) ?? 0) + 1)
            expect(running.get(caller)).toBe(1)
            most = Math.max(most, [...running.values()].filter((count) => count > 0).length)
            yield* Effect.yieldNow
            running.set(caller, 0)
          })
        const all = callers.map((caller) => Effect.exit(queue.run(caller, work(caller))))
        const exits = yield* Effect.all(all, { concurrency: "unbounded" })

        expect(most).toBeLessThanOrEqual(2)
        expect(queue.size()).toEqual({ running: 0, waiting: 0 })
        if (callers.length <= 4) expect(exits.every(({ _tag }) => _tag === "Success")).toBe(true)
      }),
  )
})
