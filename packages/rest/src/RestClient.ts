/**
 * REST client for a wallet's transaction history, movements and balances: single pages, or streams over all pages, as typed values.
 * Retries, deadline and rate limits are those of `@daybook/transport`. For promises use `@daybook/rest/promise`.
 */
import type { InvalidOption } from "@daybook/transport/ClientError"
import { namingVariables } from "@daybook/transport/internal/ConfigVariables"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CallOptions, Client, Options, StreamOptions } from "./Client.ts"
import * as CallDefaults from "./internal/CallDefaults.ts"
import * as ClientBuilder from "./internal/ClientBuilder.ts"
import type { OperationCalls } from "./internal/OperationCalls.ts"
import * as PageStream from "./internal/PageStream.ts"
import type { Page } from "./Operation.ts"

export type {
  BadRow,
  CallOptions,
  Client,
  ConditionalOptions,
  IndexCoverage,
  MovementResponse,
  MovementStreamPage,
  NotModified,
  Options,
  PageCall,
  PagedStream,
  PageResponse,
  Progress,
  ProofOptions,
  RestartOptions,
  RowsReverted,
  StreamOptions,
  StreamPage,
  WalletResponse,
  WalletStreamPage,
} from "./Client.ts"

/**
 * The REST client as a service.
 *
 * **Example** (Reading a page)
 *
 * ```ts
 * import { RestClient } from "@daybook/rest"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const rest = yield* RestClient.RestClient
 *   const { result } = yield* rest.walletTransactions({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045" })
 *   return result.map(({ value }) => value)
 * })
 * export const runnable = program.pipe(Effect.provide(RestClient.layerConfig))
 * ```
 */
export class RestClient extends Context.Service<RestClient, Client>()("@daybook/rest/RestClient") {}

/** Streams of an operation. */
const streamsOf = <Query, Row, P extends Page<Row>>({ source }: OperationCalls<Query, Row, P>) => ({
  rows: (query: Query, options?: StreamOptions) => PageStream.rows(source, query, options),
  pages: (query: Query, options?: StreamOptions) => PageStream.pages(source, query, options),
})

/** The client in Effect style. */
const toClient = ({
  balances,
  movements,
  signedStatement,
  statement,
  walletEvents,
  walletTransactions: wallet,
  ...changes
}: ClientBuilder.Calls): Client => {
  const [walletStreams, movementStreams] = [streamsOf(wallet), streamsOf(movements)]
  return CallDefaults.client<Client, CallOptions>({
    walletTransactions: wallet.page,
    // Sound, here and below: a call without a tag returns a page, and a stream that does not restart emits no marker.
    walletTransactionsWithResponse: wallet.withResponse as Client["walletTransactionsWithResponse"],
    walletTransactionsStream: walletStreams.rows as Client["walletTransactionsStream"],
    walletPagesStream: walletStreams.pages as Client["walletPagesStream"],
    movements: movements.page,
    movementsWithResponse: movements.withResponse as Client["movementsWithResponse"],
    movementsStream: movementStreams.rows as Client["movementsStream"],
    movementPagesStream: movementStreams.pages as Client["movementPagesStream"],
    walletEvents,
    balances: balances.value,
    balancesWithResponse: balances.response,
    statement: statement.value,
    statementWithResponse: statement.response,
    signedStatement: signedStatement.value,
    proveWallet: changes.proveWallet,
    putContract: changes.putContract.value,
    removeContract: changes.removeContract.value,
  })
}

/**
 * Makes a client.
 *
 * **Errors**
 *
 * - `InvalidOption`: the base URL, the key or a limit is invalid. The message never shows a URL or a key.
 */
export const make = (options: Options): Effect.Effect<Client, InvalidOption> =>
  Effect.map(ClientBuilder.make(options), toClient)

/**
 * Provides the client.
 *
 * **Errors**
 *
 * - `InvalidOption`: as in `make`.
 *
 * **Example** (Providing a client)
 *
 * ```ts
 * import { RestClient } from "@daybook/rest"
 *
 * export const layer = RestClient.layer({ baseUrl: "https://s.example", apiKey: "my-key", timeout: "10 seconds" })
 * ```
 */
export const layer = (options: Options): Layer.Layer<RestClient, InvalidOption> =>
  Layer.effect(RestClient, make(options))

const variables: Readonly<Record<string, string>> = { baseUrl: "DAYBOOK_BASE_URL", apiKey: "DAYBOOK_API_KEY" }

const fromConfig = /* @__PURE__ */ Effect.fnUntraced(
  function* () {
    const baseUrl = yield* Config.Redacted("DAYBOOK_BASE_URL")
    const apiKey = yield* Config.Redacted("DAYBOOK_API_KEY")
    return yield* make({ baseUrl, apiKey })
  },
  (effect) => Effect.mapError(effect, namingVariables(variables)),
)

/**
 * Provides the client from the configuration `DAYBOOK_BASE_URL` and `DAYBOOK_API_KEY` (environment variables by default).
 *
 * **Errors**
 *
 * - `ConfigError`: one of them is missing.
 * - `InvalidOption`: as in `make`, with the name of the variable.
 *
 * **Example** (Providing a client from other variables)
 *
 * ```ts
 * import { RestClient } from "@daybook/rest"
 * import { ConfigProvider, Effect } from "effect"
 *
 * const provider = ConfigProvider.fromUnknown({ DAYBOOK_BASE_URL: "https://s.example", DAYBOOK_API_KEY: "my-key" })
 * const program = Effect.map(RestClient.RestClient, (rest) => typeof rest.walletTransactions)
 * const provided = program.pipe(Effect.provide(RestClient.layerConfig), Effect.provide(ConfigProvider.layer(provider)))
 * console.log(await Effect.runPromise(provided)) // function
 * ```
 */
export const layerConfig: Layer.Layer<RestClient, InvalidOption | Config.ConfigError> =
  // Pure: bundlers leave the configuration out of programs that do not use it.
  /* @__PURE__ */ Layer.effect(RestClient, /* @__PURE__ */ Effect.suspend(fromConfig))
