/**
 * Bounds the synchronous work of one kind in one turn of the event loop: what exceeds it waits for the next turn, so that other
 * requests are read and answered in between. One bounds the work on large responses, another one the start of requests, which therefore
 * do not wait behind large responses. What waits is taken from each holder of an API key in turn: no key waits for all requests of another.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as MonotonicClock from "../../supervision/MonotonicClock.ts"

/** Time that work takes of a turn, in milliseconds. */
const turnMillis = 5

/** Holder of the API key for which a fiber works; empty for work of the process. */
export const Holder = Context.Reference<string>("@daybook/service/server/admission/Turns/Holder", {
  defaultValue: () => "",
})

/** Admits work by the turns of the event loop. */
export interface Turns {
  /** Runs work of the fiber's `Holder` now, or in a later turn where this one has had enough. */
  readonly run: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Runs a function in a turn, and passes what it throws to `onError`. Default holder: the process. */
  readonly enter: (work: () => void, onError: (error: unknown) => void, holder?: string) => void
}

/** Makes turns, each with a time of its own by a clock. */
export const make = (now: MonotonicClock.Reader): Turns => {
  /** Functions of each holder that do not throw: an exception in a later turn would end the process. Holders are in the order of their turns. */
  const waiting = new Map<string, Set<() => void>>()
  /** When work began in this turn; undefined where none did. */
  let startedAt: number | undefined

  const wait = (holder: string, resume: () => void) => {
    const own = waiting.get(holder)
    if (own === undefined) waiting.set(holder, new Set([resume]))
    else own.add(resume)
  }

  const leave = (holder: string, resume: () => void) => {
    const own = waiting.get(holder)
    if (own?.delete(resume) === true && own.size === 0) waiting.delete(holder)
  }

  const begin = () => {
    startedAt = now()
    for (const [holder, own] of waiting) {
      const [resume] = own
      waiting.delete(holder)
      if (resume === undefined) continue
      own.delete(resume)
      if (own.size > 0) waiting.set(holder, own)
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

  const next = (holder: string): Effect.Effect<void> =>
    Effect.callback((done) => {
      const resume = () => done(Effect.void)
      wait(holder, resume)
      return Effect.sync(() => leave(holder, resume))
    })

  return {
    run: (work) => Effect.withFiber((fiber) => (isOpen() ? work : Effect.andThen(next(fiber.getRef(Holder)), work))),
    enter: (work, onError, holder = "") => {
      const settle = () => {
        try {
          work()
        } catch (error) {
          onError(error)
        }
      }
      if (isOpen()) settle()
      else wait(holder, settle)
    },
  }
}
