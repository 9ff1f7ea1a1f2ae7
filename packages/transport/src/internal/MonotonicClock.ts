/**
 * A clock for intervals: it is never set, so that a step of the system's clock neither shortens nor prolongs what is measured. Its
 * readings mean nothing to other processes.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds of a clock since some instant. */
export const millisOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/** Milliseconds of the clock service since some instant. */
export const millis: Effect.Effect<number> = /* @__PURE__ */ Effect.map(Clock.Clock, millisOf)
