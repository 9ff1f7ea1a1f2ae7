/**
 * The REST client for programs that use promises: the same calls, options and errors as `RestClient`, without Effect.
 */
import type { WalletPage } from "@daybook/schema/WalletPage"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import * as OptionCheck from "@daybook/transport/internal/OptionCheck"
import * as PromiseRunner from "@daybook/transport/internal/PromiseRunner"
import * as Effect from "effect/Effect"
import type * as Client from "./Client.ts"
import * as ClientBuilder from "./internal/ClientBuilder.ts"
import * as RowIterable from "./internal/RowIterable.ts"
import type { Query } from "./Query.ts"

/**
 * Options of one call.
 */
export interface CallOptions extends Client.CallOptions {
  /** Ends the call and closes its socket when aborted; the promise rejects with the reason of the signal. The timeout stays in force. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Options of a stream.
 */
export interface StreamOptions extends Client.StreamOptions, CallOptions {}

/**
 * Options of a stream that gives `RowsReverted` markers.
 */
export interface RestartOptions extends Client.RestartOptions, CallOptions {}

/**
 * A promise of a page.
 */
export interface PagePromise extends Promise<WalletPage> {
  /** The page of the same request with index coverage, headers, request id and attempts. */
  readonly withResponse: () => Promise<Client.WalletResponse>
}

/**
 * All transactions of the range. Iterated it gives each of them; awaited it gives the first page, and an iteration after that continues
 * from that page. Each further iteration starts a new query.
 *
 * **Gotchas**
 *
 * - An `async` function that returns it awaits it, like every value that can be awaited, and so returns the first page.
 */
export interface Rows<A> extends AsyncIterable<A>, PromiseLike<WalletPage> {
  /**
   * Position of the latest iteration after the last value it gave: text without a key, for `resume`. Undefined before the first page.
   * Store it once the value is processed, and no row is lost or repeated by a crash.
   */
  readonly position: () => string | undefined
}

/**
 * The calls of the client. Promises reject and iterations throw the errors of `RestError`; recognise them by `_tag`.
 */
export interface RestPromiseClient {
  /** Returns one page, newest first unless `order` is ASC. Its `cursor` requests the next page. */
  readonly walletTransactions: (query: Query, options?: CallOptions) => PagePromise
  /** Returns the same page with index coverage, headers, request id and attempts. */
  readonly walletTransactionsWithResponse: (query: Query, options?: CallOptions) => Promise<Client.WalletResponse>
  /**
   * Iterates all transactions of the range, each once and in order. The second page is requested when its first row is needed, later
   * ones one ahead. Leaving the loop early requests no more and closes the socket of the request in flight.
   */
  readonly walletTransactionsStream: {
    (query: Query, options: RestartOptions): Rows<WalletTransaction | Client.RowsReverted>
    (query: Query, options?: StreamOptions & { readonly onStaleCursor?: "fail" | undefined }): Rows<WalletTransaction>
  }
  /** Iterates the same rows one page at a time, each page with its response, the progress so far and a position for `resume`. */
  readonly walletPagesStream: {
    (query: Query, options: RestartOptions): AsyncIterable<Client.WalletStreamPage | Client.RowsReverted>
    (
      query: Query,
      options?: StreamOptions & { readonly onStaleCursor?: "fail" | undefined },
    ): AsyncIterable<Client.WalletStreamPage>
  }
}

/** The page of a response. */
const toPage = (response: Promise<Client.WalletResponse>): PagePromise => {
  const page = response.then((whole) => whole.page)
  return Object.assign(page, {
    withResponse: () => {
      // The rejection is reported by the response; that of the page would be unhandled.
      page.catch(() => undefined)
      return response
    },
  })
}

/** The signal of a call; an invalid one fails in the checks of the options. */
const signalOf = (call: CallOptions | undefined): AbortSignal | undefined =>
  OptionCheck.isSignal(call?.signal) ? call.signal : undefined

/** Given by an awaited stream that has nothing left. */
const emptyPage: WalletPage = { cursor: null, page: 0, page_size: 0, result: [] }

/**
 * Makes a client.
 *
 * **Errors**
 *
 * - Throws `InvalidOption`: the base URL, the key or a limit is invalid. The message never shows a URL or a key.
 */
export const createRestClient = (options: Client.Options): RestPromiseClient => {
  const made = Effect.runSync(Effect.result(ClientBuilder.make(options, { signal: "signal" })))
  if (made._tag === "Failure") throw made.failure
  const { walletTransactions: wallet } = made.success
  const withResponse: RestPromiseClient["walletTransactionsWithResponse"] = (query, call) =>
    PromiseRunner.run(wallet.withResponse(query, call), { signal: signalOf(call) })
  return {
    walletTransactions: (query, call) => toPage(withResponse(query, call)),
    walletTransactionsWithResponse: withResponse,
    // Sound: a stream that does not restart has no marker in it.
    walletTransactionsStream: ((query: Query, call?: StreamOptions) =>
      RowIterable.make(
        wallet.steps(query, call),
        emptyPage,
        signalOf(call),
      )) as RestPromiseClient["walletTransactionsStream"],
    // Sound: as above.
    walletPagesStream: ((query: Query, call?: StreamOptions) =>
      RowIterable.iterate(wallet.pages(query, call), signalOf(call))) as RestPromiseClient["walletPagesStream"],
  }
}
