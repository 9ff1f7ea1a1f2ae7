/**
 * Runs an effect for callers who use promises: the promise rejects with the typed error itself, and an `AbortSignal` interrupts.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/**
 * Runs an effect as a promise.
 *
 * **Details**
 * - A failure rejects with the error itself, so that `_tag` and the other fields are at hand.
 * - An aborted signal interrupts the effect, which closes its socket, and rejects with the signal's reason (an `AbortError` by default).
 *   It never replaces the deadline of a call.
 */
export const run = async <A, E>(
  effect: Effect.Effect<A, E>,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<A> => {
  const { signal } = options
  signal?.throwIfAborted()
  const exit = await Effect.runPromiseExit(effect, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  if (Cause.hasInterruptsOnly(exit.cause)) signal?.throwIfAborted()
  throw Cause.squash(exit.cause)
}
