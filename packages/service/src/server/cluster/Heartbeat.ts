/**
 * Detects a serving process with a blocked event loop: it is pinged at an interval, and considered hung after a number of consecutive
 * unanswered pings. Pings are counted instead of timed, so that a suspended machine does not count against the process.
 */
import * as Effect from "effect/Effect"

const everyMillis = 2_000

const maxUnanswered = 5

/** Seconds without an answer after which a process is considered hung. */
export const hungSeconds = (everyMillis * maxUnanswered) / 1000

/** Pings a process until it is hung. */
export const untilHung = Effect.fnUntraced(function* (ping: Effect.Effect<unknown, unknown>) {
  let unanswered = 0
  const answered = Effect.tap(ping, () => Effect.sync(() => (unanswered = 0)))
  while (unanswered < maxUnanswered) {
    unanswered++
    yield* Effect.forkChild(Effect.ignore(answered), { startImmediately: true })
    yield* Effect.sleep(everyMillis)
  }
})
