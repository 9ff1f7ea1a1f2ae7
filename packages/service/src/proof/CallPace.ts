/**
 * Spreads the calls of a background task over time, so that it leaves the node to others.
 */
import * as Effect from "effect/Effect"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type { Node } from "../node/Node.ts"

const minuteMillis = 60_000

/**
 * A node whose batches wait until the calls before them had their time, at so many calls per minute.
 */
export const paced = (node: Node, callsPerMinute: number): Node => {
  let freeAt = 0
  return {
    ...node,
    batch: Effect.fnUntraced(function* (calls, task) {
      const now = yield* MonotonicClock.millis
      const wait = Math.max(0, freeAt - now)
      freeAt = Math.max(freeAt, now) + (calls.length * minuteMillis) / callsPerMinute
      yield* Effect.sleep(wait)
      return yield* node.batch(calls, task)
    }),
  }
}
