/**
 * A clock for intervals: it is never set, so that a step of the system's clock neither shortens nor prolongs what is measured. Its
 * readings mean nothing to other processes.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds since some instant. */
export const millis: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)
