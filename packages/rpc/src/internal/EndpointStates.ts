/**
 * The endpoints of a client with their state, and verdicts on call errors. `EndpointPool` adds what a client does not need: calling
 * endpoints in turn, verification and restriction.
 */
import * as Duration from "effect/Duration"
import type { CallError } from "../RpcError.ts"
import { type Event, initial, type Limits, type State, step, type Verdict } from "./PoolState.ts"

/** Endpoints with their state. */
export interface EndpointStates<T> {
  /** The endpoints, in order of preference. */
  readonly endpoints: ReadonlyArray<T>
  /** Current state. */
  readonly state: () => State
  /** Records an event that the owner observed. */
  readonly note: (event: Event) => void
}

/** Makes the endpoints of a client. */
export const make = <T>(endpoints: ReadonlyArray<T>, limits?: Partial<Limits>): EndpointStates<T> => {
  let state = initial(endpoints.length, limits)
  return {
    endpoints,
    state: () => state,
    note: (event) => {
      state = step(state, event)
    },
  }
}

/**
 * True for errors after which another endpoint may succeed: all except those caused by the call itself.
 *
 * **Example** (Deciding whether another node may answer)
 *
 * ```ts
 * import * as EndpointPool from "@daybook/rpc/EndpointPool"
 * import { InvalidParams } from "@daybook/rpc/RpcError"
 *
 * const error = new InvalidParams({ method: "eth_getBalance", received: "nothing", expected: "an address" })
 * console.log(EndpointPool.canFailOver(error)) // false
 * ```
 */
export const canFailOver = (error: CallError): boolean =>
  error._tag === "RpcError"
    ? error.kind !== "reverted" && error.kind !== "invalidParams"
    : error._tag !== "InvalidParams"

const isUnavailable = (error: CallError): boolean =>
  error._tag === "TransportError" ||
  error._tag === "TimeoutError" ||
  error._tag === "Unauthorized" ||
  (error._tag === "InvalidResponse" && (error.reason === "status" || error.reason === "redirect"))

/**
 * The verdict on the error of a JSON-RPC call.
 *
 * **Details**
 * - `Final`: reverts and invalid parameters.
 * - `Unavailable`: no connection, no response in time, a rejected key, a status without a JSON-RPC body.
 * - `Declined`: everything else, rate limits included.
 *
 * **Example** (Judging an endpoint by an error)
 *
 * ```ts
 * import * as EndpointPool from "@daybook/rpc/EndpointPool"
 * import { RpcError } from "@daybook/rpc/RpcError"
 *
 * const options = { host: "n.example", method: "trace_block", code: -32601, message: "unknown method" }
 * console.log(EndpointPool.verdictOf(new RpcError({ ...options, kind: "methodUnsupported" }))._tag) // Declined
 * ```
 */
export const verdictOf = (error: CallError): Verdict => {
  if (!canFailOver(error)) return { _tag: "Final" }
  const pauseMillis = error.retryAfter === undefined ? undefined : Duration.toMillis(error.retryAfter)
  if (isUnavailable(error)) return { _tag: "Unavailable", pauseMillis, isDisconnected: error._tag === "TransportError" }
  // Other "not supported" messages refer to parameters of the call.
  const isUnsupported =
    error._tag === "RpcError" &&
    error.kind === "methodUnsupported" &&
    (error.code === -32601 || error.code === -32004 || error.message.includes(error.method))
  return { _tag: "Declined", unsupportedMethod: isUnsupported ? error.method : undefined, pauseMillis }
}
