/**
 * Spreads the calls of a background task over time, so that it leaves the node to others.
 */
import * as Effect from "effect/Effect"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type { Node } from "../node/Node.ts"

const minuteMillis = 60_000

/**
 * Makes a wait before so many calls, until those before them had their time. After a rest, the calls of `burstMillis` wait for nothing.
 * Calls whose wait is interrupted are not made, and take no time of others.
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
 * A node whose batches wait until the calls before them had their time, at so many calls per minute.
 */
export const paced = (node: Node, callsPerMinute: number): Node => {
  const pause = make(callsPerMinute)
  return {
    ...node,
    batch: (calls, task) => Effect.andThen(pause(calls.length), node.batch(calls, task)),
  }
}
