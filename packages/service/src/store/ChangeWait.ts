/**
 * Waits for changes of a journal: polls its newest change, and checks at once if the engine notifies of writes.
 */
import * as Effect from "effect/Effect"
import type { StoreError } from "./StoreError.ts"

/** How to wait. */
export interface Options {
  /** Interval between polls. */
  readonly everyMillis: number
  /** Runs before each poll and returns an effect that completes with the first notification after that. Default: no notifications. */
  readonly next?: Effect.Effect<Effect.Effect<void>>
}

/** Waits until the number of the newest change differs from a given number, and returns it. */
export const make =
  (newest: Effect.Effect<number, StoreError>, { everyMillis, next = Effect.succeed(Effect.never) }: Options) =>
  (known: number): Effect.Effect<number, StoreError> =>
    Effect.gen(function* () {
      for (;;) {
        const notified = yield* next
        const found = yield* newest
        if (found !== known) return found
        yield* Effect.raceFirst(notified, Effect.sleep(everyMillis))
      }
    })
