/**
 * Options and calls of the REST client, as types. `RestClient` makes a client.
 */
import type { Balances } from "@daybook/schema/Balance"
import type { DescribedContract, RemovedContract } from "@daybook/schema/Contract"
import type { Movement, MovementPage } from "@daybook/schema/Movement"
import type { SignedStatement } from "@daybook/schema/SignedStatement"
import type { ProofProgress } from "@daybook/schema/ProofProgress"
import type { Proof, Statement } from "@daybook/schema/Statement"
import type { WalletEvent } from "@daybook/schema/WalletEvent"
import type { WalletPage } from "@daybook/schema/WalletPage"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import type { Attempt } from "@daybook/transport/Attempt"
import type { Key } from "@daybook/transport/Endpoint"
import type { Event } from "@daybook/transport/Event"
import type { Fetch } from "@daybook/transport/Fetch"
import type { RateLimit } from "@daybook/transport/RequestExecutor"
import type * as RetryPolicy from "@daybook/transport/RetryPolicy"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type {
  BalanceQuery,
  ContractQuery,
  DescriptionQuery,
  EventQuery,
  MovementQuery,
  ProofQuery,
  Query,
  SignedStatementQuery,
  StatementQuery,
} from "./Query.ts"
import type { RestError } from "./RestError.ts"

/**
 * Options of a client.
 */
export interface Options {
  /** Base URL: the part before `/api/v2.2`, http or https. */
  readonly baseUrl: Key | URL
  /** API key, sent in the header `X-API-Key`. Kept as `Redacted`. */
  readonly apiKey: Key
  /** Time for one call: all attempts, waits and bodies. Milliseconds or text such as `"10 seconds"`. Default 30 seconds. */
  readonly timeout?: RetryPolicy.Time | undefined
  /** Retry policy. Default: 4 attempts. */
  readonly retry?: Omit<RetryPolicy.Options, "deadline"> | undefined
  /** Maximum number of bytes of one decompressed response. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /** Default: the modules `http` and `https` on Node, the global `fetch` elsewhere. */
  readonly fetch?: Fetch | undefined
  /** Headers of each request; values are treated as secrets. */
  readonly headers?: Readonly<Record<string, Key>> | undefined
  /** User agent. Default `daybook-rest`; in browsers, the browser's own. An empty text selects the platform's. */
  readonly userAgent?: string | undefined
  /**
   * Called for each event of each call (request, response, fault, retry), for logs and counters. No event holds a key.
   * Exceptions thrown by it are ignored.
   */
  readonly onEvent?: ((event: Event) => void) | undefined
  /** Rate limit of the client's own requests. Default: none, since the service requests waits itself, and they apply to all calls. */
  readonly rateLimit?: RateLimit | undefined
}

/**
 * An invalid row of a page.
 */
export interface BadRow {
  /** Index of the row on the page as received, from 0. */
  readonly at: number
  /** Hash of the transaction; undefined when the row has none. */
  readonly hash: string | undefined
  /** Path of the invalid value, as in `result[3].block_number`. */
  readonly path: string
  /** Value received at the path, shortened. */
  readonly received: string
  /** Value that the interface expects at the path. */
  readonly expected: string
  /** The row as received, as JSON without any key. */
  readonly row: unknown
}

/**
 * Options of one call.
 */
export interface CallOptions {
  /** Replaces the timeout of the client; for a stream it applies to each page. */
  readonly timeout?: RetryPolicy.Time | undefined
  /** Added to the headers of the client, replacing those of the same name; values are treated as secrets. */
  readonly headers?: Readonly<Record<string, Key>> | undefined
  /**
   * Accepts pages with invalid rows: each one is reported here and omitted, and the valid rows are kept. Without it, an invalid row fails
   * the call with `InvalidResponse`. Source: decision 0021.
   */
  readonly onBadRow?: ((row: BadRow) => void) | undefined
}

/**
 * Options of a comparison with the chain.
 */
export interface ProofOptions extends CallOptions {
  /** Called with the progress that each request reports while the comparison runs; `timeout` applies to each request. */
  readonly onProgress?: ((progress: ProofProgress) => void) | undefined
}

/**
 * Progress of a stream.
 */
export interface Progress {
  /** Pages so far, including those before a `resume`. */
  readonly pages: number
  /** Rows so far, including those before a `resume` and those that were reverted. */
  readonly rows: number
  /** Block of the latest row; `null` before the first one. */
  readonly block: bigint | null
}

/**
 * Marker of a reorg in a stream: rows of `fromBlock` and later blocks that the stream emitted before are reverted. Their replacement
 * follows, then the rest, in order.
 *
 * Source: decisions 0011 and 0021.
 */
export interface RowsReverted {
  readonly _tag: "RowsReverted"
  /** First block whose rows are reverted; 0 for all rows. */
  readonly fromBlock: bigint
  /** Position after this marker, for `resume` once the rows are removed: the stream continues with the replacement rows. */
  readonly position: string
}

/**
 * Options of a stream.
 */
export interface StreamOptions extends CallOptions {
  /** Maximum number of rows, including those before a `resume`. Default: all rows. */
  readonly maxRows?: number | undefined
  /** Prefetches the next page, from the second page on. Default true. */
  readonly prefetch?: boolean | undefined
  /** Position of a stream of the same query (only `limit` may differ). The stream continues after it. */
  readonly resume?: string | undefined
  /**
   * Continues after the last row instead of ending, and emits newer rows as they are indexed. Newer rows are requested when the server
   * sends an event for them or, if it sends no events, at this interval. The order is `ASC`, and the query has no `to_block`, `to_date` or
   * `cursor`. A reorg of rows that were emitted is detected by the next request: see `onStaleCursor`. Default: the stream ends.
   */
  readonly follow?: RetryPolicy.Time | undefined
  /**
   * With `follow`, `"now"` starts after the last block indexed when the stream starts, for a query without a lower bound. With `resume` the
   * stream continues from its position instead, so a program can always pass both. The stream fails if the server does not report its
   * indexed blocks.
   */
  readonly from?: "now" | undefined
  /**
   * What to do after a reorg that reverted rows of the stream. `fail` (default): the stream fails with `StaleCursor`. `restart`: the stream
   * emits a `RowsReverted` marker and continues with the replacement rows. After a marker, a descending stream does not report a reorg
   * above the rows that it has yet to read; an ascending stream does.
   */
  readonly onStaleCursor?: "fail" | "restart" | undefined
  /** Called after each page. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/**
 * Options of a stream that emits `RowsReverted` markers.
 */
export interface RestartOptions extends StreamOptions {
  readonly onStaleCursor: "restart"
}

/**
 * Blocks that the index behind a page covers, so that "empty" differs from "not indexed". All `null` while nothing is indexed, and from
 * hosted providers, which do not report it: then an empty page states nothing about the wallet.
 *
 * Source: decision 0013.
 */
export interface IndexCoverage {
  /** First indexed block; `null` when not reported, or while nothing is indexed. */
  readonly indexedFrom: bigint | null
  /** Last indexed block; `null` when not reported, or while nothing is indexed. */
  readonly indexedTo: bigint | null
  /** Last block that cannot be reorganised; `null` when not reported. */
  readonly finalizedTo: bigint | null
  /** Number of transactions in these blocks, of any wallet, without a record because no node returned them; `null` if none are reported. */
  readonly missingTransactions: bigint | null
  /** Last block at which the wallet's movements summed to its balances on the chain; `null` if none is reported. */
  readonly reconciledTo: bigint | null
  /**
   * Last block up to which the wallet's past was searched, if it was added later to an index of selected wallets; `null` if not reported.
   * Up to there, calls of value 0 by others may be missing. If it is below `indexedFrom`, the search is still running.
   */
  readonly searchedTo: bigint | null
  /**
   * Last block for which an earlier version of the service stored only the transactions that the wallet sent or received, or that created
   * it; `null` if not reported. Up to there, tokens and internal transactions may be missing.
   */
  readonly directOnlyTo: bigint | null
  /**
   * Last block that was indexed without traces, or that has a transaction without them; `null` if not reported. Up to there, internal
   * transactions and what they moved may be missing.
   */
  readonly untracedTo: bigint | null
  /**
   * Last block up to which the chain changes native balances in ways that neither transactions nor headers show; `null` if not reported. Up
   * to there, such changes may be missing.
   */
  readonly unstatedTo: bigint | null
}

/**
 * A page and its response.
 */
export interface PageResponse<Page> {
  readonly page: Page
  /** Absent: the response has a page. */
  readonly notModified?: undefined
  /** Rows that were omitted; empty without `onBadRow`. */
  readonly badRows: ReadonlyArray<BadRow>
  /** Blocks covered by the index behind the page, so that "empty" differs from "not indexed". */
  readonly indexCoverage: IndexCoverage
  /** Response headers without any key; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Request id assigned by the server. */
  readonly requestId: string | undefined
  /** Every HTTP request made for this page, oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
}

/**
 * Options of a conditional call: the program may already have the page.
 */
export interface ConditionalOptions extends CallOptions {
  /** Value of the header `etag` of the page that the program has. The server does not send the page again while it is unchanged. */
  readonly ifNoneMatch: string
}

/**
 * The response to a request with `ifNoneMatch` while the page is unchanged.
 *
 * Source: decision 0040.
 */
export interface NotModified extends Omit<PageResponse<never>, "page" | "badRows" | "notModified"> {
  readonly notModified: true
}

/**
 * Requests a page and its response.
 */
export interface PageCall<P, Q = Query> {
  /** Returns the page with index coverage, headers, request id and attempts, or `notModified` if its tag is unchanged. */
  (query: Q, options: ConditionalOptions): Effect.Effect<PageResponse<P> | NotModified, RestError>
  /** Returns the page with index coverage, headers, request id and attempts. */
  (query: Q, options?: CallOptions): Effect.Effect<PageResponse<P>, RestError>
}

/**
 * A page of a wallet's transactions and its response.
 */
export interface WalletResponse extends PageResponse<WalletPage> {}

/**
 * A page of a wallet's movements and its response.
 */
export interface MovementResponse extends PageResponse<MovementPage> {}

/**
 * A page of a stream. Repeated rows are omitted, so it may be empty.
 */
export interface StreamPage<Page> extends PageResponse<Page> {
  readonly progress: Progress
  /**
   * Position after this page, as text without a key, for `resume`. Store it together with the rows, and a crash neither loses nor repeats a
   * row. After the last page of an ASC stream it continues with newer rows; for a DESC stream, with nothing.
   */
  readonly position: string
}

/**
 * A page of a stream of a wallet's transactions.
 */
export interface WalletStreamPage extends StreamPage<WalletPage> {}

/**
 * A page of a stream of a wallet's movements.
 */
export interface MovementStreamPage extends StreamPage<MovementPage> {}

/**
 * A stream over all pages of a query.
 */
export interface PagedStream<A, Q = Query> {
  /** Streams the range, each row once and in order. After a reorg it emits a marker, then the replacement rows. */
  (query: Q, options: RestartOptions): Stream.Stream<A | RowsReverted, RestError>
  /** Streams the range, each row once and in order. */
  (query: Q, options?: StreamOptions & { readonly onStaleCursor?: "fail" | undefined }): Stream.Stream<A, RestError>
  /** Streams the range. For options that are not known at compile time. */
  (query: Q, options?: StreamOptions): Stream.Stream<A | RowsReverted, RestError>
}

/**
 * The calls of the client.
 */
export interface Client {
  /**
   * Returns one page of a wallet's transactions, newest first unless `order` is ASC. Its `cursor` requests the next page.
   *
   * **Errors**
   *
   * - `BadRequest`: a parameter is invalid; most are detected before a request is made. Not retried.
   * - `StaleCursor`: a reorg reverted a block of the cursor; `resumeFromBlock` is the first reverted block. Not retried.
   * - `RateLimited`, `Unavailable`: retried after the time that the server requested.
   * - `TransportError`, `TimeoutError`: retried while attempts and time remain.
   * - `InvalidResponse`: the response does not conform to the interface; retried for a 5xx.
   * - `Unauthorized`, `Forbidden`, `NotFound`, `QuotaExceeded`: not retried.
   *
   * Source: docs/interface.md#4.1; decisions 0008, 0011 and 0012.
   */
  readonly walletTransactions: (query: Query, options?: CallOptions) => Effect.Effect<WalletPage, RestError>
  /** Returns the same page with index coverage, headers, request id and attempts. */
  readonly walletTransactionsWithResponse: PageCall<WalletPage>
  /**
   * Streams all transactions of the range, page after page, from `cursor` or `resume` if given. `limit` is the size of a page.
   *
   * **Details**
   *
   * Each row is emitted once and in order, whatever the server sends: repeated rows are dropped, an empty page with a cursor is skipped,
   * and a repeated cursor is an error. The second page is requested when its first row is needed, later pages one ahead; at most two pages
   * are held. A stopped or interrupted stream makes no further requests and closes the socket of the request in flight.
   *
   * **Errors**
   *
   * - `OutOfOrder`: a row violates the requested order (`DESC` by default). Earlier rows are valid.
   * - `InvalidResponse` at `cursor` or `result`: a cursor was repeated, or pages have no new rows. Earlier rows are valid.
   * - `StaleCursor`: a reorg, unless `onStaleCursor` is `restart`; also if rows before a `resume` are no longer on the chain.
   * - `BadRequest`: also for an invalid option, with its name.
   * - Those of `walletTransactions`.
   *
   * **Gotchas**
   *
   * - With the cursor of an ASC query, also set `order: "ASC"`.
   *
   * Source: docs/interface.md#4.1; decisions 0009, 0011 and 0021.
   */
  readonly walletTransactionsStream: PagedStream<WalletTransaction>
  /** Streams the same rows one page at a time, each page with its response, the progress so far and a position for `resume`. */
  readonly walletPagesStream: PagedStream<WalletStreamPage>
  /**
   * Returns one page of a wallet's movements: each change of its holdings, as a signed amount in the smallest unit of the asset.
   *
   * **Errors**
   *
   * - `Unavailable`: also while the server derives the ledgers of wallets.
   * - Those of `walletTransactions`.
   *
   * **Gotchas**
   *
   * - A page may have few or no rows and still have a cursor, because the server searches a bounded part of the range per page.
   *
   * Source: decisions 0048 and 0049.
   */
  readonly movements: (query: MovementQuery, options?: CallOptions) => Effect.Effect<MovementPage, RestError>
  /** Returns the same page with index coverage, headers, request id and attempts. */
  readonly movementsWithResponse: PageCall<MovementPage, MovementQuery>
  /**
   * Streams all movements of the range as `walletTransactionsStream` does transactions, with the same options and errors.
   *
   * Source: decision 0049.
   */
  readonly movementsStream: PagedStream<Movement, MovementQuery>
  /** Streams the same rows one page at a time, each page with its response, the progress so far and a position for `resume`. */
  readonly movementPagesStream: PagedStream<MovementStreamPage, MovementQuery>
  /**
   * Streams the events of a wallet: rows as blocks are indexed, and the rows that a reorg reverted. It ends only with an error.
   *
   * **Details**
   *
   * - Store each row under its `row`, replace it when one with a higher `revision` arrives, and after `block.voided` drop the rows of the
   *   block with that hash. The table then equals the server's list.
   * - When a connection ends, the stream reconnects and resumes. A row is not emitted twice with the same revision, unless its block was
   *   voided in between.
   * - To continue after an event, pass its `data.cursor` as `from` of a later stream.
   * - One chunk of the response is held at a time, and nothing is read while the consumer takes no event.
   *
   * **Errors**
   *
   * - `StaleCursor`: the server no longer knows what changed. Drop the rows from `resumeFromBlock` on, and start there.
   * - `RateLimited`: also if the key has too many open streams.
   * - `InvalidResponse`: also from a server without events, or for an event larger than `maxBytes`.
   * - `TransportError`: also if several connections in a row received no event.
   * - Those of `walletTransactions`.
   *
   * Source: decision 0073.
   */
  readonly walletEvents: (query: EventQuery, options?: CallOptions) => Stream.Stream<WalletEvent, RestError>
  /**
   * Returns the balances of a wallet at a block, by default the last indexed one, as the sums of its movements.
   *
   * **Errors**
   *
   * - `BadRequest`: also for a range that ends before the first indexed block.
   * - Those of `movements`, without `StaleCursor`.
   *
   * **Gotchas**
   *
   * - `to_block` and `to_date` may lie above the index. `block_number` of the result states the block of the balances.
   *
   * Source: decision 0049.
   */
  readonly balances: (query: BalanceQuery, options?: CallOptions) => Effect.Effect<Balances, RestError>
  /** Returns the same balances as `page`, with index coverage, headers, request id and attempts. */
  readonly balancesWithResponse: (
    query: BalanceQuery,
    options?: CallOptions,
  ) => Effect.Effect<PageResponse<Balances>, RestError>
  /**
   * Returns the opening balances of a wallet before a range of blocks, what moved in and out by asset and kind, and the closing balances.
   *
   * **Errors**
   *
   * - Those of `balances`.
   *
   * Source: decision 0049.
   */
  readonly statement: (query: StatementQuery, options?: CallOptions) => Effect.Effect<Statement, RestError>
  /** Returns the same statement as `page`, with index coverage, headers, request id and attempts. */
  readonly statementWithResponse: (
    query: StatementQuery,
    options?: CallOptions,
  ) => Effect.Effect<PageResponse<Statement>, RestError>
  /**
   * Returns a statement over final blocks, signed by the service. `SignedStatement.toText` writes its file, which anyone can verify with
   * `daybook verify-statement` and an archive node.
   *
   * **Errors**
   *
   * - `NotFound`: the service does not sign statements.
   * - `BadRequest`: also for a last block that is not final, and for a wallet with too many movements.
   * - `Unavailable`: the opening balances before the first indexed block have not been read yet. Retried.
   * - Those of `balances`.
   *
   * Source: decision 0050.
   */
  readonly signedStatement: (
    query: SignedStatementQuery,
    options?: CallOptions,
  ) => Effect.Effect<SignedStatement, RestError>
  /**
   * Compares the sums of a wallet with the state of the chain, and returns the result: its block and the differences. Starts a comparison
   * if none is known, and waits for its result. Only for API keys that allow the operation.
   *
   * **Errors**
   *
   * - `Forbidden`: the key does not allow the operation.
   * - `BadRequest`: `to_block` is not final, or the index does not have all transactions of the wallet.
   * - `NotFound`: the service does not make comparisons.
   * - `RateLimited`, `Unavailable`: too many comparisons are queued, or one failed. Retried, which restarts it.
   * - Those of `walletTransactions`.
   *
   * Source: decision 0050.
   */
  readonly proveWallet: (query: ProofQuery, options?: ProofOptions) => Effect.Effect<Proof, RestError>
  /**
   * Names an address and registers an ABI with which its calls and events are decoded, in old transactions too; or adds a pack, which is
   * tried for every contract. Returns what the server stored: the items that it can decode.
   *
   * **Errors**
   *
   * - `Forbidden`: the API key does not allow the operation.
   * - `BadRequest`: the description is invalid, or the server has no room for it. Not retried.
   * - `InvalidResponse`: also for a description that is too large for the server.
   * - Those of `walletTransactions`, without `StaleCursor`.
   *
   * Source: decision 0059.
   */
  readonly putContract: (query: DescriptionQuery, options?: CallOptions) => Effect.Effect<DescribedContract, RestError>
  /**
   * Removes the description of an address, or a pack; `removed` is false if there was none.
   *
   * **Errors**
   *
   * - Those of `putContract`.
   *
   * Source: decision 0059.
   */
  readonly removeContract: (query: ContractQuery, options?: CallOptions) => Effect.Effect<RemovedContract, RestError>
  /** Returns the same client with these options as defaults for its calls; waits and limits are shared. Headers are merged. */
  readonly with: (options: CallOptions) => Client
}
