/**
 * Time that advances to the next instant once no work is left at the current one: a clock and a scheduler for effects, and timers for
 * the simulated world. An hour passes in milliseconds, and the same seed produces the same order of events.
 *
 * Effect's TestClock is not sufficient: it does not expose when its next sleeper wakes, and it does not wait for the promises of a
 * fetch.
 */
import { Duration, Effect, Random, References, Scheduler } from "effect"
import { Clock } from "effect"
import type { Fiber } from "effect"
import type { SeededRandom } from "../store/SeededRandom.ts"

export interface VirtualTime {
  /** Current time in Unix milliseconds. */
  readonly now: () => number
  /** Schedules an action; the result cancels it. */
  readonly after: (millis: number, action: () => void) => () => void
  /** Runs everything that is due up to an instant, or until `isOver`. */
  readonly runUntil: (millis: number, isOver: () => boolean) => Promise<void>
  /** Runs an effect in virtual time, without its logs. */
  readonly inside: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * Runs an effect in real time, while virtual time does not advance. Such effects run sequentially once no other work is left, so that
   * the order of events does not depend on their duration.
   */
  readonly outside: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** While true, fibers do not yield to each other. */
  isUninterrupted: boolean
}

interface Entry {
  readonly at: number
  readonly action: () => void
}

/** Start of virtual time: the first second of 2026. */
export const beginning = 1_767_225_600_000

const macrotask = () => new Promise<void>((resolve) => process.nextTick(resolve))

/** Creates virtual time; fibers yield to each other at random points. */
export const make = (random: SeededRandom): VirtualTime => {
  let now = beginning
  const calendar: Array<Entry> = []
  const due: Array<() => void> = []
  /** Effects that wait to run in real time; each resolves to the continuation with its result. */
  const jobs: Array<() => Promise<() => void>> = []

  const after: VirtualTime["after"] = (millis, action) => {
    const entry = { at: now + Math.max(0, millis), action }
    let low = 0
    let high = calendar.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (calendar[middle]!.at <= entry.at) low = middle + 1
      else high = middle
    }
    calendar.splice(low, 0, entry)
    return () => {
      const at = calendar.indexOf(entry)
      if (at >= 0) calendar.splice(at, 1)
    }
  }

  const settle = async () => {
    for (;;) {
      while (due.length > 0) due.shift()!()
      await macrotask()
      if (due.length > 0) continue
      const job = jobs.shift()
      if (job === undefined) return
      const proceed = await job()
      proceed()
    }
  }

  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
    sleep: (duration) => {
      const millis = Math.ceil(Duration.toMillis(duration))
      if (millis <= 0) return Effect.void
      return Effect.callback<void>((resume) => {
        if (!Number.isFinite(millis)) return
        const cancel = after(millis, () => resume(Effect.void))
        return Effect.sync(cancel)
      })
    },
  }

  const scheduler = new Scheduler.MixedScheduler("async", (task) => {
    due.push(task)
    return () => {
      const at = due.indexOf(task)
      if (at >= 0) due.splice(at, 1)
    }
  })
  const time: VirtualTime = {
    now: () => now,
    after,
    runUntil: async (millis, isOver) => {
      await settle()
      while (!isOver()) {
        const next = calendar[0]
        if (next === undefined || next.at > millis) {
          now = Math.max(now, millis)
          return
        }
        calendar.shift()
        now = Math.max(now, next.at)
        next.action()
        await settle()
      }
    },
    inside: (effect) =>
      effect.pipe(
        Effect.provideService(Clock.Clock, clock),
        Effect.provideService(Scheduler.Scheduler, scheduler),
        Effect.provideService(Random.Random, {
          nextIntUnsafe: () => random.below(2 ** 32) - 2 ** 31,
          nextDoubleUnsafe: () => random.below(2 ** 32) / 2 ** 32,
        }),
        Effect.provideService(References.MinimumLogLevel, "None"),
        Effect.provideService(References.TracerEnabled, false),
      ),
    outside: <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.callback<A, E>((resume) => {
        const job = async () => {
          const exit = await Effect.runPromiseExit(effect)
          return () => resume(exit)
        }
        jobs.push(job)
        return Effect.sync(() => {
          const at = jobs.indexOf(job)
          if (at >= 0) jobs.splice(at, 1)
        })
      }),
    isUninterrupted: false,
  }
  let operationsUntilYield = 2048
  scheduler.shouldYield = (fiber: Fiber.Fiber<unknown, unknown>) => {
    if (time.isUninterrupted || fiber.currentOpCount < operationsUntilYield) return false
    operationsUntilYield = random.is(0.2) ? random.between(1, 60) : random.between(60, 2048)
    return true
  }
  return time
}
