/**
 * Sends several calls of any methods to one node, in as few requests as possible.
 */
import type { Call } from "@daybook/rpc/Method"
import type { CallError } from "@daybook/rpc/RpcError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ConcurrencyLimiter } from "./ConcurrencyLimiter.ts"

/**
 * Results in call order.
 */
export type Results = ReadonlyArray<Result.Result<unknown, CallError>>

/**
 * Purpose of the calls.
 */
export interface Task {
  /** For messages: `read balances`. */
  readonly what: string
  /** The lowest block that the calls are about. */
  readonly block: number
  /** True for an error that counts as a result of the call, such as a revert. Default: none. */
  readonly isResult?: ((error: CallError) => boolean) | undefined
}

/**
 * Sends the calls.
 *
 * **Errors**
 * - `CallError`: every call failed with an error that is not a result. If only some did, their errors are among the results.
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
