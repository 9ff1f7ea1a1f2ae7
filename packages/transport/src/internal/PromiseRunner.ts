/** Runs an effect for callers that use promises: the promise rejects with the typed error, and an `AbortSignal` interrupts the effect. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as CallerStack from "./CallerStack.ts"

/**
 * Runs an effect as a promise.
 *
 * **Details**
 *
 * - A failure rejects with the error itself, with `_tag` and its other fields; its stack shows the place of the call.
 * - An aborted signal interrupts the effect, which closes its socket, and rejects with the reason of the signal (an `AbortError` by
 *   default). The deadline of the call stays in force.
 */
export const run = async <A, E>(
  effect: Effect.Effect<A, E>,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<A> => {
  const { signal } = options
  const caller = new Error()
  signal?.throwIfAborted()
  const exit = await Effect.runPromiseExit(effect, { signal })
  if (Exit.isSuccess(exit)) return exit.value
  if (Cause.hasInterruptsOnly(exit.cause)) signal?.throwIfAborted()
  throw CallerStack.attach(Cause.squash(exit.cause), caller)
}
