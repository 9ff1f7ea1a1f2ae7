/**
 * Several calls of any methods to one node, in as few requests as it takes.
 */
import type { Call } from "@daybook/rpc/Method"
import type { CallError } from "@daybook/rpc/RpcError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ConcurrencyLimiter } from "./ConcurrencyLimiter.ts"

/**
 * Results in the order of the calls.
 */
export type Results = ReadonlyArray<Result.Result<unknown, CallError>>

/**
 * What the calls are about.
 */
export interface Task {
  /** For messages: `read balances`. */
  readonly what: string
  /** The lowest block that the calls are about. */
  readonly block: number
  /** True for an error that is a result of the call, such as a revert. Default: none is. */
  readonly isResult?: ((error: CallError) => boolean) | undefined
}

/**
 * Sends the calls.
 *
 * **Errors**
 * - `CallError`: every call failed with an error that is no result. Where only some did, their errors are among the results.
 */
export const send = Effect.fnUntraced(function* (
  limiter: ConcurrencyLimiter,
  calls: ReadonlyArray<Call>,
  { isResult = () => false }: Task,
): Effect.fn.Return<Results, CallError> {
  const { results } = yield* limiter.batch(calls)
  const failures = results.flatMap((result) =>
    Result.isFailure(result) && !isResult(result.failure) ? [result.failure] : [],
  )
  const [first] = failures
  return first !== undefined && failures.length === results.length ? yield* Effect.fail(first) : results
})
