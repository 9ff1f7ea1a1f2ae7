/**
 * Errors of the REST client: those of the interface, one class for each decision a caller can make, and those of the network.
 * They are yieldable Effect errors and real `Error`s. Recognise them by `_tag`, not by `instanceof`: two copies of a package define two
 * classes. No field, message or stack holds a key, or a URL that may hold one.
 */
import type { ClientError, Facts, Fields } from "@daybook/transport/ClientError"
import { fields, hasTag } from "@daybook/transport/internal/ErrorFields"
import type { ApiError } from "@daybook/schema/ApiError"
import * as Issue from "@daybook/schema/Issue"
import * as Json from "@daybook/schema/Json"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"

/** An error response of the server. */
interface ErrorResponse extends Facts {
  /** HTTP status of the response. */
  readonly status: number
  /** Message of the server, shortened and without any key; undefined when it sent none. */
  readonly detail?: string | undefined
}

const withDetail = (detail: string | undefined): string => {
  if (detail === undefined) return "."
  return `: ${detail}${/[.!?)]$/.test(detail) ? "" : "."}`
}

/**
 * Why a request was rejected. `chain_not_served`: the server has no such chain. `traces_not_indexed`: internal transactions were requested
 * on a chain without traces. `address_not_watched`: the server only indexes selected addresses, and this is not one of them. `bad_request`:
 * any other invalid parameter.
 *
 * Source: decision 0012.
 */
export type BadRequestCode = Extract<ApiError, { readonly _tag: "BadRequest" }>["code"]

/** An issue detected before a request was made. */
interface InvalidQuery {
  readonly host: string
  /** Kind of the invalid value, as the message names it. */
  readonly what: "parameter" | "option"
  readonly issue: Issue.Issue
}

/** A query that the server rejected. */
interface RejectedQuery extends ErrorResponse {
  readonly code?: BadRequestCode
  readonly parameter?: string | undefined
}

/**
 * A parameter or an option of a call is invalid. Detected before a request is made, or reported by the server. Never retried.
 *
 * **Example** (Reading which parameter is invalid)
 *
 * ```ts
 * import { createRestClient, isRestError } from "@daybook/rest/promise"
 *
 * const rest = createRestClient({ baseUrl: "https://s.example", apiKey: "my-key" })
 * const error: unknown = await rest
 *   .walletTransactions({ address: "vitalik.eth" })
 *   .then(() => undefined, (reason: unknown) => reason)
 * if (isRestError(error) && error._tag === "BadRequest") console.log(error.parameter, error.status)
 * // address undefined
 * ```
 *
 * Source: docs/interface.md#4.1; decisions 0008 and 0012.
 */
export class BadRequest extends Data.TaggedError("BadRequest")<
  Fields & {
    readonly code: BadRequestCode
    /** Name of the invalid parameter or option; undefined when the server does not report it. */
    readonly parameter: string | undefined
    /** HTTP status; undefined if no request was made. */
    readonly status: number | undefined
  }
> {
  constructor(options: InvalidQuery | RejectedQuery) {
    if ("issue" in options) {
      const { host, issue, what } = options
      const own = fields({ host }, Issue.format(what, issue))
      super({ ...own, code: "bad_request", parameter: issue.path, status: undefined })
      return
    }
    const { code = "bad_request", host, parameter, status } = options
    const message = `Request rejected by ${host}${withDetail(options.detail)} Correct the query.`
    super({ ...fields(options, message), code, parameter, status })
  }
}

/**
 * The API key is valid but lacks the permission. Never retried.
 *
 * **Example** (Reading the answer of a service)
 *
 * ```ts
 * import { createRestClient, isRestError } from "@daybook/rest/promise"
 *
 * const fetch = async () => Response.json({ message: "Not allowed.", code: "forbidden", requestId: "5" }, { status: 403 })
 * const rest = createRestClient({ baseUrl: "https://s.example", apiKey: "my-key", fetch, retry: { maxAttempts: 1 } })
 * const call = rest.walletTransactions({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045" })
 * const error: unknown = await call.then(() => undefined, (reason: unknown) => reason)
 * if (isRestError(error)) console.log(error._tag, error.isRetryable) // Forbidden false
 * ```
 *
 * Source: decision 0012.
 */
export class Forbidden extends Data.TaggedError("Forbidden")<Fields & { readonly status: number }> {
  constructor(options: ErrorResponse) {
    const message = `Request not permitted by ${options.host}${withDetail(options.detail)} Ask the operator for access.`
    super({ ...fields(options, message), status: options.status })
  }
}

/**
 * The path does not exist on the server, usually because of a wrong base URL, or the server does not have or offer what was requested.
 * Never retried.
 *
 * **Example** (Reading the answer of a service)
 *
 * ```ts
 * import { createRestClient, isRestError } from "@daybook/rest/promise"
 *
 * const fetch = async () => Response.json({ message: "Unknown path.", code: "not_found", requestId: "5" }, { status: 404 })
 * const rest = createRestClient({ baseUrl: "https://s.example", apiKey: "my-key", fetch, retry: { maxAttempts: 1 } })
 * const call = rest.walletTransactions({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045" })
 * const error: unknown = await call.then(() => undefined, (reason: unknown) => reason)
 * if (isRestError(error)) console.log(error._tag, error.isRetryable) // NotFound false
 * ```
 *
 * Source: decisions 0012 and 0019.
 */
export class NotFound extends Data.TaggedError("NotFound")<Fields & { readonly status: number }> {
  constructor(options: ErrorResponse & { readonly isPathKnown?: boolean }) {
    const { detail, host, isPathKnown = false, status } = options
    const message = isPathKnown
      ? `Not found on ${host}${withDetail(detail)}`
      : `Path not found on ${host}${withDetail(detail)} Check the base URL: it is the part before /api/v2.2.`
    super({ ...fields(options, message), status })
  }
}

/**
 * A reorg reverted a block of the cursor. Never retried unchanged.
 *
 * **Details**
 *
 * Rows of `resumeFromBlock` and later blocks that were returned before are reverted. A new query with `from_block: resumeFromBlock` returns
 * their replacement; a descending query continues below with `to_block: resumeFromBlock - 1n`.
 *
 * **Example** (Reading where to continue)
 *
 * ```ts
 * import { createRestClient, isRestError } from "@daybook/rest/promise"
 *
 * const body = { message: "A reorg reverted a block.", code: "stale_cursor", requestId: "5", resumeFromBlock: 20_000_000 }
 * const fetch = async () => Response.json(body, { status: 409 })
 * const rest = createRestClient({ baseUrl: "https://s.example", apiKey: "my-key", fetch })
 * const call = rest.walletTransactions({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", cursor: "old" })
 * const error: unknown = await call.then(() => undefined, (reason: unknown) => reason)
 * if (isRestError(error) && error._tag === "StaleCursor") console.log(error.resumeFromBlock) // 20000000n
 * ```
 *
 * Source: decision 0011.
 */
export class StaleCursor extends Data.TaggedError("StaleCursor")<
  Fields & {
    /** First block whose rows are reverted. */
    readonly resumeFromBlock: bigint
    readonly status: number
  }
> {
  constructor(options: ErrorResponse & { readonly resumeFromBlock: bigint }) {
    const { resumeFromBlock, status } = options
    const message = `Cursor is stale after a reorg: rows from block ${resumeFromBlock} onwards were reverted. Delete them and request them again from that block.`
    super({ ...fields(options, message), resumeFromBlock, status })
  }

  /** Serialises block numbers as text, because `JSON.stringify` rejects bigints. */
  override toJSON(): Json.Value {
    return Json.toJson(super.toJSON())
  }
}

/**
 * The quota of the API key is exceeded. Never retried: waiting seconds does not help.
 *
 * **Details**
 *
 * Hosted providers respond with 401 or 402; the text of the response distinguishes this case from an invalid key.
 *
 * **Example** (Reading the answer of a provider)
 *
 * ```ts
 * import { createRestClient, isRestError } from "@daybook/rest/promise"
 *
 * const fetch = async () => Response.json({ message: "Quota exceeded." }, { status: 402 })
 * const rest = createRestClient({ baseUrl: "https://s.example", apiKey: "my-key", fetch, retry: { maxAttempts: 1 } })
 * const call = rest.walletTransactions({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045" })
 * const error: unknown = await call.then(() => undefined, (reason: unknown) => reason)
 * if (isRestError(error)) console.log(error._tag, error.isRetryable) // QuotaExceeded false
 * ```
 *
 * Source: decision 0012.
 */
export class QuotaExceeded extends Data.TaggedError("QuotaExceeded")<Fields & { readonly status: number }> {
  constructor(options: ErrorResponse) {
    const message = `Quota exceeded: ${options.host}${withDetail(options.detail)} Wait for the next period or raise the quota.`
    super({ ...fields(options, message), status: options.status })
  }
}

/**
 * The server is unavailable: 503. Retried after the time that it requested.
 *
 * **Example** (Reading the answer of a service)
 *
 * ```ts
 * import { createRestClient, isRestError } from "@daybook/rest/promise"
 *
 * const fetch = async () => Response.json({ message: "Starting.", code: "unavailable", requestId: "5" }, { status: 503 })
 * const rest = createRestClient({ baseUrl: "https://s.example", apiKey: "my-key", fetch, retry: { maxAttempts: 1 } })
 * const call = rest.walletTransactions({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045" })
 * const error: unknown = await call.then(() => undefined, (reason: unknown) => reason)
 * if (isRestError(error)) console.log(error._tag, error.isRetryable) // Unavailable true
 * ```
 *
 * Source: decision 0012.
 */
export class Unavailable extends Data.TaggedError("Unavailable")<Fields & { readonly status: number }> {
  constructor(options: ErrorResponse & { readonly retryAfter?: Duration.Duration | undefined }) {
    const message = `Service unavailable: ${options.host}${withDetail(options.detail)} Try again later.`
    super({ ...fields(options, message, true, options.retryAfter), status: options.status })
  }
}

/**
 * A row of a stream violates the requested order. Earlier rows are valid. Never retried.
 *
 * **Details**
 *
 * Blocks with the same timestamp may interleave, as they do at some hosted providers. That alone is not an error.
 *
 * **Example** (Deciding by the tag)
 *
 * ```ts
 * import type { RestError } from "@daybook/rest"
 *
 * export const isFaultOfServer = ({ _tag }: RestError.RestError): boolean => _tag === "OutOfOrder" || _tag === "InvalidResponse"
 * ```
 *
 * Source: docs/interface.md#1, docs/interface.md#4.1 (order); decision 0009.
 */
export class OutOfOrder extends Data.TaggedError("OutOfOrder")<
  Fields & {
    /** Requested order. */
    readonly order: "ASC" | "DESC"
    /** Block of the row. */
    readonly block: bigint
    /** Furthest block seen before the row. */
    readonly after: bigint
    /** Hash of the transaction. */
    readonly hash: string
  }
> {
  constructor(
    options: Facts & {
      readonly order: "ASC" | "DESC"
      readonly block: bigint
      readonly after: bigint
      readonly hash: string
    },
  ) {
    const { order, block, after, hash } = options
    const message = `Row out of order from ${options.host}: block ${block} after block ${after} in ${order} order (transaction ${hash}). Rows may be missing or repeated; start again or use another server.`
    super({ ...fields(options, message), order, block, after, hash })
  }

  /** Serialises block numbers as text, because `JSON.stringify` rejects bigints. */
  override toJSON(): Json.Value {
    return Json.toJson(super.toJSON())
  }
}

/**
 * Errors of a call of the REST client.
 */
export type RestError =
  | ClientError
  | BadRequest
  | Forbidden
  | NotFound
  | StaleCursor
  | QuotaExceeded
  | Unavailable
  | OutOfOrder

const tags: Readonly<Record<RestError["_tag"], true>> = {
  TransportError: true,
  TimeoutError: true,
  InvalidResponse: true,
  RateLimited: true,
  Unauthorized: true,
  BadRequest: true,
  Forbidden: true,
  NotFound: true,
  StaleCursor: true,
  QuotaExceeded: true,
  Unavailable: true,
  OutOfOrder: true,
}

/**
 * True for an error of the client; its `_tag` names it.
 *
 * **Example** (Handling errors of promises)
 *
 * ```ts
 * import { createRestClient, isRestError } from "@daybook/rest/promise"
 *
 * const rest = createRestClient({ baseUrl: "https://service.example", apiKey: "key" })
 * const pageOrNothing = async (address: string) => {
 *   try {
 *     return await rest.walletTransactions({ address })
 *   } catch (error) {
 *     if (isRestError(error) && error._tag === "Unavailable") return undefined
 *     throw error
 *   }
 * }
 * console.log(typeof pageOrNothing) // function
 * ```
 */
export const isRestError = (error: unknown): error is RestError => hasTag(error, tags)
