/**
 * Notices a serving process whose event loop stands still: it is pinged at an interval, and counts as hung after some pings in a row
 * without an answer. Pings are counted and not their time, so that a suspended machine does not count against the process.
 */
import * as Effect from "effect/Effect"

/** What is known of the pings of a process. */
export interface Pings {
  /** Pings since its last answer. */
  unanswered: number
}

const everyMillis = 2_000

const maxUnanswered = 5

/** Seconds without an answer after which a process counts as hung. */
export const hungSeconds = (everyMillis * maxUnanswered) / 1000

/** Pings a process until it is hung. */
export const untilHung = Effect.fnUntraced(function* (pings: Pings, ping: () => void) {
  while (pings.unanswered < maxUnanswered) {
    pings.unanswered++
    ping()
    yield* Effect.sleep(everyMillis)
  }
})
