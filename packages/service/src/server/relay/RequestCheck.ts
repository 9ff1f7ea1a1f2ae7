/**
 * Checks a relayed body before it is parsed, using counts from a scan of its bytes, and takes its calls from the rate limit of the key.
 *
 * Source: decisions 0016 and 0039.
 */
import { isUtf8 } from "node:buffer"
import * as Issue from "@daybook/schema/Issue"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import * as Effect from "effect/Effect"
import type { Limits } from "../../config/Limits.ts"
import type { KeyGrant } from "../../store/ApiKeys.ts"
import type { Authentication } from "../admission/Authentication.ts"
import type * as Response from "../http/Response.ts"
import * as JsonRpcEnvelope from "./JsonRpcEnvelope.ts"
import * as JsonScan from "./JsonScan.ts"
import * as RelayError from "./RelayError.ts"
import type { RequestBody } from "./RequestBody.ts"

/** An accepted body, and the headers of its response. */
export interface Checked {
  readonly body: JsonRpcEnvelope.Body
  readonly headers: Response.Headers
}

/** The limit that a body exceeds; undefined if it may be parsed. */
const excess = (
  { depth, isBalanced, values }: JsonScan.Counts,
  limits: Limits,
): JsonRpcEnvelope.Failure | undefined => {
  const { bodyDepth, bodyValues } = limits
  const invalid = (expected: string, received: string): JsonRpcEnvelope.Failure => ({
    code: JsonRpc.code.invalidRequest,
    message: Issue.format("JSON-RPC request", { path: "", expected, received }),
  })
  if (!isBalanced) return JsonRpcEnvelope.notJson("[")
  if (depth > bodyDepth) {
    return invalid(`at most ${bodyDepth} levels of nesting (limits.bodyDepth)`, `${depth}`)
  }
  return values > bodyValues ? invalid(`at most ${bodyValues} values (limits.bodyValues)`, `${values}`) : undefined
}

const notUtf8: JsonRpcEnvelope.Failure = {
  code: JsonRpc.code.parseError,
  message: Issue.format("JSON-RPC request", { path: "", expected: "JSON in UTF-8", received: "other bytes" }),
}

/** Maximum size at which a rejected body is parsed for its id. */
const idBytes = 4096

/** Id of a small single call. */
export const idOf = (bytes: Buffer): string | undefined => {
  const body = bytes.length > idBytes ? undefined : JsonRpcEnvelope.read(bytes.toString())
  return body?._tag === "Single" ? body.item.id : undefined
}

/** Takes the calls of a body that were not taken for its size. */
const takeCalls = Effect.fnUntraced(function* (
  { bytes, headers, taken }: RequestBody,
  calls: number,
  grant: KeyGrant,
  authentication: Authentication["Service"],
): Effect.fn.Return<Response.Headers, RelayError.RelayError> {
  const burst = authentication.burstOf(grant)
  if (calls > burst) {
    return yield* RelayError.make({
      code: JsonRpc.code.invalidRequest,
      message: `Batch too large: ${calls} calls. Send at most ${burst}.`,
      reason: "payload_too_large",
    })
  }
  if (headers !== undefined && calls <= taken) return headers
  const decision = yield* Effect.mapError(authentication.take(grant, calls - taken), ({ message }) =>
    RelayError.unavailable(message),
  )
  if (decision.isAllowed) return decision.headers
  return yield* RelayError.rateLimited(authentication.limitMessage(decision), decision.headers, idOf(bytes))
})

/**
 * Checks a body, takes its calls and parses it.
 *
 * **Errors**
 * - `RelayError`: the batch has more calls than the burst, or more than are left.
 */
export const check = Effect.fnUntraced(function* (
  body: RequestBody,
  grant: KeyGrant,
  authentication: Authentication["Service"],
  limits: Limits,
): Effect.fn.Return<Checked, RelayError.RelayError> {
  const counts = JsonScan.count(body.bytes)
  const headers = yield* takeCalls(body, Math.max(1, counts.items ?? 1), grant, authentication)
  // Otherwise text with replaced characters would be relayed, and an id returned, that the client did not send.
  const failure = isUtf8(body.bytes) ? excess(counts, limits) : notUtf8
  if (failure !== undefined) return { body: { _tag: "Invalid", failure }, headers }
  return { body: JsonRpcEnvelope.read(body.bytes.toString()), headers }
})
