/**
 * HTTP headers of the REST interface: the API key of a request, and what a response reports besides its body.
 */
import * as Schema from "effect/Schema"

/**
 * Request header that holds the API key.
 *
 * **Example** (Sending a key)
 *
 * ```ts
 * import * as ApiHeader from "@daybook/schema/ApiHeader"
 *
 * const headers = new Headers({ [ApiHeader.apiKey]: "my-key" })
 * console.log(headers.get("x-api-key")) // my-key
 * ```
 *
 * Source: docs/interface.md#5.
 */
export const apiKey = "X-API-Key"

/**
 * Response header with the request id, as it appears in the server's log.
 *
 * **Example** (Reading the id of a request)
 *
 * ```ts
 * import * as ApiHeader from "@daybook/schema/ApiHeader"
 *
 * const headers = new Headers({ "X-Request-Id": "5f" })
 * console.log(headers.get(ApiHeader.requestId)) // 5f
 * ```
 *
 * Source: decision 0012.
 */
export const requestId = "x-request-id"

/**
 * Range of blocks that the index covers, so that "empty" differs from "not indexed".
 *
 * **Example** (Reading which blocks are indexed)
 *
 * ```ts
 * import * as ApiHeader from "@daybook/schema/ApiHeader"
 * import * as Schema from "effect/Schema"
 *
 * const coverage = Schema.decodeUnknownSync(ApiHeader.IndexCoverage)({ "daybook-indexed-to": "20000000" })
 * console.log(coverage["daybook-indexed-to"]) // 20000000
 * ```
 *
 * Source: decision 0013.
 */
export const IndexCoverage = Schema.Struct({
  /**
   * First indexed block, in decimal digits; absent while nothing is indexed. On pages with a cursor, the first block that their list
   * covers. For a wallet that was added later to an index of selected wallets, the first block with its transactions. Source: decision
   * 0055.
   */
  "daybook-indexed-from": Schema.optionalKey(Schema.String),
  /** Last indexed block, in decimal digits; absent while nothing is indexed. */
  "daybook-indexed-to": Schema.optionalKey(Schema.String),
  /** Last finalized block, in decimal digits; absent while none is known. */
  "daybook-finalized-to": Schema.optionalKey(Schema.String),
  /**
   * Number of transactions in indexed blocks, of any wallet, without a record because no node returned their receipt or it did not decode;
   * in decimal digits, absent for none. Source: decision 0035.
   */
  "daybook-missing-transactions": Schema.optionalKey(Schema.String),
  /**
   * Last block at which all sums of the wallet's movements equalled the state of the chain, in decimal digits; absent if there is none.
   * Source: decision 0050.
   */
  "daybook-reconciled-to": Schema.optionalKey(Schema.String),
  /**
   * Last block up to which the wallet's past was searched, in decimal digits; absent if it was not added later to an index of selected
   * wallets. Up to there, calls of value 0 by others are known only in blocks that hold something else of the wallet. If it is below
   * `daybook-indexed-from`, the search is still running. Source: decision 0055.
   */
  "daybook-searched-to": Schema.optionalKey(Schema.String),
  /**
   * Last block for which an earlier version stored only the transactions that the wallet sent or received, or that created it, in decimal
   * digits; absent for none. Up to there, lists with any role of the wallet may lack its tokens and internal transactions. Source: decision
   * 0055.
   */
  "daybook-direct-only-to": Schema.optionalKey(Schema.String),
  /**
   * Last block that was indexed without traces, or that has a transaction without them, in decimal digits; absent for none. Up to there,
   * lists with any role of the wallet may lack its internal transactions and what they moved. Source: decision 0013.
   */
  "daybook-untraced-to": Schema.optionalKey(Schema.String),
  /**
   * Last block up to which the chain changes native balances in ways that neither transactions nor headers show, in decimal digits; absent
   * for none. Up to there, lists with any role of the wallet may lack such changes. Source: decision 0048.
   */
  "daybook-unstated-to": Schema.optionalKey(Schema.String),
})

/**
 * State of the rate limit of an API key.
 *
 * **Example** (Reading how many requests are left)
 *
 * ```ts
 * import * as ApiHeader from "@daybook/schema/ApiHeader"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(ApiHeader.RateLimit)({ "ratelimit-limit": "50" })["ratelimit-limit"]) // 50
 * ```
 *
 * Source: IETF draft ratelimit-headers; decision 0012.
 */
export const RateLimit = Schema.Struct({
  /** Requests that may be made at once. */
  "ratelimit-limit": Schema.optionalKey(Schema.String),
  /** Requests left now. */
  "ratelimit-remaining": Schema.optionalKey(Schema.String),
  /** Seconds until the full number is available again. */
  "ratelimit-reset": Schema.optionalKey(Schema.String),
})

/**
 * Wait that the server requests before the next request.
 *
 * **Example** (Reading a wait)
 *
 * ```ts
 * import * as ApiHeader from "@daybook/schema/ApiHeader"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(ApiHeader.RetryAfter)({ "retry-after": "3" })["retry-after"]) // 3
 * ```
 *
 * Source: RFC 9110.
 */
export const RetryAfter = Schema.Struct({
  /** Seconds to wait. */
  "retry-after": Schema.String,
})

/**
 * Response headers that a browser must be allowed to read (`access-control-expose-headers`).
 *
 * **Example** (Allowing pages of other origins to read the headers)
 *
 * ```ts
 * import * as ApiHeader from "@daybook/schema/ApiHeader"
 *
 * console.log(ApiHeader.exposed.includes("retry-after")) // true
 * ```
 *
 * Source: decision 0013.
 */
export const exposed: ReadonlyArray<string> = [
  requestId,
  "etag",
  ...[RetryAfter, RateLimit, IndexCoverage].flatMap(({ fields }) => Object.keys(fields)),
]
