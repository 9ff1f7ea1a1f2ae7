/**
 * Bounds the synchronous work of one kind in one turn of the event loop: what exceeds it waits for the next turn, so that other
 * requests are read and answered in between. One bounds the work on large responses, another one the start of requests, which therefore
 * do not wait behind large responses.
 */
import * as Effect from "effect/Effect"
import type * as MonotonicClock from "../../supervision/MonotonicClock.ts"

/** Time that work takes of a turn, in milliseconds. */
const turnMillis = 5

/** Admits work by the turns of the event loop. */
export interface Turns {
  /** Runs work now, or in a later turn where this one has had enough. */
  readonly run: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Runs a function in a turn, and passes what it throws to `onError`. */
  readonly enter: (work: () => void, onError: (error: unknown) => void) => void
}

/** Makes turns, each with a time of its own by a clock. */
export const make = (now: MonotonicClock.Reader): Turns => {
  /** Functions that do not throw: an exception in a later turn would end the process. */
  const waiting = new Set<() => void>()
  /** When work began in this turn; undefined where none did. */
  let startedAt: number | undefined

  const begin = () => {
    startedAt = now()
    for (const resume of waiting) {
      waiting.delete(resume)
      resume()
      if (now() - startedAt >= turnMillis) break
    }
    startedAt = undefined
    if (waiting.size > 0) schedule()
  }

  /**
   * Begins the next turn; called once in a turn. The first immediate may run before the sockets are read, right after the work of this
   * turn; the second one runs after it.
   */
  const schedule = () => setImmediate(() => setImmediate(begin))

  /** The turn has time. Where it has none, the next one is scheduled: work began in this one, or waits already. */
  const isOpen = (): boolean => {
    if (waiting.size > 0) return false
    if (startedAt !== undefined) return now() - startedAt < turnMillis
    startedAt = now()
    schedule()
    return true
  }

  const next: Effect.Effect<void> = Effect.callback((done) => {
    const resume = () => done(Effect.void)
    waiting.add(resume)
    return Effect.sync(() => waiting.delete(resume))
  })

  return {
    run: (work) => Effect.suspend(() => (isOpen() ? work : Effect.andThen(next, work))),
    enter: (work, onError) => {
      const settle = () => {
        try {
          work()
        } catch (error) {
          onError(error)
        }
      }
      if (isOpen()) settle()
      else waiting.add(settle)
    },
  }
}
