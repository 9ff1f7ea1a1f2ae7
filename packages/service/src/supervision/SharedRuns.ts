/**
 * Runs an effect once for all concurrent callers with the same key. It continues while any caller waits, and is interrupted once all have
 * left.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

interface Run<A, E> {
  readonly fiber: Fiber.Fiber<A, E>
  waiting: number
}

/** Makes the state that callers share. */
export const make = <K extends number | string, A, E>() => {
  const runs = new Map<K, Run<A, E>>()
  const join = (key: K, effect: Effect.Effect<A, E>): Effect.Effect<Run<A, E>> =>
    Effect.suspend(() => {
      const found = runs.get(key)
      if (found !== undefined) {
        found.waiting++
        return Effect.succeed(found)
      }
      return Effect.map(Effect.forkDetach(effect), (fiber) => {
        const begun: Run<A, E> = { fiber, waiting: 1 }
        runs.set(key, begun)
        return begun
      })
    })
  const leave = (key: K, own: Run<A, E>): Effect.Effect<void> =>
    Effect.suspend(() => {
      own.waiting--
      if (own.waiting > 0) return Effect.void
      if (runs.get(key) === own) runs.delete(key)
      return Fiber.interrupt(own.fiber)
    })
  return (key: K, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.acquireUseRelease(
      join(key, effect),
      ({ fiber }) => Fiber.join(fiber),
      (own) => leave(key, own),
    )
}
