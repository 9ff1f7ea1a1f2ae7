/**
 * Calls to the nodes of a chain through the relay: a key may make the same calls here as there, and the cache is shared.
 *
 * Source: decisions 0016, 0024 and 0070.
 */
import * as Json from "@daybook/schema/Json"
import * as Quantity from "@daybook/schema/Quantity"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Operation from "../../config/Operation.ts"
import * as KeyScope from "../admission/KeyScope.ts"
import type { Turns } from "../admission/Turns.ts"
import * as JsonRpcEnvelope from "../relay/JsonRpcEnvelope.ts"
import * as LocalMethod from "../relay/LocalMethod.ts"
import * as RelayCall from "../relay/RelayCall.ts"
import type { RelayCache } from "../relay/RelayCache.ts"
import type { Request } from "./Action.ts"
import * as Envelope from "./Envelope.ts"

/** Calls to nodes. */
export interface NodeCalls {
  /** Makes a call and returns its outcome. */
  readonly call: (
    request: Request,
    method: string,
    params: ReadonlyArray<unknown>,
  ) => Effect.Effect<RelayCall.Outcome, Envelope.Refused>
  /** Result of a call. A failure, or a result too large to be parsed, becomes an error of the dialect. Default: no size limit. */
  readonly read: (
    request: Request,
    method: string,
    params: ReadonlyArray<unknown>,
    maxBytes?: number,
  ) => Effect.Effect<unknown, Envelope.Refused>
  /** Number of a node's newest block. */
  readonly head: (request: Request) => Effect.Effect<number, Envelope.Refused>
}

/** A node's result does not match its method. */
export const unreadable = (what: string): Envelope.Refused => Envelope.notOk(`Error! The node did not return ${what}`)

const decodeHead = Schema.decodeUnknownOption(Quantity.SafeInteger)

/** Id of every response, which no client reads. */
const id = "1"

/** An outcome in a JSON-RPC envelope; the text of a result is passed through. */
export const bytesOf = (outcome: RelayCall.Outcome): Uint8Array =>
  outcome._tag === "Success"
    ? Buffer.concat([Buffer.from(JsonRpcEnvelope.successHead(id)), outcome.result, Buffer.from("}")])
    : Buffer.from(JsonRpcEnvelope.failure(id, outcome.failure))

/** Makes calls with a cache. */
export const make = (cache: RelayCache["Service"], turns: Turns): NodeCalls => {
  const call: NodeCalls["call"] = Effect.fnUntraced(function* ({ chain, grant }, method, params) {
    if (chain.relayed === undefined) return yield* Envelope.notOk("Error! This service does not relay calls to nodes")
    const issue = KeyScope.operationIssue(grant, Operation.relay)
    if (issue !== undefined) return yield* Envelope.notOk(issue)
    return yield* RelayCall.run(
      { cache, local: LocalMethod.none, turns },
      { _tag: "Call", id, method, params },
      chain.relayed,
      grant,
    )
  })
  const read: NodeCalls["read"] = Effect.fnUntraced(function* (request, method, params, maxBytes = Infinity) {
    const outcome = yield* call(request, method, params)
    if (outcome._tag === "Success" && outcome.result.length > maxBytes) return yield* Envelope.tooMuch
    if (outcome._tag === "Success") return Json.parse(Buffer.from(outcome.result).toString())
    const { message } = outcome.failure
    return yield* outcome._tag === "Unavailable" ? Envelope.busy(message) : Envelope.notOk(`Error! ${message}`)
  })
  return {
    call,
    read,
    head: Effect.fnUntraced(function* (request) {
      const head = decodeHead(yield* read(request, "eth_blockNumber", []))
      return Option.isSome(head) ? head.value : yield* unreadable("the number of a block")
    }),
  }
}
