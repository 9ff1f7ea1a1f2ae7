/**
 * Long computations in steps: a generator that yields between two parts of its work. A large block then does not block the event loop, and
 * heartbeats, leases and responses are not delayed.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as MonotonicClock from "./MonotonicClock.ts"

/**
 * A computation that pauses after each of its steps.
 */
export type Steps<A> = Generator<undefined, A>

/** Time of one turn of the event loop, in milliseconds. */
const turnMillis = 10

/**
 * Runs all steps in one turn.
 */
export const runSync = <A>(steps: Steps<A>): A => {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/**
 * Runs the steps of a computation, and yields to other work whenever they have taken 10 milliseconds.
 */
export const run = <A>(compute: () => Steps<A>): Effect.Effect<A> =>
  Effect.clockWith((clock: Clock.Clock) => {
    const now = MonotonicClock.readerOf(clock)
    const steps = compute()
    const turn: Effect.Effect<A> = Effect.suspend(() => {
      const until = now() + turnMillis
      do {
        const { done, value } = steps.next()
        if (done === true) return Effect.succeed(value)
      } while (now() < until)
      return Effect.andThen(Effect.yieldNow, turn)
    })
    return turn
  })
