/**
 * Notifications sent when writes of a database are committed. One connection listens while readers wait. Replicas and some poolers deliver
 * no notifications, so a waiting reader also polls the journal.
 *
 * Source: decision 0073.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as RcRef from "effect/RcRef"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as JournalRow from "../rows/JournalRow.ts"
import type { Pool } from "./Pool.ts"

/** Notifications of the chains of a database. */
export interface Notifications {
  /** Runs an effect while a connection listens; `next` returns an effect that completes with the next notification for the schema. */
  readonly listening: <A, E, R>(
    schema: string,
    use: (next: Effect.Effect<Effect.Effect<void>>) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E, R>
}

/** Time for which a connection keeps listening after the last waiting reader has left. */
const idle = "30 seconds"
/** Pause before a failed connection is reopened. */
const pause = "10 seconds"

/** Notifications of a database, until the scope ends. */
export const make = (pool: Pick<Pool, "listen">): Effect.Effect<Notifications, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting = new Map<string, Deferred.Deferred<void>>()
    const notify = (schema: string) =>
      Effect.suspend(() => {
        const found = waiting.get(schema)
        waiting.delete(schema)
        return found === undefined ? Effect.void : Deferred.succeed(found, undefined)
      })
    const listener = yield* RcRef.make({
      acquire: Effect.forkScoped(Effect.retry(pool.listen(JournalRow.channel, notify), Schedule.spaced(pause))),
      idleTimeToLive: idle,
    })
    const next = (schema: string) =>
      Effect.sync(() => {
        const deferred = waiting.get(schema) ?? Deferred.makeUnsafe<void>()
        waiting.set(schema, deferred)
        return Deferred.await(deferred)
      })
    return {
      listening: (schema, use) =>
        Effect.scoped(
          Effect.andThen(
            RcRef.get(listener),
            Effect.suspend(() => use(next(schema))),
          ),
        ),
    }
  })
