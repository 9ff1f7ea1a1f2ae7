/**
 * Spreads the calls of a background task over time, so that it leaves capacity of the node to others.
 */
import * as Effect from "effect/Effect"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type { Node } from "../node/Node.ts"

const minuteMillis = 60_000

/**
 * Makes a rate limiter that waits before a number of calls until earlier ones had their time. After an idle time, the calls of
 * `burstMillis` do not wait. Calls whose wait is interrupted are not counted.
 */
export const make = (callsPerMinute: number, burstMillis = 0): ((calls: number) => Effect.Effect<void>) => {
  let freeAt = Number.NEGATIVE_INFINITY
  return Effect.fnUntraced(function* (calls) {
    const now = yield* MonotonicClock.millis
    const wait = Math.max(0, freeAt - now)
    const time = (calls * minuteMillis) / callsPerMinute
    freeAt = Math.max(freeAt, now - burstMillis) + time
    yield* Effect.onInterrupt(Effect.sleep(wait), () => Effect.sync(() => void (freeAt -= time)))
  })
}

/**
 * A node whose batches are limited to a number of calls per minute.
 */
export const paced = (node: Node, callsPerMinute: number): Node => {
  const pause = make(callsPerMinute)
  return {
    ...node,
    batch: (calls, task) => Effect.andThen(pause(calls.length), node.batch(calls, task)),
  }
}
