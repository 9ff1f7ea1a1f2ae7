/**
 * The read operations of the REST interface as plain values: path, parameters, response and errors. Server, client and `RestApi` are built
 * from them. This module imports no HTTP stack; `RestApi` is the `HttpApi` of the same operations. Operations that change server state are
 * `ChangeOperation` and `WebhookOperation`.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import * as ApiError from "./ApiError.ts"
import * as Balance from "./Balance.ts"
import * as Issue from "./Issue.ts"
import * as LedgerQuery from "./LedgerQuery.ts"
import * as Movement from "./Movement.ts"
import * as SignedStatement from "./SignedStatement.ts"
import * as Statement from "./Statement.ts"
import * as UserOperationPage from "./UserOperationPage.ts"
import * as WalletEvent from "./WalletEvent.ts"
import * as WalletPage from "./WalletPage.ts"
import * as WalletQuery from "./WalletQuery.ts"

type Parameters = Schema.Codec<unknown, unknown> & { readonly fields: Schema.Struct.Fields }

/**
 * An operation of the REST interface.
 *
 * Source: docs/interface.md#4.1; decision 0019.
 */
export interface RestOperation {
  /** Name of the operation, which is also the name of the client's method. */
  readonly name: string
  /** HTTP method: `GET` for an operation that reads. */
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  /** Path from the base URL, with `:name` for a path parameter. */
  readonly path: `/${string}`
  /** Path parameters, all required. */
  readonly params: Parameters
  /** Query parameters. */
  readonly query: Parameters
  /** Body of a successful response. */
  readonly response: Schema.Codec<unknown, unknown>
  /** Additional statuses, besides 200, of a response with that body. */
  readonly moreStatuses?: ReadonlyArray<number> | undefined
  /** Errors of the operation, besides those of the API key. */
  readonly errors: ReadonlyArray<Schema.Top>
}

/**
 * An operation that responds with pages of rows.
 *
 * Source: docs/interface.md#2.1.
 */
export interface PagedOperation extends RestOperation {
  /** Body of a successful response: one page. */
  readonly response: Schema.Codec<{ readonly result: ReadonlyArray<unknown> }, unknown>
}

const errors = [
  ApiError.BadRequest,
  ApiError.NotFound,
  ApiError.MethodNotAllowed,
  ApiError.StaleCursor,
  ApiError.RateLimited,
  ApiError.Internal,
  ApiError.Unavailable,
] as const

/**
 * Native transactions of one wallet address, newest first by default.
 *
 * **Example** (Reading the path)
 *
 * ```ts
 * import * as RestOperation from "@daybook/schema/RestOperation"
 *
 * console.log(RestOperation.walletTransactions.path) // /api/v2.2/:address/verbose
 * ```
 *
 * Source: docs/interface.md#4.1; errors: decision 0012.
 */
export const walletTransactions = {
  name: "walletTransactions",
  method: "GET",
  path: "/api/v2.2/:address/verbose",
  params: WalletQuery.Path,
  query: WalletQuery.WalletQuery,
  response: WalletPage.WalletPage,
  errors,
} as const satisfies PagedOperation

/**
 * Movements of one wallet address, newest first by default: each change of its holdings.
 *
 * **Example** (Reading the path)
 *
 * ```ts
 * import * as RestOperation from "@daybook/schema/RestOperation"
 *
 * console.log(RestOperation.movements.path) // /api/v2.2/:address/movements
 * ```
 *
 * Source: decisions 0048 and 0049; errors: decision 0012.
 */
export const movements = {
  name: "movements",
  method: "GET",
  path: "/api/v2.2/:address/movements",
  params: WalletQuery.Path,
  query: LedgerQuery.MovementQuery,
  response: Movement.MovementPage,
  errors,
} as const satisfies PagedOperation

/**
 * User operations of ERC-4337 in which one wallet address is the sender, the paymaster or the bundler, newest first by default.
 *
 * **Example** (Reading the path)
 *
 * ```ts
 * import * as RestOperation from "@daybook/schema/RestOperation"
 *
 * console.log(RestOperation.userOperations.path) // /api/v2.2/:address/user_operations
 * ```
 *
 * Source: ERC-4337; decisions 0048 and 0049; errors: decision 0012.
 */
export const userOperations = {
  name: "userOperations",
  method: "GET",
  path: "/api/v2.2/:address/user_operations",
  params: WalletQuery.Path,
  query: UserOperationPage.UserOperationQuery,
  response: UserOperationPage.UserOperationPage,
  errors,
} as const satisfies PagedOperation

/**
 * Balances of one wallet address at a block.
 *
 * **Example** (Reading the path)
 *
 * ```ts
 * import * as RestOperation from "@daybook/schema/RestOperation"
 *
 * console.log(RestOperation.balances.path) // /api/v2.2/:address/balances
 * ```
 *
 * Source: decision 0049; errors: decision 0012.
 */
export const balances = {
  name: "balances",
  method: "GET",
  path: "/api/v2.2/:address/balances",
  params: WalletQuery.Path,
  query: LedgerQuery.BalanceQuery,
  response: Balance.Balances,
  errors,
} as const satisfies RestOperation

/**
 * Opening balances, movements and closing balances of one wallet address over a range of blocks.
 *
 * **Example** (Reading the path)
 *
 * ```ts
 * import * as RestOperation from "@daybook/schema/RestOperation"
 *
 * console.log(RestOperation.statement.path) // /api/v2.2/:address/statement
 * ```
 *
 * Source: decision 0049; errors: decision 0012.
 */
export const statement = {
  name: "statement",
  method: "GET",
  path: "/api/v2.2/:address/statement",
  params: WalletQuery.Path,
  query: LedgerQuery.StatementQuery,
  response: Statement.Statement,
  errors,
} as const satisfies RestOperation

/**
 * The statement of one wallet address over a range of final blocks, signed by the service: anyone can verify it with an archive node.
 *
 * **Example** (Reading the path)
 *
 * ```ts
 * import * as RestOperation from "@daybook/schema/RestOperation"
 *
 * console.log(RestOperation.signedStatement.path) // /api/v2.2/:address/statement/signed
 * ```
 *
 * Source: decision 0050; errors: decision 0012.
 */
export const signedStatement = {
  name: "signedStatement",
  method: "GET",
  path: "/api/v2.2/:address/statement/signed",
  params: WalletQuery.Path,
  query: LedgerQuery.SignedStatementQuery,
  response: SignedStatement.SignedStatement,
  errors,
} as const satisfies RestOperation

/**
 * Events of one wallet address, as server-sent events: `id` is the cursor of the event, and `Last-Event-ID` continues after it. The
 * declared response is a single event.
 *
 * **Example** (Reading the path)
 *
 * ```ts
 * import * as RestOperation from "@daybook/schema/RestOperation"
 *
 * console.log(RestOperation.walletEvents.path) // /api/v2.2/:address/events
 * ```
 *
 * Source: decision 0073; errors: decision 0012.
 */
export const walletEvents = {
  name: "walletEvents",
  method: "GET",
  path: "/api/v2.2/:address/events",
  params: WalletQuery.Path,
  query: WalletEvent.EventQuery,
  response: WalletEvent.WalletEvent,
  errors,
} as const satisfies RestOperation

/**
 * The operations that respond with events for as long as the client listens, by name.
 *
 * **Example** (Listing the operations)
 *
 * ```ts
 * import * as RestOperation from "@daybook/schema/RestOperation"
 *
 * console.log(Object.keys(RestOperation.streams)) // [ 'walletEvents' ]
 * ```
 *
 * Source: decision 0073.
 */
export const streams = { walletEvents } as const satisfies Readonly<Record<string, RestOperation>>

/**
 * The operations that respond with events, by name.
 *
 * Source: decision 0073.
 */
export type Streams = typeof streams

/**
 * All read operations, by name.
 *
 * **Example** (Listing the operations)
 *
 * ```ts
 * import * as RestOperation from "@daybook/schema/RestOperation"
 *
 * console.log(Object.keys(RestOperation.all))
 * // [ 'walletTransactions', 'movements', 'userOperations', 'balances', 'statement', 'signedStatement' ]
 * ```
 *
 * Source: docs/interface.md#4.1.
 */
export const all = {
  walletTransactions,
  movements,
  userOperations,
  balances,
  statement,
  signedStatement,
} as const satisfies Readonly<Record<string, RestOperation>>

/**
 * The operations, by name.
 *
 * Source: docs/interface.md#4.1.
 */
export type All = typeof all

/**
 * Name of an operation.
 *
 * Source: docs/interface.md#4.1.
 */
export type Name = keyof All

/**
 * Name of a query parameter of an operation.
 *
 * Source: docs/interface.md#4.1.
 */
export type ParameterName<O extends RestOperation> = keyof O["query"]["fields"] & string

/**
 * One value for each query parameter of an operation. A record of this type does not compile until it handles a parameter that
 * was added to the operation.
 *
 * **Example** (A record of one value for each parameter)
 *
 * ```ts
 * import type * as RestOperation from "@daybook/schema/RestOperation"
 *
 * type Units = RestOperation.PerParameter<typeof RestOperation.walletTransactions, string>
 *
 * const units: Pick<Units, "from_block" | "from_date" | "limit"> = { from_block: "block", from_date: "date", limit: "rows" }
 * console.log(units.limit) // rows
 * ```
 *
 * Source: docs/interface.md#4.1.
 */
export type PerParameter<O extends RestOperation, A> = { readonly [K in ParameterName<O>]: A }

/**
 * A query as text by parameter, as in a URL.
 *
 * Source: docs/interface.md#4.1.
 */
export type QueryText<O extends RestOperation> = { readonly [K in ParameterName<O>]?: string }

/**
 * A row of the operation's pages.
 *
 * Source: docs/interface.md#4.1.
 */
export type Row<O extends PagedOperation> = O["response"]["Type"]["result"][number]

/**
 * Returns the names of the query parameters, in the order of the interface.
 *
 * **Example** (Listing the parameters of balances)
 *
 * ```ts
 * import * as RestOperation from "@daybook/schema/RestOperation"
 *
 * console.log(RestOperation.parameterNames(RestOperation.balances)) // [ 'chain', 'to_block', 'to_date', 'asset' ]
 * ```
 *
 * Source: docs/interface.md#4.1.
 */
export const parameterNames = <O extends RestOperation>(operation: O): ReadonlyArray<ParameterName<O>> =>
  Object.keys(operation.query.fields)

const strict = { onExcessProperty: "error" } as const

const firstIssue = (error: SchemaIssue.Issue, input: unknown): Issue.Issue =>
  // Sound: an error has at least one issue.
  Issue.fromError(error, input)[0]!

/**
 * Encodes a query as text by parameter; absent parameters stay absent.
 *
 * **Example** (Writing a query)
 *
 * ```ts
 * import * as RestOperation from "@daybook/schema/RestOperation"
 * import * as Result from "effect/Result"
 *
 * const text = RestOperation.encodeQuery(RestOperation.walletTransactions, { from_block: 17_000_000n, limit: 25 })
 * console.log(Result.getOrThrow(text)) // { from_block: '17000000', limit: '25' }
 * ```
 *
 * Source: docs/interface.md#4.1.
 */
export const encodeQuery = <O extends RestOperation>(
  operation: O,
  query: O["query"]["Type"],
): Result.Result<QueryText<O>, Issue.Issue> =>
  // Sound: every query parameter is encoded as text.
  Result.mapError(
    SchemaParser.encodeUnknownResult(operation.query)(query, strict) as Result.Result<QueryText<O>, SchemaIssue.Issue>,
    (issue) => firstIssue(issue, query),
  )

/**
 * Decodes a query from text by parameter. An unknown parameter is also an issue.
 *
 * **Example** (Rejecting a value)
 *
 * ```ts
 * import * as Issue from "@daybook/schema/Issue"
 * import * as RestOperation from "@daybook/schema/RestOperation"
 * import * as Result from "effect/Result"
 *
 * const query = RestOperation.decodeQuery(RestOperation.walletTransactions, { order: "newest" })
 * if (Result.isFailure(query)) console.log(Issue.format("parameter", query.failure))
 * // Invalid parameter "order": expected ASC or DESC, received "newest".
 * ```
 *
 * Source: docs/interface.md#4.1; decision 0008.
 */
export const decodeQuery = <O extends RestOperation>(
  operation: O,
  text: Readonly<Record<string, string>>,
): Result.Result<O["query"]["Type"], Issue.Issue> =>
  Result.mapError(SchemaParser.decodeUnknownResult(operation.query)(text, strict), (issue) => firstIssue(issue, text))

/**
 * Formats the path of an operation, relative to the base URL, with its path parameters filled in.
 *
 * **Example** (Building a path)
 *
 * ```ts
 * import * as RestOperation from "@daybook/schema/RestOperation"
 *
 * const address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
 * console.log(RestOperation.formatPath(RestOperation.walletTransactions, { address }))
 * // /api/v2.2/0xd8da6bf26964af9d7eed9e03e53415d37aa96045/verbose
 * ```
 *
 * Source: docs/interface.md#4.1.
 */
export const formatPath = <O extends RestOperation>(
  operation: O,
  params: { readonly [K in keyof O["params"]["fields"]]: string },
): string =>
  operation.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    // Sound: the names in the path are the fields of `params`.
    encodeURIComponent((params as Readonly<Record<string, string>>)[name]!),
  )
