/**
 * What the REST client is made of and what it can do, as types. `RestClient` makes one.
 */
import type { WalletPage } from "@daybook/schema/WalletPage"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import type { Attempt } from "@daybook/transport/Attempt"
import type { Fetch } from "@daybook/transport/Http"
import type { Key } from "@daybook/transport/Redaction"
import type * as RetryPolicy from "@daybook/transport/RetryPolicy"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Query } from "./Query.ts"
import type { RestError } from "./RestError.ts"

/**
 * What a client is made of.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Where the interface is served: what stands before `/api/v2.2`, http or https. Source: interface 4.1. */
  readonly baseUrl: Key
  /** Sent in the header `X-API-Key`; `Redacted` inside, whatever is given. Source: interface 5. */
  readonly apiKey: Key
  /** Time for one call: all attempts, waits and bodies. Milliseconds or text such as `"10 seconds"`. Default 30 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** How often and how soon a call is tried again. Default: 4 attempts. */
  readonly retry?: Omit<RetryPolicy.Options, "deadline"> | undefined
  /** Bytes of one decompressed answer at most. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /** Default: the platform's own `fetch`. */
  readonly fetch?: Fetch | undefined
  /** Sent with each request; values are kept as secrets. */
  readonly headers?: Readonly<Record<string, Key>> | undefined
}

/**
 * What one call may set for itself.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallOptions {
  /** In place of the client's; of a stream, for each of its pages. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * How far the index behind a page reaches, so that "empty" differs from "not indexed". Hosted providers do not tell: all `null`.
 *
 * Source: decision 0013.
 *
 * @category models
 * @since 0.1.0
 */
export interface Completeness {
  /** First block that is indexed; `null` when not told. */
  readonly indexedFrom: bigint | null
  /** Last block that is indexed; `null` when not told. */
  readonly indexedTo: bigint | null
  /** Last block that cannot be reorganised away; `null` when not told. */
  readonly finalizedTo: bigint | null
}

/**
 * A page with what came around it.
 *
 * @category models
 * @since 0.1.0
 */
export interface WalletResponse {
  readonly page: WalletPage
  readonly completeness: Completeness
  /** Response headers as they came (without any key), names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The id that the server gave the request. */
  readonly requestId: string | undefined
  /** Every HTTP request made for this page, oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
}

/**
 * The calls of the client.
 *
 * @category services
 * @since 0.1.0
 */
export interface Client {
  /**
   * Returns one page of a wallet's transactions, newest first unless `order` is ASC. Its `cursor` asks for the next one.
   *
   * **Errors**
   * - `BadRequest`: a parameter is wrong; most are found before a request is made. Not retried.
   * - `StaleCursor`: a reorganisation took a block that the walk stands on; `resumeFromBlock` tells which. Not retried.
   * - `RateLimited`, `Unavailable`: retried after the time the server asked for.
   * - `TransportError`, `TimeoutError`: retried while attempts and time last.
   * - `InvalidResponse`: not an answer of the interface; retried when it is a 5xx.
   * - `Unauthorized`, `Forbidden`, `NotFound`, `QuotaExceeded`: not retried.
   *
   * Source: interface 4.1; decisions 0008, 0011 and 0012.
   */
  readonly walletTransactions: (query: Query, options?: CallOptions) => Effect.Effect<WalletPage, RestError>
  /** The same page with completeness, headers, request id and attempts. */
  readonly walletTransactionsWithResponse: (
    query: Query,
    options?: CallOptions,
  ) => Effect.Effect<WalletResponse, RestError>
  /**
   * All transactions of the range, page after page, from `cursor` if there is one. `limit` is the size of a page. A page is asked
   * for when its first row is; a stream that is stopped or interrupted asks for no more and closes the socket.
   *
   * **Details**
   *
   * Each row is given once and in order, whatever the server does: rows that came before are dropped, an empty page that has a
   * cursor is passed over, and a walk that would go in circles ends in an error.
   *
   * **Errors**
   * - `OutOfOrder`: a row goes against the order asked for (`DESC` if none was). Rows before it stand.
   * - `InvalidResponse` at `cursor` or `result`: a cursor came back, or pages bring nothing new. Rows before it stand.
   * - those of `walletTransactions`.
   *
   * **Gotchas**
   * - With the cursor of an ASC walk give `order: "ASC"` too.
   *
   * Source: interface 4.1; decisions 0010 and 0011.
   */
  readonly walletTransactionsStream: (
    query: Query,
    options?: CallOptions,
  ) => Stream.Stream<WalletTransaction, RestError>
  /** The same walk, a page at a time with what came around it; rows that came before are not among its rows. Pages may be empty. */
  readonly walletPagesStream: (query: Query, options?: CallOptions) => Stream.Stream<WalletResponse, RestError>
}
