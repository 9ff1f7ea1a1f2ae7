/**
 * A request that is refused: a wire error of the contract with the headers that go with it. Handlers of the wallet operation and
 * of the plain paths fail with it; `Answer` writes it.
 *
 * Source: decision 0012.
 */
import * as ApiError from "@daybook/schema/ApiError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { StoreError } from "../store/StoreError.ts"
import type { Issue } from "./Issue.ts"

/** Headers of an answer, by lower-case name. */
export type Headers = Readonly<Record<string, string>>

/** A request that is refused. */
export class ErrorResponse extends Data.TaggedError("ErrorResponse")<{
  readonly error: ApiError.ApiError
  readonly headers: Headers
}> {
  override get message(): string {
    return this.error.message
  }
}

const refusal = (error: ApiError.ApiError, headers: Headers = {}): ErrorResponse =>
  new ErrorResponse({ error, headers })

/** 400: a parameter is wrong. */
export const badRequest = (
  requestId: string,
  issue: Issue,
  code: ApiError.BadRequest["code"] = "bad_request",
): ErrorResponse => refusal(new ApiError.BadRequest({ ...issue, code, requestId }))

/** 401: the key is missing or not known. */
export const unauthorized = (requestId: string, message: string): ErrorResponse =>
  refusal(new ApiError.Unauthorized({ message, requestId }))

/** 404: there is nothing under this path. The message does not repeat it: it may hold a key. */
export const notFound = (requestId: string): ErrorResponse => {
  const message =
    "There is nothing under this path; accepted: GET /api/v2.2/<address>/verbose, POST /rpc/<chain>/<apiKey>, GET /health, /ready, /metrics and /openapi.json."
  return refusal(new ApiError.NotFound({ message, requestId }))
}

/** 405: the path does not take this HTTP method. */
export const methodNotAllowed = (requestId: string, method: string, allow: string): ErrorResponse => {
  const message = `This path does not take ${method}; accepted: ${allow}.`
  return refusal(new ApiError.MethodNotAllowed({ message, requestId }), { allow })
}

/** 409: a block of the walk was reorganised away. */
export const staleCursor = (requestId: string, resumeFromBlock: number, headers: Headers): ErrorResponse => {
  const message = `cursor stands on a block that was reorganised away: rows of block ${resumeFromBlock} and above are void. Ask again without a cursor, from_block=${resumeFromBlock}, for their replacement.`
  return refusal(new ApiError.StaleCursor({ message, requestId, resumeFromBlock: BigInt(resumeFromBlock) }), headers)
}

/** 413: the request is larger than is accepted. */
export const tooLarge = (requestId: string, message: string): ErrorResponse =>
  refusal(new ApiError.PayloadTooLarge({ message, requestId }))

/** 429: too many requests with this key. */
export const rateLimited = (requestId: string, message: string, headers: Headers): ErrorResponse =>
  refusal(new ApiError.RateLimited({ message, requestId }), headers)

/** 503: the server cannot answer now. */
export const unavailable = (requestId: string, message: string, retryAfterSeconds: number): ErrorResponse =>
  refusal(new ApiError.Unavailable({ message, requestId }), { "retry-after": String(retryAfterSeconds) })

/** 500: the server failed; the id leads to the log. */
export const internal = (requestId: string): ErrorResponse =>
  refusal(new ApiError.Internal({ message: "The server failed; its log has more under this id.", requestId }))

const storeRetrySeconds = 1

/** A database that is busy or not made yet is 503; one that is broken is a defect. */
export const ofStore =
  (requestId: string) =>
  (error: StoreError): Effect.Effect<never, ErrorResponse> =>
    error.isRetryable
      ? Effect.fail(unavailable(requestId, "The index cannot be read now; try again.", storeRetrySeconds))
      : Effect.die(error)
