/** The calls of a promise client. */
import * as OptionCheck from "@daybook/transport/internal/OptionCheck"
import * as PromiseRunner from "@daybook/transport/internal/PromiseRunner"
import type * as Effect from "effect/Effect"
import type { RestError } from "../RestError.ts"

/** Options of a call with a signal. */
interface Signalled {
  readonly signal?: AbortSignal | undefined
}

/** Kinds of the call options that the promise style adds. */
export const kinds = { signal: "signal" } as const

/** Signal of a call; an invalid one fails in the checks of the options. */
export const signalOf = (call: Signalled | undefined): AbortSignal | undefined =>
  OptionCheck.isSignal(call?.signal) ? call.signal : undefined

/** Makes the call of an operation with one value. */
export const single =
  <Q, O, A>({ value }: { readonly value: (query: Q, options?: O) => Effect.Effect<A, RestError> }) =>
  (query: Q, call?: O & Signalled): Promise<A> =>
    PromiseRunner.run(value(query, call), { signal: signalOf(call) })
