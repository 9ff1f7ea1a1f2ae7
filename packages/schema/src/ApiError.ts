/**
 * The errors that the wallet operation answers with. Each is one class, with its HTTP status and the `code` of its body;
 * a handler fails with it and a client receives it. Errors of JSON-RPC calls are `JsonRpc.ErrorObject`.
 */
import * as Schema from "effect/Schema"
import * as Decimal from "./Decimal.ts"

const body = {
  /** What was wrong, with the value, and what is accepted. */
  message: Schema.String,
  /** Identifies the request in the server's log. */
  requestId: Schema.String,
}

/**
 * The request cannot be answered as it is: 400.
 *
 * **Details**
 *
 * `code` says why: `bad_request`, a parameter is wrong; `chain_not_served`, this server has no such chain;
 * `traces_not_indexed`, internal transactions were asked for on a chain without traces; `address_not_watched`, this
 * server indexes a list of addresses and this one is not on it.
 *
 * Source: docs/interface.md#7 (silent); decisions 0008 and 0012.
 */
export class BadRequest extends Schema.Error<BadRequest>("@daybook/schema/BadRequest")(
  {
    ...body,
    /** Why. */
    code: Schema.Literals(["bad_request", "chain_not_served", "traces_not_indexed", "address_not_watched"]),
    /** The parameter that was wrong, if it was one. */
    parameter: Schema.optionalKey(Schema.String),
  },
  { httpApiStatus: 400 },
) {
  readonly _tag = "BadRequest"
}

/**
 * The key is missing or not known: 401.
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
 * The key is known and may not do this: 403.
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
 * There is nothing under this path: 404.
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
 * The path does not take this HTTP method: 405, with an `allow` header.
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
 * A block that the walk stands on was reorganised away: 409.
 *
 * **Details**
 *
 * Rows of `resumeFromBlock` and of later blocks that the walk has given are void. A new walk with
 * `from_block=resumeFromBlock` gives their replacement; a descending walk goes on below with `to_block=resumeFromBlock-1`.
 *
 * Source: decision 0011.
 */
export class StaleCursor extends Schema.Error<StaleCursor>("@daybook/schema/StaleCursor")(
  {
    ...body,
    code: Schema.tag("stale_cursor"),
    /** First block whose rows are void. Wire: JSON number. */
    resumeFromBlock: Decimal.FromNumber,
  },
  { httpApiStatus: 409 },
) {
  readonly _tag = "StaleCursor"
}

/**
 * The request is larger than is accepted: 413.
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
 * Too many requests with this key: 429, with `retry-after` and `ratelimit-*` headers.
 *
 * Source: docs/interface.md#8 (silent); decisions 0007 and 0012.
 */
export class RateLimited extends Schema.Error<RateLimited>("@daybook/schema/RateLimited")(
  { ...body, code: Schema.tag("rate_limited") },
  { httpApiStatus: 429 },
) {
  readonly _tag = "RateLimited"
}

/**
 * The server failed: 500. The body holds an id and nothing else that could be acted on.
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
 * The server cannot answer now: 503, with `retry-after`.
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
 * Every error of the wallet operation, told apart by `code`.
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

/**
 * Any error of the wallet operation.
 */
export type ApiError = typeof ApiError.Type

/**
 * The body that hosted providers of the interface send: a message or a list of them, and no code.
 *
 * Source: decision 0012.
 */
export const BareMessage = Schema.Struct({
  /** What was wrong. */
  message: Schema.Union([Schema.String, Schema.Array(Schema.String)]),
})
