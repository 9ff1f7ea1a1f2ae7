/**
 * A relayed request that is rejected with its own HTTP status; the body is still a JSON-RPC error.
 *
 * Source: decision 0016.
 */
import type * as ApiError from "@daybook/schema/ApiError"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import { type BoundReached, retrySeconds } from "../http/BoundReached.ts"
import { RequestId } from "../http/Request.ts"
import * as Response from "../http/Response.ts"
import { stackless } from "../http/Stackless.ts"
import * as JsonRpcEnvelope from "./JsonRpcEnvelope.ts"

/** Codes that JSON-RPC 2.0 does not define: from EIP-1193 or EIP-1474, otherwise from the range for servers. */
export const code = { unauthorized: 4100, limitExceeded: -32005, unavailable: -32002, tooLarge: -32008 } as const

/** Header of a response to a request that is not read completely. */
export const closing = { connection: "close" } as const

/** A rejected relay request. */
export class RelayError extends Data.TaggedError("RelayError")<{
  readonly code: number
  readonly message: string
  /** The `code` of the equivalent error of a REST operation, which also determines the HTTP status. */
  readonly reason: ApiError.ApiError["code"]
  /** Text of the request's id, if it could be read. */
  readonly id?: string | undefined
  readonly headers?: Response.Headers
}> {}

/** Makes an error without a stack, which no client sees. */
export const make = (options: ConstructorParameters<typeof RelayError>[0]): RelayError =>
  stackless(() => new RelayError(options))

/**
 * Headers whose wait has a leading zero: ethers 6 reads a number that begins with another digit as milliseconds, and fails after 12 retries
 * at once. Clients that read seconds read the same number.
 */
const forEthers = (headers: Response.Headers): Response.Headers => {
  const seconds = headers["retry-after"]
  return seconds === undefined ? headers : { ...headers, "retry-after": `0${seconds}` }
}

/** The rate limit of the key is exhausted. */
export const rateLimited = (message: string, headers: Response.Headers, id?: string): RelayError =>
  make({ code: code.limitExceeded, message, reason: "rate_limited", id, headers: forEthers(headers) })

/** A limit on bytes in flight is reached: of the client or of the process. */
export const fromBound = ({ message, scope }: BoundReached): RelayError => {
  const headers = { "retry-after": String(retrySeconds), ...closing }
  return scope === "total"
    ? make({ code: code.unavailable, message, reason: "unavailable", headers })
    : rateLimited(message, headers)
}

/** What the decision on the request depends on cannot be read now. */
export const unavailable = (message: string): RelayError =>
  make({ code: code.unavailable, message, reason: "unavailable", headers: { "retry-after": "1" } })

/** What the decision on the request depends on cannot be read until the operator of the server acts. */
export const unusable = (message: string): RelayError =>
  make({ code: JsonRpc.code.internalError, message, reason: "internal" })

/** JSON text of an error. */
export const body = (
  requestId: string,
  { code, id, message, reason }: Pick<RelayError, "code" | "id" | "message" | "reason">,
) => JsonRpcEnvelope.failure(id, { code, message, data: { code: reason, requestId } })

/** Writes the error response. */
export const toResponse = (error: RelayError): Effect.Effect<HttpServerResponse> =>
  Effect.map(RequestId, (requestId) =>
    Response.json(body(requestId, error), {
      status: ErrorResponse.statusOfCode(error.reason),
      headers: error.headers ?? {},
    }),
  )

/** JSON text for a defect: contains nothing but the request id. */
export const internalBody = (requestId: string): string => {
  const { message } = ErrorResponse.internal(requestId)
  return body(requestId, { code: JsonRpc.code.internalError, message, reason: "internal" })
}

/** Response to a defect. */
export const internal = (requestId: string): HttpServerResponse =>
  Response.json(internalBody(requestId), { status: ErrorResponse.statusOfCode("internal") })
