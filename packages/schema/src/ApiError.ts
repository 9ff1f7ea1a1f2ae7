/**
 * Errors of the REST interface, one class each, with HTTP status and the `code` of the body. The server fails with them and clients decode
 * them. Errors of JSON-RPC calls are `JsonRpc.ErrorObject`.
 */
import * as Schema from "effect/Schema"
import * as Decimal from "./Decimal.ts"

const body = {
  /** Message: what is invalid, the value received, and what is expected. */
  message: Schema.String,
  /** Id of the request in the log of the server. */
  requestId: Schema.String,
}

/**
 * Invalid request: 400.
 *
 * **Details**
 *
 * - `bad_request`: a parameter is invalid.
 * - `chain_not_served`: the server does not serve the chain.
 * - `traces_not_indexed`: internal transactions were requested on a chain without traces.
 * - `address_not_watched`: the server only indexes selected addresses, and this is not one of them.
 *
 * **Example** (Decoding a body)
 *
 * ```ts
 * import * as ApiError from "@daybook/schema/ApiError"
 * import * as Schema from "effect/Schema"
 *
 * const body = { message: "Invalid limit.", code: "bad_request", requestId: "5", parameter: "limit" }
 * console.log(Schema.decodeUnknownSync(ApiError.BadRequest)(body).parameter) // limit
 * ```
 *
 * Source: docs/interface.md#7; decisions 0008 and 0012.
 */
export class BadRequest extends Schema.Error<BadRequest>("@daybook/schema/BadRequest")(
  {
    ...body,
    /** Reason of the error. */
    code: Schema.Literals(["bad_request", "chain_not_served", "traces_not_indexed", "address_not_watched"]),
    /** Name of the invalid parameter; absent if no single parameter is invalid. */
    parameter: Schema.optionalKey(Schema.String),
  },
  { httpApiStatus: 400 },
) {
  readonly _tag = "BadRequest"
}

/**
 * Missing or unknown API key: 401.
 *
 * Source: docs/interface.md#5; decision 0012.
 */
export class Unauthorized extends Schema.Error<Unauthorized>("@daybook/schema/Unauthorized")(
  { ...body, code: Schema.tag("unauthorized") },
  { httpApiStatus: 401 },
) {
  readonly _tag = "Unauthorized"
}

/**
 * API key without permission for this request: 403.
 *
 * Source: decision 0012.
 */
export class Forbidden extends Schema.Error<Forbidden>("@daybook/schema/Forbidden")(
  { ...body, code: Schema.tag("forbidden") },
  { httpApiStatus: 403 },
) {
  readonly _tag = "Forbidden"
}

/**
 * Unknown path: 404.
 *
 * Source: decisions 0012 and 0019.
 */
export class NotFound extends Schema.Error<NotFound>("@daybook/schema/NotFound")(
  { ...body, code: Schema.tag("not_found") },
  { httpApiStatus: 404 },
) {
  readonly _tag = "NotFound"
}

/**
 * HTTP method that the path does not support: 405, with an `allow` header.
 *
 * Source: decision 0012.
 */
export class MethodNotAllowed extends Schema.Error<MethodNotAllowed>("@daybook/schema/MethodNotAllowed")(
  { ...body, code: Schema.tag("method_not_allowed") },
  { httpApiStatus: 405 },
) {
  readonly _tag = "MethodNotAllowed"
}

/**
 * Cursor whose block was removed by a reorg: 409.
 *
 * **Details**
 *
 * Rows received before at `resumeFromBlock` and above are reverted. Request them again with `from_block=resumeFromBlock`; in descending
 * order, continue below with `to_block=resumeFromBlock-1`.
 *
 * **Example** (Reading where to continue)
 *
 * ```ts
 * import * as ApiError from "@daybook/schema/ApiError"
 * import * as Schema from "effect/Schema"
 *
 * const body = { message: "A reorg reverted a block.", code: "stale_cursor", requestId: "5", resumeFromBlock: 20_000_000 }
 * console.log(Schema.decodeUnknownSync(ApiError.StaleCursor)(body).resumeFromBlock) // 20000000n
 * ```
 *
 * Source: decision 0011.
 */
export class StaleCursor extends Schema.Error<StaleCursor>("@daybook/schema/StaleCursor")(
  {
    ...body,
    code: Schema.tag("stale_cursor"),
    /** First block whose rows are reverted. Wire: JSON number. */
    resumeFromBlock: Decimal.FromNumber,
  },
  { httpApiStatus: 409 },
) {
  readonly _tag = "StaleCursor"
}

/**
 * Request body that exceeds the limit of the server: 413.
 *
 * Source: decision 0012.
 */
export class PayloadTooLarge extends Schema.Error<PayloadTooLarge>("@daybook/schema/PayloadTooLarge")(
  { ...body, code: Schema.tag("payload_too_large") },
  { httpApiStatus: 413 },
) {
  readonly _tag = "PayloadTooLarge"
}

/**
 * Exceeded rate limit of the API key: 429, with `retry-after` and `ratelimit-*` headers.
 *
 * **Example** (Encoding a body)
 *
 * ```ts
 * import * as ApiError from "@daybook/schema/ApiError"
 * import * as Schema from "effect/Schema"
 *
 * const error = new ApiError.RateLimited({ message: "25 requests a second.", code: "rate_limited", requestId: "5" })
 * console.log(Schema.encodeSync(ApiError.RateLimited)(error).code) // rate_limited
 * ```
 *
 * Source: docs/interface.md#8; decisions 0008 and 0012.
 */
export class RateLimited extends Schema.Error<RateLimited>("@daybook/schema/RateLimited")(
  { ...body, code: Schema.tag("rate_limited") },
  { httpApiStatus: 429 },
) {
  readonly _tag = "RateLimited"
}

/**
 * Internal error of the server: 500. The body holds the request id, and at most what its operator must repair.
 *
 * **Example** (Decoding a body)
 *
 * ```ts
 * import * as ApiError from "@daybook/schema/ApiError"
 * import * as Schema from "effect/Schema"
 *
 * const body = { message: "Internal error 5.", code: "internal", requestId: "5" }
 * console.log(Schema.decodeUnknownSync(ApiError.Internal)(body).requestId) // 5
 * ```
 *
 * Source: decision 0012.
 */
export class Internal extends Schema.Error<Internal>("@daybook/schema/Internal")(
  { ...body, code: Schema.tag("internal") },
  { httpApiStatus: 500 },
) {
  readonly _tag = "Internal"
}

/**
 * Temporarily unavailable server: 503, with `retry-after`.
 *
 * Source: decision 0012.
 */
export class Unavailable extends Schema.Error<Unavailable>("@daybook/schema/Unavailable")(
  { ...body, code: Schema.tag("unavailable") },
  { httpApiStatus: 503 },
) {
  readonly _tag = "Unavailable"
}

/**
 * Every error of the REST interface, discriminated by `code`.
 *
 * Source: decision 0012.
 */
export const ApiError = Schema.Union([
  BadRequest,
  Unauthorized,
  Forbidden,
  NotFound,
  MethodNotAllowed,
  StaleCursor,
  PayloadTooLarge,
  RateLimited,
  Internal,
  Unavailable,
])

export type ApiError = typeof ApiError.Type

/**
 * Error body of hosted providers: a message or a list of messages, without a code.
 *
 * **Example** (Decoding the body of a hosted provider)
 *
 * ```ts
 * import * as ApiError from "@daybook/schema/ApiError"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(ApiError.BareMessage)({ message: ["limit must be positive"] }).message)
 * // [ 'limit must be positive' ]
 * ```
 *
 * Source: decision 0012.
 */
export const BareMessage = Schema.Struct({
  /** One error message, or several. */
  message: Schema.Union([Schema.String, Schema.Array(Schema.String)]),
})
