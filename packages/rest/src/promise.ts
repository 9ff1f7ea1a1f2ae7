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
import * as StreamIterable from "@daybook/transport/internal/StreamIterable"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Client from "./Client.ts"
import * as CallDefaults from "./internal/CallDefaults.ts"
import * as ClientBuilder from "./internal/ClientBuilder.ts"
import { kinds, signalOf, single } from "./internal/PromiseCall.ts"
import {
  type CallOptions,
  paged,
  type PageCall,
  type PagePromise,
  type PageStream,
  type RowStream,
} from "./internal/PromisePages.ts"
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

export type {
  BadRow,
  IndexCoverage,
  NotModified,
  Options,
  PageResponse,
  Progress,
  RowsReverted,
  StreamPage,
} from "./Client.ts"
export type {
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
export type {
  CallOptions,
  ConditionalOptions,
  Paged,
  PageCall,
  PagePromise,
  PageStream,
  RestartOptions,
  Rows,
  RowStream,
  StreamOptions,
} from "./internal/PromisePages.ts"
export * from "./Resource.ts"
export { isRestError } from "./RestError.ts"
export type * from "./RestError.ts"

/**
 * Options of a comparison with the chain.
 */
export interface ProofOptions extends Client.ProofOptions, CallOptions {}

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
   * Iterates the events of a wallet: rows as blocks are indexed, and the rows that a reorg reverted. It reconnects as needed, and ends only
   * with an error or when you leave the loop. Pass the `data.cursor` of an event as `from` to continue after it.
   */
  readonly walletEvents: (query: EventQuery, options?: CallOptions) => AsyncIterable<WalletEvent>
  /** Returns the balances of a wallet at a block, by default the last indexed one. */
  readonly balances: (query: BalanceQuery, options?: CallOptions) => Promise<Balances>
  /** Returns the same balances as `page`, with index coverage, headers, request id and attempts. */
  readonly balancesWithResponse: (query: BalanceQuery, options?: CallOptions) => Promise<Client.PageResponse<Balances>>
  /** Returns the opening balances of a wallet before a range, what moved by asset and kind, and the closing balances. */
  readonly statement: (query: StatementQuery, options?: CallOptions) => Promise<Statement>
  /** Returns the same statement as `page`, with index coverage, headers, request id and attempts. */
  readonly statementWithResponse: (
    query: StatementQuery,
    options?: CallOptions,
  ) => Promise<Client.PageResponse<Statement>>
  /** Returns a statement over final blocks, signed by the service; `SignedStatement.toText` writes its file. */
  readonly signedStatement: (query: SignedStatementQuery, options?: CallOptions) => Promise<SignedStatement>
  /**
   * Compares the sums of a wallet with the state of the chain, and returns the result: its block and the differences. Starts a comparison
   * if none is known, and waits for its result. Only for API keys that allow the operation.
   */
  readonly proveWallet: (query: ProofQuery, options?: ProofOptions) => Promise<Proof>
  /**
   * Names an address and registers an ABI with which its calls and events are decoded, or adds a pack. Only for API keys that allow the
   * operation.
   */
  readonly putContract: (query: DescriptionQuery, options?: CallOptions) => Promise<DescribedContract>
  /** Removes the description of an address, or a pack. Only for API keys that allow the operation. */
  readonly removeContract: (query: ContractQuery, options?: CallOptions) => Promise<RemovedContract>
  /** Returns the same client with these options as defaults for its calls; waits and limits are shared. Headers are merged. */
  readonly with: (options: CallOptions) => RestPromiseClient
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
      StreamIterable.values(calls.walletEvents(query, call), signalOf(call)),
    balances: single(calls.balances),
    balancesWithResponse: single({ value: calls.balances.response }),
    statement: single(calls.statement),
    statementWithResponse: single({ value: calls.statement.response }),
    signedStatement: single(calls.signedStatement),
    proveWallet: single({ value: calls.proveWallet }),
    putContract: single(calls.putContract),
    removeContract: single(calls.removeContract),
  })
}
