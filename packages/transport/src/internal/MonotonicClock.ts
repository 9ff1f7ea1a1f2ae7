/**
 * A clock for intervals. It is never set, so a step of the system clock neither shortens nor prolongs a measurement. Its readings are
 * meaningless to other processes.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds of a clock since some instant. */
export const millisOf = (clock: Pick<Clock.Clock, "monotonicTimeNanosUnsafe">): number =>
  Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/** Milliseconds of the clock service since some instant. */
export const millis: Effect.Effect<number> = /* @__PURE__ */ Effect.map(Clock.Clock, millisOf)

/** Reads these milliseconds outside of effects. */
export type Reader = () => number

/** The reader of a clock. */
export const readerOf =
  (clock: Pick<Clock.Clock, "monotonicTimeNanosUnsafe">): Reader =>
  () =>
    millisOf(clock)

/** The reader of the clock service. */
export const reader: Effect.Effect<Reader> = /* @__PURE__ */ Effect.map(Clock.Clock, readerOf)
