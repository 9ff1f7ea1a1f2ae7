/**
 * Bounds the synchronous work on large responses in one turn of the event loop: what exceeds it waits for the next turn, so that other
 * requests are read and answered in between.
 */
import * as Effect from "effect/Effect"

/** Time that work takes of a turn, in milliseconds. */
const turnMillis = 5

/** Admits work by the turns of the event loop. */
export interface Turns {
  /** Runs work now, or in a later turn where this one has had enough. */
  readonly run: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The same for a function. Its time counts once it returns: it must not enter work itself. */
  readonly enter: (work: () => void) => void
}

/** Makes the turns of a process. */
export const make = (): Turns => {
  const waiting = new Set<() => void>()
  let spent = 0
  let isScheduled = false

  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      spent = 0
      for (const resume of waiting) {
        if (spent >= turnMillis) break
        waiting.delete(resume)
        resume()
      }
    })
  }

  /** The turn has time. Where it has none, a later one is scheduled: work has spent it, or waits already. */
  const isOpen = () => spent < turnMillis && waiting.size === 0

  const spend = (startedAt: number) => {
    spent += performance.now() - startedAt
    schedule()
  }

  const next: Effect.Effect<void> = Effect.callback((done) => {
    const resume = () => done(Effect.void)
    waiting.add(resume)
    return Effect.sync(() => waiting.delete(resume))
  })

  const measured = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const startedAt = performance.now()
      return Effect.onExit(work, () => Effect.sync(() => spend(startedAt)))
    })

  return {
    run: (work) => Effect.suspend(() => (isOpen() ? measured(work) : Effect.andThen(next, measured(work)))),
    enter: (work) => {
      const measuredWork = () => {
        const startedAt = performance.now()
        work()
        spend(startedAt)
      }
      if (isOpen()) measuredWork()
      else waiting.add(measuredWork)
    },
  }
}
