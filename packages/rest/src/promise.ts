/**
 * The REST client for programs that use promises: the same calls, options and errors, without any Effect to see.
 */
import type { WalletPage } from "@daybook/schema/WalletPage"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import * as OptionCheck from "@daybook/transport/internal/OptionCheck"
import * as PromiseRunner from "@daybook/transport/internal/PromiseRunner"
import * as Effect from "effect/Effect"
import type * as Client from "./Client.ts"
import * as internal from "./internal/client.ts"
import { iterate, rows } from "./internal/iterate.ts"
import type { Query } from "./Query.ts"

/**
 * What one call may set for itself.
 */
export interface CallOptions extends Client.CallOptions {
  /** Aborting it ends the call and closes its socket; the promise rejects with the signal's reason. The timeout stays in force. */
  readonly signal?: AbortSignal | undefined
}

/**
 * What one walk may set for itself.
 */
export interface StreamOptions extends Client.StreamOptions, CallOptions {}

/**
 * Options of a walk that puts `RowsReverted` among its values.
 */
export interface RestartOptions extends Client.RestartOptions, CallOptions {}

/**
 * A page that is on its way.
 */
export interface PagePromise extends Promise<WalletPage> {
  /** The same page, of the same request, with completeness, headers, request id and attempts. */
  readonly withResponse: () => Promise<Client.WalletResponse>
}

/**
 * All transactions of the range. Iterated it gives each of them; awaited it gives the first page, and an iteration after that
 * goes on from that page. Each further iteration walks anew.
 *
 * **Gotchas**
 * - An `async` function that returns it awaits it, as with every value that can be awaited: it gives the first page.
 */
export interface Rows<A> extends AsyncIterable<A>, PromiseLike<WalletPage> {
  /**
   * Where the latest iteration is, after the value that it gave last: text without a key, for `resume`. Undefined before the
   * first page. Store it once the value is dealt with, and nothing is lost or doubled by a crash.
   */
  readonly position: () => string | undefined
}

/**
 * The calls of the client. Promises reject and iterations throw the errors of `RestError`; recognise them by `_tag`.
 */
export interface RestPromiseClient {
  /** One page, newest first unless `order` is ASC; its `cursor` asks for the next one. */
  readonly walletTransactions: (query: Query, options?: CallOptions) => PagePromise
  /** The same page with completeness, headers, request id and attempts. */
  readonly walletTransactionsWithResponse: (query: Query, options?: CallOptions) => Promise<Client.WalletResponse>
  /**
   * All transactions of the range, each once and in order. The second page is asked for when its first row is wanted, later ones
   * one ahead; leaving the loop early asks for no more and closes the socket of the request in flight.
   */
  readonly walletTransactionsStream: {
    (query: Query, options: RestartOptions): Rows<WalletTransaction | Client.RowsReverted>
    (query: Query, options?: StreamOptions & { readonly onStaleCursor?: "fail" | undefined }): Rows<WalletTransaction>
  }
  /** The same walk, a page at a time, each with what came around it, the progress so far and a position to resume from. */
  readonly walletPagesStream: {
    (query: Query, options: RestartOptions): AsyncIterable<Client.WalkPage | Client.RowsReverted>
    (
      query: Query,
      options?: StreamOptions & { readonly onStaleCursor?: "fail" | undefined },
    ): AsyncIterable<Client.WalkPage>
  }
}

/** The page of a response that is on its way. */
const pageOf = (response: Promise<Client.WalletResponse>): PagePromise => {
  const page = response.then((whole) => whole.page)
  return Object.assign(page, {
    withResponse: () => {
      // Who asks for the response is told there, and need not look at the page as well.
      page.catch(() => undefined)
      return response
    },
  })
}

/** The signal to heed; one that is none makes the call fail, which is told there. */
const signalOf = (call: CallOptions | undefined): AbortSignal | undefined =>
  OptionCheck.isSignal(call?.signal) ? call.signal : undefined

/**
 * Makes a client.
 *
 * **Errors**
 * - Throws `InvalidOption`: the base URL, the key or a limit cannot be used. The message never shows a URL or a key.
 */
export const createRestClient = (options: Client.Options): RestPromiseClient => {
  const made = Effect.runSync(Effect.result(internal.make(options, { signal: "signal" })))
  if (made._tag === "Failure") throw made.failure
  const { client, steps } = made.success
  const withResponse: RestPromiseClient["walletTransactionsWithResponse"] = (query, call) =>
    PromiseRunner.run(client.walletTransactionsWithResponse(query, call), { signal: signalOf(call) })
  return {
    walletTransactions: (query, call) => pageOf(withResponse(query, call)),
    walletTransactionsWithResponse: withResponse,
    // Sound: a walk that does not restart has no marker in it.
    walletTransactionsStream: ((query: Query, call?: StreamOptions) =>
      rows(steps(query, call), signalOf(call))) as RestPromiseClient["walletTransactionsStream"],
    walletPagesStream: (query: Query, call?: StreamOptions) =>
      iterate(
        client.walletPagesStream(query, call as Client.StreamOptions & { readonly onStaleCursor?: "fail" }),
        signalOf(call),
      ),
  }
}
