/**
 * Calls of a discovery to the nodes of a chain: batched, retried after transient failures, counted, and within a budget.
 *
 * Source: decision 0047.
 */
import type { Call } from "@daybook/rpc/Method"
import type { CallError } from "@daybook/rpc/RpcError"
import type { Fetch } from "@daybook/transport/Fetch"
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as CallBatch from "./CallBatch.ts"
import type { Node } from "./Node.ts"
import { maxPause } from "./NodeEndpoint.ts"
import type * as NodeError from "./NodeError.ts"
import * as Backoff from "@daybook/transport/internal/Backoff"
import { CallBudgetExceeded } from "./CallsError.ts"

/**
 * What was sent to the nodes so far.
 */
export interface Usage {
  readonly requests: number
  readonly calls: number
  /** Calls by method, the most frequent first. */
  readonly byMethod: ReadonlyArray<readonly [method: string, calls: number]>
}

/**
 * Counts the calls that pass through a `fetch`.
 */
export const counting = (fetch: Fetch): { readonly fetch: Fetch; readonly usage: () => Usage } => {
  const byMethod = new Map<string, number>()
  let [requests, calls] = [0, 0]
  return {
    fetch: (url, init) => {
      requests += 1
      for (const [, method = ""] of (init.body ?? "").matchAll(/"method":"(\w+)"/g)) {
        calls += 1
        byMethod.set(method, (byMethod.get(method) ?? 0) + 1)
      }
      return fetch(url, init)
    },
    usage: () => ({ requests, calls, byMethod: [...byMethod].toSorted(([, one], [, other]) => other - one) }),
  }
}

/**
 * A node with a budget of calls.
 */
export interface Budgeted {
  readonly node: Node
  readonly usage: () => Usage
  /** Maximum number of calls for the whole discovery. */
  readonly maxCalls: number
}

/**
 * The same node with its own budget, which counts the calls of its batches.
 */
export const limited = <A extends Budgeted>(budgeted: A, maxCalls: number): A => {
  let [requests, calls] = [0, 0]
  const { node } = budgeted
  const batch: Node["batch"] = (items, task) =>
    Effect.suspend(() => {
      requests += 1
      calls += items.length
      return node.batch(items, task)
    })
  return { ...budgeted, node: { ...node, batch }, usage: () => ({ requests, calls, byMethod: [] }), maxCalls }
}

/**
 * Why calls did not succeed.
 */
export type CallsError = CallBudgetExceeded | NodeError.NodeError

/** Number of calls in one request, and of concurrent requests. */
const callsPerRequest = 100
const concurrency = 16

/** Maximum number of attempts for transient failures: about two minutes. */
const maxAttempts = 8
const backoff: Backoff.Backoff = { firstMillis: 500, maxMillis: 30_000 }

const mayPass = (error: NodeError.NodeError): boolean =>
  error._tag === "NodeFailed" && !error.isMisconfigured && error.cause.isRetryable

const waitMillis = (attempt: number, retryAfter: CallError["retryAfter"]): number =>
  Math.max(
    Backoff.delayMillis(backoff, attempt),
    retryAfter === undefined ? 0 : Math.min(Duration.toMillis(retryAfter), Duration.toMillis(maxPause)),
  )

/**
 * Retries transient failures with increasing waits, and fails once the budget is used up.
 */
export const withRetries = <A, E extends { readonly _tag: string }>(
  { maxCalls, usage }: Budgeted,
  attempted: Effect.Effect<A, E | NodeError.NodeError>,
): Effect.Effect<A, E | CallsError> => {
  const attempt = (number: number): Effect.Effect<A, E | CallsError> => {
    if (usage().calls >= maxCalls) return Effect.fail(new CallBudgetExceeded({ maxCalls }))
    return attempted.pipe(
      Effect.catch((error) => {
        // Sound: only errors of nodes have the tag.
        const failure = error as NodeError.NodeError
        if (failure._tag !== "NodeFailed" || !mayPass(failure) || number >= maxAttempts) return Effect.fail(error)
        const again = Effect.suspend(() => attempt(number + 1))
        return Effect.delay(again, waitMillis(number, failure.cause.retryAfter))
      }),
    )
  }
  return Effect.suspend(() => attempt(1))
}

/** Results of the calls of one request. If only some calls failed, they are repeated on their own. */
const sendChunk = Effect.fnUntraced(function* (
  budgeted: Budgeted,
  calls: ReadonlyArray<Call>,
  task: CallBatch.Task,
): Effect.fn.Return<CallBatch.Results, CallsError> {
  const results: Array<CallBatch.Results[number]> = []
  let left = [...calls.keys()]
  while (left.length > 0) {
    const pending = left
    const sent = yield* withRetries(
      budgeted,
      budgeted.node.batch(
        pending.map((at) => calls[at]!),
        task,
      ),
    )
    left = []
    for (const [position, result] of sent.entries()) {
      const at = pending[position]!
      if (Result.isSuccess(result) || task.isResult?.(result.failure) === true) results[at] = result
      else left.push(at)
    }
  }
  return results
})

/**
 * Sends calls and returns their results in order: successes, and errors that count as results for the task.
 *
 * **Errors**
 * - `NodeFailed`, `WrongChain`: a call failed otherwise, even after retries.
 * - `CallBudgetExceeded`: the budget is used up.
 */
export const send = (
  budgeted: Budgeted,
  calls: ReadonlyArray<Call>,
  task: CallBatch.Task,
  perRequest = callsPerRequest,
): Effect.Effect<CallBatch.Results, CallsError> =>
  Effect.suspend(() => {
    const { maxCalls, usage } = budgeted
    if (usage().calls + calls.length > maxCalls) return Effect.fail(new CallBudgetExceeded({ maxCalls }))
    return Effect.map(
      Effect.forEach(Arr.chunksOf(calls, perRequest), (chunk) => sendChunk(budgeted, chunk, task), { concurrency }),
      (results) => results.flat(),
    )
  })
