/**
 * The REST client for programs that use promises: the same calls, options and errors as `RestClient`, without Effect.
 */
import type { Balances } from "@daybook/schema/Balance"
import type { DescribedContract, RemovedContract } from "@daybook/schema/Contract"
import type { Movement, MovementPage } from "@daybook/schema/Movement"
import type { SignedStatement } from "@daybook/schema/SignedStatement"
import type { Proof, Statement } from "@daybook/schema/Statement"
import type { WalletEvent } from "@daybook/schema/WalletEvent"
import type { WalletPage } from "@daybook/schema/WalletPage"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import * as CallerStack from "@daybook/transport/internal/CallerStack"
import * as PromiseRunner from "@daybook/transport/internal/PromiseRunner"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Client from "./Client.ts"
import * as CallDefaults from "./internal/CallDefaults.ts"
import * as ClientBuilder from "./internal/ClientBuilder.ts"
import type { OperationCalls, WithTag } from "./internal/OperationCalls.ts"
import { kinds, signalOf, single } from "./internal/PromiseCall.ts"
import * as RowIterable from "./internal/RowIterable.ts"
import type { Page } from "./Operation.ts"
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

export * from "./Resource.ts"
export { isRestError } from "./RestError.ts"
export type * from "./RestError.ts"

/**
 * Options of one call.
 */
export interface CallOptions extends Client.CallOptions {
  /** Ends the call and closes its socket when aborted; the promise rejects with the reason of the signal. The timeout stays in force. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Options of a comparison with the chain.
 */
export interface ProofOptions extends Client.ProofOptions, CallOptions {}

/**
 * Options of a stream.
 */
export interface StreamOptions extends Client.StreamOptions, CallOptions {}

/**
 * Options of a stream that gives `RowsReverted` markers.
 */
export interface RestartOptions extends Client.RestartOptions, CallOptions {}

/**
 * A page that requests the page after it.
 */
export type Paged<P> = P & {
  /** Returns the next page of the same query, with the same options; `null` after the last page. Not part of its JSON. */
  readonly next: () => Promise<Paged<P> | null>
}

/**
 * A promise of a page.
 */
export interface PagePromise<P = WalletPage> extends Promise<Paged<P>> {
  /** The page of the same request with index coverage, headers, request id and attempts. */
  readonly withResponse: () => Promise<Client.PageResponse<Paged<P>>>
}

/**
 * Options of a call for a page that the program may have.
 */
export interface ConditionalOptions extends Client.ConditionalOptions, CallOptions {}

/**
 * Requests a page and its response.
 */
export interface PageCall<P, Q> {
  /** Returns the page with index coverage, headers, request id and attempts, or `notModified` when it has the tag. */
  (query: Q, options: ConditionalOptions): Promise<Client.PageResponse<Paged<P>> | Client.NotModified>
  /** Returns the page with index coverage, headers, request id and attempts. */
  (query: Q, options?: CallOptions): Promise<Client.PageResponse<Paged<P>>>
}

/**
 * All rows of the range. Each iteration starts a new query.
 */
export interface Rows<A> extends AsyncIterable<A> {
  /**
   * Position of the latest iteration after the last value it gave: text without a key, for `resume`. Undefined before the first page.
   * Store it once the value is processed, and no row is lost or repeated by a crash.
   */
  readonly position: () => string | undefined
}

/**
 * Iterates all rows of the range, each once and in order. The second page is requested when its first row is needed, later ones one
 * ahead. Leaving the loop early requests no more and closes the socket of the request in flight.
 */
export interface RowStream<A, Q> {
  /** Iterates all rows of the range, each once and in order; after a reorg a marker, and the replacement rows. */
  (query: Q, options: RestartOptions): Rows<A | Client.RowsReverted>
  /** Iterates all rows of the range, each once and in order. Amounts are bigints, times are dates. */
  (query: Q, options?: StreamOptions & { readonly onStaleCursor?: "fail" | undefined }): Rows<A>
}

/**
 * Iterates the rows of a range one page at a time, each page with its response, the progress so far and a position for `resume`.
 */
export interface PageStream<P, Q> {
  /** Iterates the pages of a range; after a reorg a marker, and the pages of the replacement rows. */
  (query: Q, options: RestartOptions): AsyncIterable<Client.StreamPage<P> | Client.RowsReverted>
  /** Iterates the pages of a range, each with its response, the progress so far and a position for `resume`. */
  (
    query: Q,
    options?: StreamOptions & { readonly onStaleCursor?: "fail" | undefined },
  ): AsyncIterable<Client.StreamPage<P>>
}

/**
 * The calls of the client. Promises reject and iterations throw the errors of `RestError`; recognise them by `_tag`.
 */
export interface RestPromiseClient {
  /** Returns one page, newest first unless `order` is ASC. Its `cursor` requests the next page. */
  readonly walletTransactions: (query: Query, options?: CallOptions) => PagePromise
  /** Returns the same page with index coverage, headers, request id and attempts. */
  readonly walletTransactionsWithResponse: PageCall<WalletPage, Query>
  /** Iterates all transactions of the range. */
  readonly walletTransactionsStream: RowStream<WalletTransaction, Query>
  /** Iterates the same rows one page at a time. */
  readonly walletPagesStream: PageStream<WalletPage, Query>
  /** Returns one page of movements, newest first unless `order` is ASC: signed amounts in the smallest unit of each asset. */
  readonly movements: (query: MovementQuery, options?: CallOptions) => PagePromise<MovementPage>
  /** Returns the same page with index coverage, headers, request id and attempts. */
  readonly movementsWithResponse: PageCall<MovementPage, MovementQuery>
  /** Iterates all movements of the range. */
  readonly movementsStream: RowStream<Movement, MovementQuery>
  /** Iterates the same rows one page at a time. */
  readonly movementPagesStream: PageStream<MovementPage, MovementQuery>
  /**
   * Iterates the events of a wallet: rows as blocks are indexed, and what a reorg took back. It goes on over cut connections, and ends only
   * with an error or when you leave the loop. `data.cursor` of an event, as `from`, goes on after it.
   */
  readonly walletEvents: (query: EventQuery, options?: CallOptions) => AsyncIterable<WalletEvent>
  /** Returns what a wallet holds at a block, by default the last indexed one. */
  readonly balances: (query: BalanceQuery, options?: CallOptions) => Promise<Balances>
  /** Returns what a wallet held before a range, what moved by asset and kind, and what it holds after it. */
  readonly statement: (query: StatementQuery, options?: CallOptions) => Promise<Statement>
  /** Returns a statement over final blocks that the service has signed; `SignedStatement.toText` gives its file. */
  readonly signedStatement: (query: SignedStatementQuery, options?: CallOptions) => Promise<SignedStatement>
  /**
   * Compares the sums of a wallet with the state of the chain, and returns the comparison: its block, and what differs. It starts the comparison
   * where none is known, and waits until it is made. Only for API keys that name the operation.
   */
  readonly proveWallet: (query: ProofQuery, options?: ProofOptions) => Promise<Proof>
  /** Names an address and decodes its calls and events by an ABI, or adds a pack. Only for API keys that name the operation. */
  readonly putContract: (query: DescriptionQuery, options?: CallOptions) => Promise<DescribedContract>
  /** Removes the description of an address, or a pack. Only for API keys that name the operation. */
  readonly removeContract: (query: ContractQuery, options?: CallOptions) => Promise<RemovedContract>
  /** The same client, whose calls have these options unless they are given others; waits and limits are shared. Headers are added. */
  readonly with: (options: CallOptions) => RestPromiseClient
}

/** The page of a response. */
const toPage = <P>(response: Promise<Client.PageResponse<Paged<P>>>): PagePromise<P> => {
  const page = response.then((whole) => whole.page)
  return Object.assign(page, {
    withResponse: () => {
      // The rejection is reported by the response; that of the page would be unhandled.
      page.catch(() => undefined)
      return response
    },
  })
}

/** The calls of an operation with pages. */
const paged = <Q, Row, P extends Page<Row>>(calls: OperationCalls<Q, Row, P>) => {
  const withNext = (response: Client.PageResponse<P>, query: Q, call: CallOptions | undefined) => {
    const { cursor } = response.page
    const next = async () => (cursor === null ? null : (await plain({ ...query, cursor }, call)).page)
    // Not enumerable: a page is stored, copied and compared without it.
    Object.defineProperty(response.page, "next", { value: next })
    // Sound: the property was just defined.
    return response as Client.PageResponse<Paged<P>>
  }
  const plain = async (query: Q, call?: CallOptions) =>
    withNext(await PromiseRunner.run(calls.response(query, call), { signal: signalOf(call) }), query, call)
  const withResponse = async (query: Q, call?: CallOptions & WithTag) => {
    const response = await PromiseRunner.run(calls.withResponse(query, call), { signal: signalOf(call) })
    if (response.notModified === true) return response
    // The tag is that of this page alone.
    const { ifNoneMatch: _tag, ...rest } = call ?? {}
    return withNext(response, query, rest)
  }
  return {
    page: (query: Q, call?: CallOptions): PagePromise<P> => toPage<P>(plain(query, call)),
    // Sound: a call without a tag has a page.
    withResponse: withResponse as PageCall<P, Q>,
    // Sound, here and below: a stream that does not restart has no marker in it.
    rows: ((query: Q, call?: StreamOptions) =>
      RowIterable.rows(calls.source, query, call, signalOf(call))) as RowStream<Row, Q>,
    pages: ((query: Q, call?: StreamOptions) =>
      RowIterable.pages(calls.source, query, call, signalOf(call))) as PageStream<P, Q>,
  }
}

/**
 * Makes a client.
 *
 * **Errors**
 *
 * - Throws `InvalidOption`: the base URL, the key or a limit is invalid. The message never shows a URL or a key.
 *
 * **Example** (Reading a page)
 *
 * ```ts
 * import { createRestClient } from "@daybook/rest/promise"
 *
 * const fetch = async () => Response.json({ cursor: null, page: 0, page_size: 100, result: [] }) // left out in a program
 * const rest = createRestClient({ baseUrl: "https://s.example", apiKey: "my-key", fetch })
 * const { result } = await rest.walletTransactions({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045" })
 * console.log(result.length) // 0
 * ```
 */
export const createRestClient = (options: Client.Options): RestPromiseClient => {
  const calls = CallerStack.keepThrown(() =>
    Result.getOrThrow(Effect.runSync(Effect.result(ClientBuilder.make(options, kinds)))),
  )
  const wallet = paged(calls.walletTransactions)
  const movements = paged(calls.movements)
  return CallDefaults.client<RestPromiseClient, CallOptions>({
    walletTransactions: wallet.page,
    walletTransactionsWithResponse: wallet.withResponse,
    walletTransactionsStream: wallet.rows,
    walletPagesStream: wallet.pages,
    movements: movements.page,
    movementsWithResponse: movements.withResponse,
    movementsStream: movements.rows,
    movementPagesStream: movements.pages,
    walletEvents: (query: EventQuery, call?: CallOptions) =>
      RowIterable.values(calls.walletEvents(query, call), signalOf(call)),
    balances: single(calls.balances),
    statement: single(calls.statement),
    signedStatement: single(calls.signedStatement),
    proveWallet: single({ value: calls.proveWallet }),
    putContract: single(calls.putContract),
    removeContract: single(calls.removeContract),
  })
}
