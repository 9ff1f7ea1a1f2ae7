/**
 * When a stream that follows a query requests newer rows: once the server sends an event of them where it sends events, else after each
 * interval.
 *
 * Source: decision 0021.
 */
import type { WalletEvent } from "@daybook/schema/WalletEvent"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** Longest time between two requests while events arrive: an event and a page may be those of two replicas, one of which lags. */
const backstop = Duration.minutes(1)

const isChange = ({ type }: WalletEvent): boolean => type !== "covered" && type !== "block.final"

/** Makes the effect that waits until newer rows may exist. Events are requested from the first wait on. */
export const make = (
  changes: Stream.Stream<WalletEvent, unknown> | undefined,
  every: Duration.Duration,
  scope: Scope.Scope,
): Effect.Effect<void> => {
  if (changes === undefined) return Effect.sleep(every)
  const latch = Latch.makeUnsafe()
  let isStarted = false
  let isListening = false
  const onEvent = (event: WalletEvent) =>
    Effect.sync(() => {
      // Between the last page and the first event rows may have been added.
      if (!isListening || isChange(event)) latch.openUnsafe()
      isListening = true
    })
  const ended = Effect.sync(() => {
    if (isListening) latch.openUnsafe()
    isListening = false
  })
  const listening = Effect.ensuring(Effect.ignore(Stream.runForEach(changes, onEvent)), ended)
  return Effect.gen(function* () {
    if (!isStarted) {
      isStarted = true
      yield* Effect.forkIn(listening, scope)
    }
    const most = isListening ? Duration.max(every, backstop) : every
    yield* Effect.raceFirst(latch.await, Effect.sleep(most))
    latch.closeUnsafe()
  })
}
