/**
 * The failures of the REST client: those of the wire, one class for each decision a caller can make, and those of the network.
 * They are yieldable Effect errors and real `Error`s; recognise them by `_tag`, because two copies of a package make two classes.
 * No field, message or stack holds a key, or a URL that may hold one.
 */
import type { ClientError, Facts, Fields } from "@daybook/transport/ClientError"
import { fields } from "@daybook/transport/internal/ErrorFields"
import type { ApiError } from "@daybook/schema/ApiError"
import * as Issue from "@daybook/schema/Issue"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"

interface Refusal extends Facts {
  /** The HTTP status of the answer. */
  readonly status: number
  /** What the server said, shortened and without any key; undefined when it said nothing that can be shown. */
  readonly detail?: string | undefined
}

const withDetail = (detail: string | undefined): string => {
  if (detail === undefined) return "."
  return `: ${detail}${/[.!?)]$/.test(detail) ? "" : "."}`
}

/**
 * Why a request cannot be answered as it is. `chain_not_served`: the server has no such chain. `traces_not_indexed`: internal
 * transactions were asked for on a chain without traces. `address_not_watched`: the server indexes a list of addresses and this
 * one is not on it. `bad_request`: any other parameter that is wrong.
 *
 * Source: decision 0012.
 */
export type BadRequestCode = Extract<ApiError, { readonly _tag: "BadRequest" }>["code"]

/** An issue that was found before a request was made. */
interface InvalidQuery {
  readonly host: string
  /** Kind of the invalid value, as the message names it. */
  readonly what: "parameter" | "option"
  readonly issue: Issue.Issue
}

/** A query that the server rejected. */
interface RejectedQuery extends Refusal {
  readonly code?: BadRequestCode
  readonly parameter?: string | undefined
}

/**
 * A parameter is wrong. Found here before a request is made, or told by the server; never tried again.
 *
 * Source: docs/interface.md#4.1; decisions 0008 and 0012.
 */
export class BadRequest extends Data.TaggedError("BadRequest")<
  Fields & {
    readonly code: BadRequestCode
    /** The parameter that was wrong; undefined when the server does not tell. */
    readonly parameter: string | undefined
    /** The HTTP status; undefined when the fault was found before a request was made. */
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
 * The key is known and may not do this. Never tried again.
 *
 * Source: decision 0012.
 */
export class Forbidden extends Data.TaggedError("Forbidden")<Fields & { readonly status: number }> {
  constructor(options: Refusal) {
    const message = `Request not permitted by ${options.host}${withDetail(options.detail)} Ask the operator for access.`
    super({ ...fields(options, message), status: options.status })
  }
}

/**
 * There is nothing under the path that was asked: most often a wrong base URL. Never tried again.
 *
 * Source: decisions 0012 and 0019.
 */
export class NotFound extends Data.TaggedError("NotFound")<Fields & { readonly status: number }> {
  constructor(options: Refusal) {
    const message = `Path not found on ${options.host}${withDetail(options.detail)} Check the base URL: it is the part before /api/v2.2.`
    super({ ...fields(options, message), status: options.status })
  }
}

/**
 * A block that the walk stands on was reorganised away. Never tried again as it is.
 *
 * **Details**
 *
 * Rows of `resumeFromBlock` and of later blocks that the walk has given are void. A new walk with `from_block: resumeFromBlock`
 * gives their replacement; a descending walk goes on below with `to_block: resumeFromBlock - 1n`.
 *
 * Source: decision 0011.
 */
export class StaleCursor extends Data.TaggedError("StaleCursor")<
  Fields & {
    /** First block whose rows are void. */
    readonly resumeFromBlock: bigint
    readonly status: number
  }
> {
  constructor(options: Refusal & { readonly resumeFromBlock: bigint }) {
    const { resumeFromBlock, status } = options
    const message = `Cursor is stale after a reorg: rows from block ${resumeFromBlock} on are reverted. Delete them and request them again from that block.`
    super({ ...fields(options, message), resumeFromBlock, status })
  }
}

/**
 * The key is good and what it may use is used up. Never tried again: waiting seconds does not help.
 *
 * **Details**
 *
 * Hosted providers answer 401 or 402 with a text; it is told apart from a wrong key by that text.
 *
 * Source: decision 0012.
 */
export class QuotaExceeded extends Data.TaggedError("QuotaExceeded")<Fields & { readonly status: number }> {
  constructor(options: Refusal) {
    const message = `Quota exceeded: ${options.host}${withDetail(options.detail)} Wait for the next period or raise the quota.`
    super({ ...fields(options, message), status: options.status })
  }
}

/**
 * The server cannot answer now: 503. Tried again after the time it asked for.
 *
 * Source: decision 0012.
 */
export class Unavailable extends Data.TaggedError("Unavailable")<Fields & { readonly status: number }> {
  constructor(options: Refusal & { readonly retryAfter?: Duration.Duration | undefined }) {
    const message = `Service unavailable: ${options.host}${withDetail(options.detail)} Try again later.`
    super({ ...fields(options, message, true, options.retryAfter), status: options.status })
  }
}

/**
 * A row of a stream goes against the order that was asked. What came before it was in order and stands. Never tried again.
 *
 * **Details**
 *
 * Rows of one timestamp may interleave their blocks, as those of some hosted providers do; that alone is not an error.
 *
 * Source: docs/interface.md#1, docs/interface.md#4.1 (order); decision 0010.
 */
export class OutOfOrder extends Data.TaggedError("OutOfOrder")<
  Fields & {
    /** The order that was asked. */
    readonly order: "ASC" | "DESC"
    /** Block of the row that is out of order. */
    readonly block: bigint
    /** The furthest block that the walk had reached. */
    readonly after: bigint
    /** Hash of the transaction that is out of order. */
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
}

/**
 * Any failure of a call of the REST client.
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
