/**
 * What the REST client is made of and what it can do, as types. `RestClient` makes one.
 */
import type { WalletPage } from "@daybook/schema/WalletPage"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import type { Attempt } from "@daybook/transport/Attempt"
import type { Event } from "@daybook/transport/Event"
import type { Key } from "@daybook/transport/Endpoint"
import type { Fetch } from "@daybook/transport/Fetch"
import type * as RetryPolicy from "@daybook/transport/RetryPolicy"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Query } from "./Query.ts"
import type { RestError } from "./RestError.ts"

/**
 * What a client is made of.
 */
export interface Options {
  /** Where the interface is served: what stands before `/api/v2.2`, http or https. */
  readonly baseUrl: Key | URL
  /** Sent in the header `X-API-Key`; `Redacted` inside, whatever is given. */
  readonly apiKey: Key
  /** Time for one call: all attempts, waits and bodies. Milliseconds or text such as `"10 seconds"`. Default 30 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** How often and how soon a call is tried again. Default: 4 attempts. */
  readonly retry?: Omit<RetryPolicy.Options, "deadline"> | undefined
  /** Bytes of one decompressed answer at most. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /** Default: undici on Node, the platform's own `fetch` elsewhere. */
  readonly fetch?: Fetch | undefined
  /** Sent with each request; values are kept as secrets. */
  readonly headers?: Readonly<Record<string, Key>> | undefined
  /** How the program names itself to servers. Default `daybook-rest`, and in browsers their own; an empty text for the platform's. */
  readonly userAgent?: string | undefined
  /**
   * Told each moment of each call: request, response, fault and retry, for logs and counters. No event holds a key. What the
   * function throws is left aside.
   */
  readonly onEvent?: ((event: Event) => void) | undefined
}

/**
 * A row of a page that is not of the interface.
 */
export interface BadRow {
  /** Its place on the page as it came, from 0. */
  readonly at: number
  /** Hash of the transaction, where the row tells it. */
  readonly hash: string | undefined
  /** Where the fault is, as in `result[3].block_number`. */
  readonly path: string
  /** What came there, shortened. */
  readonly received: string
  /** What the interface has there. */
  readonly expected: string
  /** The row as JSON, as it came (without any key). */
  readonly row: unknown
}

/**
 * What one call may set for itself.
 */
export interface CallOptions {
  /** In place of the client's; of a stream, for each of its pages. */
  readonly timeout?: Duration.Input | undefined
  /**
   * Makes the call tolerant: a row that is not of the interface is told here and left out, and the good rows of its page stay.
   * Without it such a row fails the call with `InvalidResponse`. Source: decision 0021.
   */
  readonly onBadRow?: ((row: BadRow) => void) | undefined
}

/**
 * How far a walk has come.
 */
export interface Progress {
  /** Pages of the walk, also of the run that it was resumed from. */
  readonly pages: number
  /** Rows of the walk, also of the run that it was resumed from, and also those that have become void. */
  readonly rows: number
  /** The block of the latest row; `null` before the first one. */
  readonly block: bigint | null
}

/**
 * Tells that the chain has reorganised: rows of `fromBlock` and of later blocks that the stream gave before are void.
 * What follows is in order by itself: first the rows that replace them, then the rest of the walk.
 *
 * Source: decisions 0011 and 0021.
 */
export interface RowsReverted {
  readonly _tag: "RowsReverted"
  /** 0 when all rows are void. */
  readonly fromBlock: bigint
}

/**
 * What one walk over all pages may set for itself.
 */
export interface StreamOptions extends CallOptions {
  /** Ends the walk after so many rows, with those before its `resume`. Default: all rows. */
  readonly maxRows?: number | undefined
  /** From the second page on, the next page is asked for while the caller is busy with one. Default true. */
  readonly prefetch?: boolean | undefined
  /** A position that a walk of the same query gave (only `limit` may differ): goes on after it. */
  readonly resume?: string | undefined
  /**
   * What to do when a reorganisation takes blocks that the walk stands on. `fail` (default) ends it with `StaleCursor`. `restart`
   * puts a `RowsReverted` among the values and goes on with the rows that replace the void ones.
   */
  readonly onStaleCursor?: "fail" | "restart" | undefined
  /** Told after each page that came. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/**
 * Options of a walk that puts `RowsReverted` among its values.
 */
export interface RestartOptions extends StreamOptions {
  readonly onStaleCursor: "restart"
}

/**
 * How far the index behind a page reaches, so that "empty" differs from "not indexed". Hosted providers do not tell: all `null`.
 *
 * Source: decision 0013.
 */
export interface IndexCoverage {
  /** First block that is indexed; `null` when not told. */
  readonly indexedFrom: bigint | null
  /** Last block that is indexed; `null` when not told. */
  readonly indexedTo: bigint | null
  /** Last block that cannot be reorganised away; `null` when not told. */
  readonly finalizedTo: bigint | null
}

/**
 * A page with what came around it.
 */
export interface WalletResponse {
  readonly page: WalletPage
  /** Rows that were left out, of a tolerant call; else none. */
  readonly badRows: ReadonlyArray<BadRow>
  readonly indexCoverage: IndexCoverage
  /** Response headers as they came (without any key), names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The id that the server gave the request. */
  readonly requestId: string | undefined
  /** Every HTTP request made for this page, oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
}

/**
 * A page of a walk. Rows that came before are not among its rows, which may be none.
 */
export interface WalkPage extends WalletResponse {
  readonly progress: Progress
  /**
   * Where the walk is after this page, as text without a key, for `resume`: store it together with the rows and nothing is lost
   * or doubled by a crash. That of the last page of an ASC walk goes on with what came since; of a DESC walk, with nothing.
   */
  readonly position: string
}

/**
 * All transactions of the range, or all pages.
 */
export interface Walk<A> {
  (query: Query, options: RestartOptions): Stream.Stream<A | RowsReverted, RestError>
  (query: Query, options?: StreamOptions & { readonly onStaleCursor?: "fail" | undefined }): Stream.Stream<A, RestError>
}

/**
 * The calls of the client.
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
   * Source: docs/interface.md#4.1; decisions 0008, 0011 and 0012.
   */
  readonly walletTransactions: (query: Query, options?: CallOptions) => Effect.Effect<WalletPage, RestError>
  /** The same page with completeness, headers, request id and attempts. */
  readonly walletTransactionsWithResponse: (
    query: Query,
    options?: CallOptions,
  ) => Effect.Effect<WalletResponse, RestError>
  /**
   * All transactions of the range, page after page, from `cursor` or `resume` if there is one. `limit` is the size of a page.
   *
   * **Details**
   *
   * Each row is given once and in order, whatever the server does: rows that came before are dropped, an empty page that has a
   * cursor is passed over, and a walk that would go in circles ends in an error. The second page is asked for when its first
   * row is wanted, later ones one ahead; at most two pages are held. A stream that is stopped or interrupted asks for no more
   * and closes the socket of the request in flight.
   *
   * **Errors**
   * - `OutOfOrder`: a row goes against the order asked for (`DESC` if none was). Rows before it stand.
   * - `InvalidResponse` at `cursor` or `result`: a cursor came back, or pages bring nothing new. Rows before it stand.
   * - `StaleCursor`: a reorganisation, unless `onStaleCursor` is `restart`; also when rows before a `resume` are no longer there.
   * - `BadRequest`: also for an option that makes no sense, by its name.
   * - those of `walletTransactions`.
   *
   * **Gotchas**
   * - With the cursor of an ASC walk give `order: "ASC"` too.
   *
   * Source: docs/interface.md#4.1; decisions 0010, 0011 and 0021.
   */
  readonly walletTransactionsStream: Walk<WalletTransaction>
  /** The same walk, a page at a time, each with what came around it, the progress so far and a position to resume from. */
  readonly walletPagesStream: Walk<WalkPage>
}
