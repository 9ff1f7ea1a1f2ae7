/**
 * The failures of the REST client: those of the wire, one class for each decision a caller can make, and those of the network.
 * They are yieldable Effect errors and real `Error`s; recognise them by `_tag`, because two copies of a package make two classes.
 * No field, message or stack holds a key, or a URL that may hold one.
 */
import { type Fields, fields, type ClientError, type Facts } from "@daybook/transport/ClientError"
import type { ApiError } from "@daybook/schema/ApiError"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"

interface Refusal extends Facts {
  /** The HTTP status of the answer. */
  readonly status: number
  /** What the server said, shortened and without any key; undefined when it said nothing that can be shown. */
  readonly detail?: string | undefined
}

const said = (detail: string | undefined): string => {
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
  constructor(
    options: Facts & {
      readonly code?: BadRequestCode
      readonly parameter?: string | undefined
      readonly status?: number | undefined
      readonly detail?: string | undefined
    },
  ) {
    const { parameter, status } = options
    const message =
      status === undefined
        ? `The parameter "${parameter}" ${options.detail} No request was made.`
        : `${options.host} refuses the request${said(options.detail)} Correct the query.`
    super({ ...fields(options, message), code: options.code ?? "bad_request", parameter, status })
  }
}

/**
 * The key is known and may not do this. Never tried again.
 *
 * Source: decision 0012.
 */
export class Forbidden extends Data.TaggedError("Forbidden")<Fields & { readonly status: number }> {
  constructor(options: Refusal) {
    const message = `${options.host} does not let this API key do that${said(options.detail)} Ask whoever runs the server.`
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
    const message = `${options.host} has nothing under this path${said(options.detail)} Check the base URL: it is what stands before /api/v2.2.`
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
    const message = `The chain has reorganised under this walk: rows of block ${resumeFromBlock} and later are void. Drop them and ask again from that block.`
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
    const message = `The quota of this API key at ${options.host} is used up${said(options.detail)} Wait for the next period or raise the quota.`
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
    const message = `${options.host} cannot answer now${said(options.detail)} Try again later.`
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
    const message = `${options.host} sent block ${block} after block ${after} in a walk of order ${order} (transaction ${hash}). Rows may be missing or doubled; start again, or ask another server.`
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
