/**
 * Writes answers: JSON texts, and refusals with the status that the contract gives their error.
 *
 * Source: decision 0012.
 */
import * as ApiError from "@daybook/schema/ApiError"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import type { Headers, ErrorResponse } from "./ErrorResponse.ts"

const contentType = "application/json"
const encodeError = Schema.encodeUnknownSync(ApiError.ApiError)

/** The statuses that the contract gives its errors. */
const statuses = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  StaleCursor: 409,
  PayloadTooLarge: 413,
  RateLimited: 429,
  Internal: 500,
  Unavailable: 503,
} as const satisfies Readonly<Record<ApiError.ApiError["_tag"], number>>

/** The HTTP status of a wire error. */
export const statusOf = (error: Pick<ApiError.ApiError, "_tag">): number => statuses[error._tag]

/** An answer whose body is JSON text already. */
export const json = (text: string, options: { readonly status?: number; readonly headers?: Headers } = {}) =>
  HttpServerResponse.text(text, { status: options.status ?? 200, headers: options.headers ?? {}, contentType })

/** An answer whose body is the bytes of JSON text already. */
export const jsonBytes = (bytes: Uint8Array, headers: Headers) =>
  HttpServerResponse.uint8Array(bytes, { status: 200, headers, contentType })

/** The answer to a request that is refused. */
export const refusal = ({ error, headers }: ErrorResponse) =>
  json(JSON.stringify(encodeError(error)), { status: statusOf(error), headers })

/** An answer without a body. */
export const empty = (headers: Headers = {}) => HttpServerResponse.empty({ status: 204, headers })
