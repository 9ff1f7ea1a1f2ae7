/**
 * Waits for changes of a journal: looks at its newest change now and then, and at once where the engine is notified of writes.
 */
import * as Effect from "effect/Effect"
import type { StoreError } from "./StoreError.ts"

/** Time between two looks. */
export const pollMillis = 1_000

/**
 * Waits until the newest change is another one than a given number, and gives its number.
 *
 * @param next - Is run before each look, and gives an effect that ends with the first notification after that.
 */
export const make =
  (
    newest: Effect.Effect<number, StoreError>,
    next: Effect.Effect<Effect.Effect<void>> = Effect.succeed(Effect.never),
  ) =>
  (known: number): Effect.Effect<number, StoreError> =>
    Effect.gen(function* () {
      for (;;) {
        const notified = yield* next
        const found = yield* newest
        if (found !== known) return found
        yield* Effect.raceFirst(notified, Effect.sleep(pollMillis))
      }
    })
