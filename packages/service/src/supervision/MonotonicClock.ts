/**
 * A clock for intervals: it is never set, so that a step of the system's clock neither shortens nor prolongs what is measured. Its
 * readings mean nothing to other processes.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds since some instant. */
export const millis: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

/** Reads such milliseconds outside of effects. */
export type Reader = () => number

/** The reader of a clock. */
export const readerOf = (clock: Pick<Clock.Clock, "monotonicTimeNanosUnsafe">): Reader => {
  return () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
}

/** The reader of the clock in the context. */
export const reader: Effect.Effect<Reader> = Effect.map(Clock.Clock, readerOf)
