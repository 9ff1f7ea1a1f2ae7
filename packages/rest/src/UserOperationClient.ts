/**
 * Client for user operations of wallets (ERC-4337), with Effect or promises. It is a separate module so that other programs do not bundle
 * it.
 */
import * as RestOperation from "@daybook/schema/RestOperation"
import { UserOperation } from "@daybook/schema/UserOperation"
import type { UserOperationPage } from "@daybook/schema/UserOperationPage"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as CallerStack from "@daybook/transport/internal/CallerStack"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { CallOptions, Options, PageCall, PagedStream, StreamOptions, StreamPage } from "./Client.ts"
import * as CallDefaults from "./internal/CallDefaults.ts"
import * as ClientContext from "./internal/ClientContext.ts"
import type { Kinds } from "./internal/ClientOptions.ts"
import * as OperationCalls from "./internal/OperationCalls.ts"
import * as PageStream from "./internal/PageStream.ts"
import { kinds } from "./internal/PromiseCall.ts"
import { paged } from "./internal/PromisePages.ts"
import * as RowHash from "./internal/RowHash.ts"
import * as RowPlace from "./internal/RowPlace.ts"
import type { Operation } from "./Operation.ts"
import type * as promise from "./promise.ts"
import * as Query from "./Query.ts"
import type { RestError } from "./RestError.ts"

export type { LoggedOperation, UserOperation } from "@daybook/schema/UserOperation"
export type { UserOperationPage } from "@daybook/schema/UserOperationPage"

/**
 * The calls of the client.
 *
 * Source: decision 0049.
 */
export interface UserOperationClient {
  /**
   * Returns one page of ERC-4337 user operations in which the wallet is the sender, the paymaster or the bundler.
   *
   * **Errors**
   *
   * - Those of `RestClient.movements`.
   *
   * **Gotchas**
   *
   * - Movements already include `actual_gas_cost`. Do not add it again.
   * - A page may have few or no rows and still have a cursor, because the server searches a bounded part of the range per page.
   *
   * Source: decisions 0048 and 0049.
   */
  readonly userOperations: (
    query: Query.UserOperationQuery,
    options?: CallOptions,
  ) => Effect.Effect<UserOperationPage, RestError>
  /** Returns the same page with index coverage, headers, request id and attempts. */
  readonly userOperationsWithResponse: PageCall<UserOperationPage, Query.UserOperationQuery>
  /**
   * Streams all user operations of the range as `RestClient.walletTransactionsStream` does transactions, with the same options and errors.
   *
   * Source: decision 0049.
   */
  readonly userOperationsStream: PagedStream<UserOperation, Query.UserOperationQuery>
  /** Streams the same rows one page at a time, each page with its response, the progress so far and a position for `resume`. */
  readonly userOperationPagesStream: PagedStream<StreamPage<UserOperationPage>, Query.UserOperationQuery>
  /** Returns the same client with these options as defaults for its calls; waits and limits are shared. Headers are merged. */
  readonly with: (options: CallOptions) => UserOperationClient
}

/**
 * The calls of `UserOperationClient` as promises, which reject with the errors of `RestError`.
 *
 * Source: decision 0049.
 */
export interface UserOperationPromiseClient {
  /** Returns one page of user operations in which the wallet is the sender, the paymaster or the bundler. */
  readonly userOperations: (
    query: Query.UserOperationQuery,
    options?: promise.CallOptions,
  ) => promise.PagePromise<UserOperationPage>
  /** Returns the same page with index coverage, headers, request id and attempts. */
  readonly userOperationsWithResponse: promise.PageCall<UserOperationPage, Query.UserOperationQuery>
  /** Iterates all user operations of the range. */
  readonly userOperationsStream: promise.RowStream<UserOperation, Query.UserOperationQuery>
  /** Iterates the same rows one page at a time. */
  readonly userOperationPagesStream: promise.PageStream<UserOperationPage, Query.UserOperationQuery>
  /** Returns the same client with these options as defaults for its calls; waits and limits are shared. Headers are merged. */
  readonly with: (options: promise.CallOptions) => UserOperationPromiseClient
}

const operation: Operation<Query.UserOperationQuery, UserOperation, UserOperationPage> = {
  contract: RestOperation.userOperations,
  row: UserOperation,
  encode: Query.encodeUserOperations,
  locate: (row) => RowPlace.withKey(`${row.transaction_hash}.${row.log_index}`, row),
  keyOf: RowHash.reader("transaction_hash"),
}

/** Makes the calls of a client. `moreKinds` are call options added by a client style. */
const callsOf = (options: Options, moreKinds: Kinds = {}) =>
  Effect.map(ClientContext.make(options, moreKinds), (context) =>
    // No event reports a user operation, so a stream that follows polls at its interval.
    OperationCalls.make(context, operation, () => Stream.never),
  )

/**
 * Makes a client whose calls are Effects.
 *
 * **Errors**
 *
 * - `InvalidOption`: the base URL, the key or a limit is invalid. The message never shows a URL or a key.
 *
 * **Example** (Reading what a paymaster paid)
 *
 * ```ts
 * import { UserOperationClient } from "@daybook/rest"
 * import { Effect } from "effect"
 *
 * export const paid = Effect.gen(function* () {
 *   const client = yield* UserOperationClient.make({ baseUrl: "https://s.example", apiKey: "my-key" })
 *   const address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
 *   const { result } = yield* client.userOperations({ address, role: "paymaster" })
 *   return result.map(({ actual_gas_cost }) => actual_gas_cost)
 * })
 * ```
 *
 * Source: decision 0049.
 */
export const make = (options: Options): Effect.Effect<UserOperationClient, InvalidOption> =>
  Effect.map(callsOf(options), ({ page, source, withResponse }) =>
    CallDefaults.client<UserOperationClient, CallOptions>({
      userOperations: page,
      // Sound, here and below: a call without a tag returns a page, and a stream that does not restart emits no marker.
      userOperationsWithResponse: withResponse as UserOperationClient["userOperationsWithResponse"],
      userOperationsStream: ((query: Query.UserOperationQuery, call?: StreamOptions) =>
        PageStream.rows(source, query, call)) as UserOperationClient["userOperationsStream"],
      userOperationPagesStream: ((query: Query.UserOperationQuery, call?: StreamOptions) =>
        PageStream.pages(source, query, call)) as UserOperationClient["userOperationPagesStream"],
    }),
  )

/**
 * Makes a client whose calls are promises.
 *
 * **Errors**
 *
 * - Throws `InvalidOption`: the base URL, the key or a limit is invalid. The message never shows a URL or a key.
 *
 * **Example** (Reading a page)
 *
 * ```ts
 * import { createUserOperationClient } from "@daybook/rest/UserOperationClient"
 *
 * const fetch = async () => Response.json({ cursor: null, page: 0, page_size: 100, result: [] }) // left out in a program
 * const client = createUserOperationClient({ baseUrl: "https://s.example", apiKey: "my-key", fetch })
 * const { result } = await client.userOperations({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045" })
 * console.log(result.length) // 0
 * ```
 *
 * Source: decision 0049.
 */
export const createUserOperationClient = (options: Options): UserOperationPromiseClient => {
  const calls = paged(
    CallerStack.keepThrown(() => Result.getOrThrow(Effect.runSync(Effect.result(callsOf(options, kinds))))),
  )
  return CallDefaults.client<UserOperationPromiseClient, promise.CallOptions>({
    userOperations: calls.page,
    userOperationsWithResponse: calls.withResponse,
    userOperationsStream: calls.rows,
    userOperationPagesStream: calls.pages,
  })
}
