/** Keeps a client below a rate that its owner sets, by calls or by cost units, so that the server has no reason to refuse. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { RateLimit } from "../Options.ts"

export interface Limiter {
  /** How long a call would have to wait now, in milliseconds; 0 or less: not at all. The time is the monotonic clock's. */
  readonly waitMillis: (method: string, nowMillis: number) => number
  /**
   * Takes what a call costs, waiting for it for at most `withinMillis`. Gives the time that would have had to be waited,
   * with nothing taken, when that is longer; otherwise undefined.
   */
  readonly take: (method: string, withinMillis: number) => Effect.Effect<Duration.Duration | undefined>
}

/** A bucket that fills at `perSecond` up to `burst`, and may be owed: callers wait in the order in which they came. */
export const make = (options: RateLimit): Limiter => {
  const { perSecond, units = {}, defaultUnits = 1 } = options
  const burst = options.burst ?? Math.max(perSecond, 1)
  let level = burst
  let filledAt: number | undefined

  const costOf = (method: string): number =>
    Math.min(Object.hasOwn(units, method) ? units[method]! : defaultUnits, burst)

  const waitMillis: Limiter["waitMillis"] = (method, nowMillis) => {
    level = Math.min(burst, level + ((nowMillis - (filledAt ?? nowMillis)) * perSecond) / 1000)
    filledAt = nowMillis
    return ((costOf(method) - level) * 1000) / perSecond
  }

  const take: Limiter["take"] = (method, withinMillis) =>
    Effect.flatMap(Clock.monotonicTimeNanos, (nanos) => {
      const millis = waitMillis(method, Number(nanos) / 1e6)
      if (millis >= withinMillis) return Effect.succeed(Duration.millis(Math.ceil(millis)))
      const cost = costOf(method)
      level -= cost
      if (millis <= 0) return Effect.undefined
      return Effect.sleep(Duration.millis(millis)).pipe(
        Effect.onInterrupt(() => Effect.sync(() => (level += cost))),
        Effect.as(undefined),
      )
    })

  return { waitMillis, take }
}
