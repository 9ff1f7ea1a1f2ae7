/**
 * The REST client for programs that use promises: the same calls, options and errors, without any Effect to see.
 */
import type { WalletPage } from "@daybook/schema/WalletPage"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import * as PromiseFace from "@daybook/transport/PromiseFace"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Client from "./Client.ts"
import * as client from "./internal/client.ts"
import type { Query } from "./Query.ts"

/**
 * What one call may set for itself.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallOptions extends Client.CallOptions {
  /** Aborting it ends the call and closes its socket; the promise rejects with the signal's reason. The timeout stays in force. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The calls of the client. Promises reject and iterations throw the errors of `RestError`; recognise them by `_tag`.
 *
 * @category services
 * @since 0.1.0
 */
export interface RestPromiseClient {
  /** One page, newest first unless `order` is ASC; its `cursor` asks for the next one. Source: interface 4.1. */
  readonly walletTransactions: (query: Query, options?: CallOptions) => Promise<WalletPage>
  /** The same page with completeness, headers, request id and attempts. Source: decision 0013. */
  readonly walletTransactionsWithResponse: (query: Query, options?: CallOptions) => Promise<Client.WalletResponse>
  /**
   * All transactions of the range, each once and in order. A page is asked for when its first row is; leaving the loop early asks
   * for no more and closes the socket. Each iteration walks anew.
   */
  readonly walletTransactionsStream: (query: Query, options?: CallOptions) => AsyncIterable<WalletTransaction>
  /** The same walk, a page at a time with what came around it. */
  readonly walletPagesStream: (query: Query, options?: CallOptions) => AsyncIterable<Client.WalletResponse>
}

const aborted = (signal: AbortSignal): Effect.Effect<never> =>
  Effect.callback((resume) => {
    const stop = () => resume(Effect.die(signal.reason))
    signal.addEventListener("abort", stop, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", stop))
  })

const iterate = <A, E>(stream: Stream.Stream<A, E>, signal: AbortSignal | undefined): AsyncIterable<A> =>
  Stream.toAsyncIterable(
    signal === undefined
      ? stream
      : Stream.suspend(() =>
          signal.aborted ? Stream.die(signal.reason) : Stream.interruptWhen(stream, aborted(signal)),
        ),
  )

/**
 * Makes a client.
 *
 * **Errors**
 * - Throws `InvalidOption`: the base URL, the key or a limit cannot be used. The message never shows a URL or a key.
 *
 * @category constructors
 * @since 0.1.0
 */
export const createRestClient = (options: Client.Options): RestPromiseClient => {
  const made = Effect.runSync(Effect.result(client.make(options)))
  if (made._tag === "Failure") throw made.failure
  const rest = made.success
  return {
    walletTransactions: (query, call) => PromiseFace.run(rest.walletTransactions(query, call), call),
    walletTransactionsWithResponse: (query, call) =>
      PromiseFace.run(rest.walletTransactionsWithResponse(query, call), call),
    walletTransactionsStream: (query, call) => iterate(rest.walletTransactionsStream(query, call), call?.signal),
    walletPagesStream: (query, call) => iterate(rest.walletPagesStream(query, call), call?.signal),
  }
}
