/**
 * Looks up many keys with few statements. Lookups that begin while a statement runs share the next one, so that no result is older than its
 * lookup. A lookup alone is sent at once.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** Lookups that wait for the next statement. */
interface Waiting<A, E> {
  readonly keys: Set<string>
  readonly found: Deferred.Deferred<ReadonlyMap<string, A>, E>
}

/**
 * Makes the lookup of one key from that of a list; it returns `null` for a key that is not found.
 *
 * **Errors**
 * - Those of `findAll`, for all lookups that share it.
 */
export const make = <A, E>(
  findAll: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, A>, E>,
): ((key: string) => Effect.Effect<A | null, E>) => {
  let isRunning = false
  let waiting: Waiting<A, E> | undefined

  /** Sends what waits. It does not end with the lookup that it follows. */
  const next: Effect.Effect<void> = Effect.suspend(() => {
    const shared = waiting
    waiting = undefined
    isRunning = shared !== undefined
    if (shared === undefined) return Effect.void
    const sent = Deferred.into(findAll([...shared.keys]), shared.found)
    return Effect.asVoid(Effect.forkDetach(Effect.ensuring(sent, next), { startImmediately: true }))
  })

  const first = (key: string) => {
    isRunning = true
    return Effect.ensuring(findAll([key]), next)
  }

  const join = (key: string) => {
    waiting ??= { keys: new Set(), found: Deferred.makeUnsafe() }
    waiting.keys.add(key)
    return Deferred.await(waiting.found)
  }

  return (key) =>
    Effect.map(
      Effect.suspend(() => (isRunning ? join(key) : first(key))),
      (found) => found.get(key) ?? null,
    )
}
