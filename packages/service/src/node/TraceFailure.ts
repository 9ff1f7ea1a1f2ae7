/**
 * What a trace failure implies for its block: the nodes cannot trace it, or another attempt may help. Pure.
 *
 * Source: decision 0035.
 */
import { visibleStart } from "@daybook/schema/VisibleText"
import type { CallError } from "@daybook/rpc/RpcError"
import * as Duration from "effect/Duration"
import { excessPrefix } from "../block/Traces.ts"
import * as Tracer from "./Tracer.ts"

/**
 * - `unavailable`: the failure does not concern the block: no connection, a rate limit, credentials, a missing method.
 * - `temporary`: the block may be traced later: the node failed, timed out or does not know the block yet, or its response does not decode.
 * - `permanent`: the node would give the same answer again: its state is pruned, or the trace is too large.
 */
export type Kind = "unavailable" | "temporary" | "permanent"

/** Number of failed turns after which a temporary failure counts as permanent: 13 seconds of attempts. */
export const maxFailures = 8

/**
 * Kind of a failure.
 */
const kindOf = (error: CallError): Kind => {
  if (Tracer.isMissing(error)) return "unavailable"
  switch (error._tag) {
    case "RpcError":
      return error.isRetryable || error.kind === "notFound" ? "temporary" : "permanent"
    case "InvalidResponse":
      return error.reason === "too-large" ? "permanent" : "temporary"
    case "TimeoutError":
      return "temporary"
    case "TransportError":
      return error.phase === "connect" ? "unavailable" : "temporary"
    default:
      return "unavailable"
  }
}

/**
 * Failure of the called nodes: that of the last one, and those of the others.
 */
export interface Failure {
  readonly cause: CallError
  readonly others?: ReadonlyArray<CallError> | undefined
}

const errorsOf = ({ cause, others = [] }: Failure): ReadonlyArray<CallError> => [cause, ...others]

/**
 * Kind of the failure of several nodes: permanent if each of them would give the same answer again. A node without the method proves
 * nothing about the block; a node that could not be called may have what another one lacks.
 */
export const kindOfAll = (failure: Failure): Kind => {
  const kinds = new Set(
    errorsOf(failure)
      .filter((error) => !Tracer.isMissing(error))
      .map(kindOf),
  )
  const [kind = "unavailable"] = kinds
  return kinds.size > 1 ? "temporary" : kind
}

/**
 * True if one of the nodes does not know the block yet.
 */
export const isLagging = (failure: Failure): boolean =>
  errorsOf(failure).some((error) => error._tag === "RpcError" && error.kind === "notFound")

/**
 * True if a block or transaction is stored without its trace, given the number of failed turns.
 */
export const isFinal = (failure: Failure, failures: number): boolean => {
  const kind = kindOfAll(failure)
  return kind === "permanent" || (kind === "temporary" && failures >= maxFailures)
}

const maxReason = 300

const brief = (text: string): string => visibleStart(text, maxReason)

/**
 * The reason of a gap.
 */
export const reasonOf = (error: CallError): string => {
  switch (error._tag) {
    case "RpcError":
      if (error.message.startsWith(excessPrefix)) return error.message
      return `${error.host} failed: ${brief(error.message)}`
    case "InvalidResponse":
      return error.reason === "too-large"
        ? `The response of ${error.host} is too large: ${error.received}.`
        : `Invalid response from ${error.host}: ${error.path}: expected ${error.expected}, received ${error.received}.`
    case "TimeoutError":
      return `${error.host} did not respond within ${Duration.format(error.deadline)}.`
    default:
      return `${error._tag}: ${brief(error.message)}`
  }
}
