/**
 * The options and the calls of the REST client, as types. `RestClient` makes one.
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
  /** User agent. Default `daybook-rest`, in browsers their own; an empty text for that of the platform. */
  readonly userAgent?: string | undefined
  /**
   * Called for each event of each call (request, response, fault, retry), for logs and counters. No event holds a key.
   * Exceptions thrown by it are ignored.
   */
  readonly onEvent?: ((event: Event) => void) | undefined
  /** Rate limit of the client's own requests. Default: none, as the service requests waits, which apply to all calls. */
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
  /** Value that the interface has at the path. */
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
  /** Added to the headers of the client, and in place of those of the same name; values are treated as secrets. */
  readonly headers?: Readonly<Record<string, Key>> | undefined
  /**
   * Accepts pages with invalid rows: each one is reported here and left out, and the valid rows stay. Without it an invalid row fails
   * the call with `InvalidResponse`. Source: decision 0021.
   */
  readonly onBadRow?: ((row: BadRow) => void) | undefined
}

/**
 * Options of a comparison with the chain.
 */
export interface ProofOptions extends CallOptions {
  /** Called with what each request states while the comparison is being made; `timeout` applies to each request. */
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
 * Marker of a reorg in a stream: rows of `fromBlock` and of later blocks that the stream gave before are reverted. Their replacement
 * follows, and then the rest, in order.
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
  /** Requests the next page ahead, from the second page on. Default true. */
  readonly prefetch?: boolean | undefined
  /** Position of a stream of the same query (only `limit` may differ). The stream continues after it. */
  readonly resume?: string | undefined
  /**
   * Goes on after the last row instead of ending, and gives newer rows as they are indexed. It requests them once the server sends an event
   * of them, and after each interval of this time where it sends no events. The order is `ASC`, and the query has no `to_block`, `to_date` or `cursor`. A reorg of rows that were given is noticed by
   * the next request: see `onStaleCursor`. Default: the stream ends.
   */
  readonly follow?: RetryPolicy.Time | undefined
  /**
   * With `follow`, `"now"` begins after the last block that is indexed when the stream starts, for a query without a lower bound. With `resume` the stream goes on from its position,
   * so that a program passes both. A server that does not state its indexed blocks fails the stream.
   */
  readonly from?: "now" | undefined
  /**
   * What to do after a reorg that reverted rows of the stream. `fail` (default): the stream fails with `StaleCursor`. `restart`: the
   * stream gives a `RowsReverted` marker and continues with the replacement rows. After a marker a descending stream does not report a
   * reorg above the rows that it has yet to read; an ascending one does.
   */
  readonly onStaleCursor?: "fail" | "restart" | undefined
  /** Called after each page. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/**
 * Options of a stream that gives `RowsReverted` markers.
 */
export interface RestartOptions extends StreamOptions {
  readonly onStaleCursor: "restart"
}

/**
 * Blocks that the index behind a page covers, so that "empty" differs from "not indexed". All `null` from hosted providers, which do
 * not report it.
 *
 * Source: decision 0013.
 */
export interface IndexCoverage {
  /** First indexed block; `null` when not reported. */
  readonly indexedFrom: bigint | null
  /** Last indexed block; `null` when not reported. */
  readonly indexedTo: bigint | null
  /** Last block that cannot be reorganised; `null` when not reported. */
  readonly finalizedTo: bigint | null
  /** Transactions of these blocks, of any wallet, that have no record, as no node gave them; `null` when none are reported. */
  readonly missingTransactions: bigint | null
  /** Last block at which the wallet's movements gave what the chain states it held; `null` when none is reported. */
  readonly reconciledTo: bigint | null
  /**
   * Last block up to which the past of the wallet was searched, where it was added to an index of some wallets later; `null` when not
   * reported. Up to there, calls of value 0 by others may be missing. Below `indexedFrom`: the search goes on.
   */
  readonly searchedTo: bigint | null
  /**
   * Last block that an earlier version of the service stored with the transactions alone that the wallet sent or received, or that created it;
   * `null` when not reported. Up to there, tokens and internal transactions may be missing.
   */
  readonly directOnlyTo: bigint | null
  /**
   * Last block that was indexed without traces, or has a transaction that lacks them; `null` when not reported. Up to there, internal transactions
   * and what they moved may be missing.
   */
  readonly untracedTo: bigint | null
  /**
   * Last block up to which the chain changes native balances by means that neither transactions nor headers state; `null` when not reported. Up
   * to there, such changes may be missing.
   */
  readonly unstatedTo: bigint | null
}

/**
 * A page and its response.
 */
export interface PageResponse<Page> {
  readonly page: Page
  /** Absent: the page is there. */
  readonly notModified?: undefined
  /** Rows that were left out; empty without `onBadRow`. */
  readonly badRows: ReadonlyArray<BadRow>
  /** Blocks that the index behind the page covers, so that "empty" differs from "not indexed". */
  readonly indexCoverage: IndexCoverage
  /** Response headers without any key; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Request id assigned by the server. */
  readonly requestId: string | undefined
  /** Every HTTP request made for this page, oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
}

/**
 * Options of a call for a page that the program may have.
 */
export interface ConditionalOptions extends CallOptions {
  /** Value of the header `etag` of the page that the program has: while the page is the same, the server sends it no second time. */
  readonly ifNoneMatch: string
}

/**
 * The response to a request with `ifNoneMatch` while the page is the same.
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
  /** Returns the page with index coverage, headers, request id and attempts, or `notModified` when it has the tag. */
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
 * A page of a stream. Repeated rows are left out, so it may have none.
 */
export interface StreamPage<Page> extends PageResponse<Page> {
  readonly progress: Progress
  /**
   * Position after this page, as text without a key, for `resume`. Store it together with the rows and no row is lost or repeated by a
   * crash. After the last page of an ASC stream it continues with newer rows; of a DESC stream, with nothing.
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
  /** Streams the range, each row once and in order; after a reorg a marker, and the replacement rows. */
  (query: Q, options: RestartOptions): Stream.Stream<A | RowsReverted, RestError>
  /** Streams the range, each row once and in order. */
  (query: Q, options?: StreamOptions & { readonly onStaleCursor?: "fail" | undefined }): Stream.Stream<A, RestError>
  /** Streams the range, as the options decide that are not known when the program is compiled. */
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
   * - `BadRequest`: a parameter is invalid; most are found before a request is made. Not retried.
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
   * Each row is given once and in order, whatever the server sends: repeated rows are dropped, an empty page with a cursor is skipped,
   * and repeated cursors end in an error. The second page is requested when its first row is needed, later ones one ahead; at most two
   * pages are held. A stream that is stopped or interrupted requests no more and closes the socket of the request in flight.
   *
   * **Errors**
   *
   * - `OutOfOrder`: a row violates the requested order (`DESC` by default). Earlier rows are valid.
   * - `InvalidResponse` at `cursor` or `result`: a cursor was repeated, or pages have no new rows. Earlier rows are valid.
   * - `StaleCursor`: a reorg, unless `onStaleCursor` is `restart`; also when rows before a `resume` are no longer on the chain.
   * - `BadRequest`: also for an invalid option, with its name.
   * - those of `walletTransactions`.
   *
   * **Gotchas**
   *
   * - With the cursor of an ASC query also set `order: "ASC"`.
   *
   * Source: docs/interface.md#4.1; decisions 0009, 0011 and 0021.
   */
  readonly walletTransactionsStream: PagedStream<WalletTransaction>
  /** Streams the same rows one page at a time, each page with its response, the progress so far and a position for `resume`. */
  readonly walletPagesStream: PagedStream<WalletStreamPage>
  /**
   * Returns one page of a wallet's movements: each change of what it holds, as a signed amount in the smallest unit of its asset.
   *
   * **Errors**
   *
   * - `Unavailable`: also while the server derives the ledgers of wallets.
   * - those of `walletTransactions`.
   *
   * **Gotchas**
   *
   * - A page may have few rows, or none, and a cursor: the server searches a bounded part of the range for each.
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
   * Streams the events of a wallet: rows as blocks are indexed, and what a reorg took back. It ends only with an error.
   *
   * **Details**
   *
   * - Keep each row under its `row`, replace it by one with a higher `revision`, and after `block.voided` drop the rows of the block with that hash.
   *   The table is then the list of the server.
   * - After a connection ended the stream connects again and goes on where it was. A row is not given twice with the same revision, unless its
   *   block was voided between.
   * - `data.cursor` of the last event that was processed, as `from` of a later stream, goes on after it.
   * - One part of the response is held at a time; while no event is taken, nothing is read.
   *
   * **Errors**
   *
   * - `StaleCursor`: the server no longer knows what changed. Drop the rows from `resumeFromBlock` on, and begin there.
   * - `RateLimited`: also where the key has too many open streams.
   * - `InvalidResponse`: also from a server without events, and for one that is larger than `maxBytes`.
   * - `TransportError`: also where several connections gave no event.
   * - those of `walletTransactions`.
   *
   * Source: decision 0073.
   */
  readonly walletEvents: (query: EventQuery, options?: CallOptions) => Stream.Stream<WalletEvent, RestError>
  /**
   * Returns what a wallet holds at a block, by default the last indexed one, as the sums of its movements.
   *
   * **Errors**
   *
   * - `BadRequest`: also for a range that ends before the first indexed block.
   * - those of `movements`, without `StaleCursor`.
   *
   * **Gotchas**
   *
   * - `to_block` and `to_date` may lie above the index: `block_number` of the result is the block whose balances it has.
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
   * Returns what a wallet held before a range of blocks, what moved in and out by asset and kind, and what it holds after it.
   *
   * **Errors**
   *
   * - those of `balances`.
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
   * Returns a statement over final blocks that the service has signed. `SignedStatement.toText` gives its file, which anyone can check by
   * `daybook verify-statement` and an archive node.
   *
   * **Errors**
   *
   * - `NotFound`: the service signs no statements.
   * - `BadRequest`: also for a last block that is not final, and for a wallet with too many movements.
   * - `Unavailable`: what the wallet held before the first indexed block was not read yet. Retried.
   * - those of `balances`.
   *
   * Source: decision 0050.
   */
  readonly signedStatement: (
    query: SignedStatementQuery,
    options?: CallOptions,
  ) => Effect.Effect<SignedStatement, RestError>
  /**
   * Compares the sums of a wallet with the state of the chain, and returns the comparison: its block, and what differs. It starts the comparison
   * where none is known, and waits until it is made. Only for API keys that name the operation.
   *
   * **Errors**
   *
   * - `Forbidden`: the key does not name the operation.
   * - `BadRequest`: `to_block` is not final, or the index has not all transactions of the wallet.
   * - `NotFound`: the service makes no comparisons.
   * - `RateLimited`, `Unavailable`: too many comparisons wait, or one failed. Retried, which starts it again.
   * - those of `walletTransactions`.
   *
   * Source: decision 0050.
   */
  readonly proveWallet: (query: ProofQuery, options?: ProofOptions) => Effect.Effect<Proof, RestError>
  /**
   * Names an address and decodes its calls and events by an ABI from now on, those of old transactions too; or adds a pack, which is tried
   * for every contract. What is returned is what the server stored: the items that it can decode.
   *
   * **Errors**
   *
   * - `Forbidden`: the API key does not name the operation.
   * - `BadRequest`: the description is invalid, or the server has no room for it. Not retried.
   * - `InvalidResponse`: also for a description that is too large for the server.
   * - those of `walletTransactions`, without `StaleCursor`.
   *
   * Source: decision 0059.
   */
  readonly putContract: (query: DescriptionQuery, options?: CallOptions) => Effect.Effect<DescribedContract, RestError>
  /**
   * Removes the description of an address, or a pack; `removed` is false where there was none.
   *
   * **Errors**
   *
   * - those of `putContract`.
   *
   * Source: decision 0059.
   */
  readonly removeContract: (query: ContractQuery, options?: CallOptions) => Effect.Effect<RemovedContract, RestError>
  /** The same client, whose calls have these options unless they are given others; waits and limits are shared. Headers are added. */
  readonly with: (options: CallOptions) => Client
}
