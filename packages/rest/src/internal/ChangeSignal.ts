/**
 * Decides when a stream that follows a query requests newer rows: when the server sends an event for them or, without events, at each
 * interval.
 *
 * Source: decision 0021.
 */
import type { WalletEvent } from "@daybook/schema/WalletEvent"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** Longest time between two requests while events arrive. An event and a page may be served by two replicas, one of which lags. */
const backstop = Duration.minutes(1)

const isChange = ({ type }: WalletEvent): boolean => type !== "covered" && type !== "block.final"

/** Makes the effect that waits until newer rows may exist. Events are requested from the first wait on. */
export const make = (
  changes: Stream.Stream<WalletEvent, unknown> | undefined,
  every: Duration.Duration,
  scope: Scope.Scope,
): Effect.Effect<void> => {
  if (changes === undefined) return Effect.sleep(every)
  let changed = Deferred.makeUnsafe<void>()
  const report = () => Deferred.doneUnsafe(changed, Exit.void)
  let isStarted = false
  let isListening = false
  const onEvent = (event: WalletEvent) =>
    Effect.sync(() => {
      // Rows may have been added between the last page and the first event.
      if (!isListening || isChange(event)) report()
      isListening = true
    })
  const ended = Effect.sync(() => {
    if (isListening) report()
    isListening = false
  })
  const listening = Effect.ensuring(Effect.ignore(Stream.runForEach(changes, onEvent)), ended)
  return Effect.gen(function* () {
    if (!isStarted) {
      isStarted = true
      yield* Effect.forkIn(listening, scope)
    }
    const most = isListening ? Duration.max(every, backstop) : every
    yield* Effect.raceFirst(Deferred.await(changed), Effect.sleep(most))
    changed = Deferred.makeUnsafe()
  })
}
