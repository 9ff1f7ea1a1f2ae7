/**
 * What the outcome of a call implies for its node, and which error represents the failures of several nodes. Pure.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import type * as EndpointPool from "@daybook/rpc/EndpointPool"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as NodeEndpoint from "./NodeEndpoint.ts"
import * as NodeError from "./NodeError.ts"
import * as Tracer from "./Tracer.ts"

/** Verdict of a failure. An unresponsive node is verified again before its next call. */
export const fromFailure = (error: CallError | NodeError.WrongChain): EndpointPool.Verdict => {
  if (error._tag === "WrongChain") return { _tag: "Unavailable" }
  if (NodeEndpoint.isDefinite(error)) return { _tag: "Declined" }
  if (NodeEndpoint.isUndecodable(error)) return { _tag: "Declined" }
  const pauseMillis = error.retryAfter === undefined ? undefined : Duration.toMillis(error.retryAfter)
  const isDisconnected = error._tag === "TransportError" || error._tag === "TimeoutError"
  return { _tag: "Unavailable", pauseMillis, isDisconnected }
}

/** An empty result only counts if no other node has more. */
export const fromOutcome = (
  outcome: Result.Result<unknown, CallError | NodeError.WrongChain>,
  isAlone: boolean,
): EndpointPool.Verdict => {
  if (Result.isFailure(outcome)) return fromFailure(outcome.failure)
  return outcome.success === null && !isAlone ? { _tag: "Empty" } : { _tag: "Final" }
}

/** Error of several nodes: that of the last one with the method, or else of the last one on the right chain, or else `WrongChain`. */
export const errorOf = (
  errors: ReadonlyArray<CallError | NodeError.WrongChain>,
  where: string,
  task: NodeError.Task,
): NodeError.NodeError => {
  const failures = errors.filter((error) => error._tag !== "WrongChain")
  const failure = failures.findLast((error) => !Tracer.isMissing(error)) ?? failures.at(-1)
  if (failure !== undefined) {
    const others = failures.filter((error) => error !== failure)
    return NodeError.fromCallError(failure, where, task, others)
  }
  // Sound: a pool has an endpoint, and each one that failed has an error.
  return errors.at(-1) as NodeError.WrongChain
}
