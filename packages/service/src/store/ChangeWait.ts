/**
 * Waits for changes of a journal: polls its newest change, and checks at once if the engine notifies of writes.
 */
import * as Effect from "effect/Effect"
import type { StoreError } from "./StoreError.ts"

/** How to wait. */
export interface Options {
  /** Time between two looks. */
  readonly everyMillis: number
  /** Is run before each look, and gives an effect that ends with the first notification after that. Default: there is none. */
  readonly next?: Effect.Effect<Effect.Effect<void>>
}

/** Waits until the newest change is another one than a given number, and gives its number. */
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
