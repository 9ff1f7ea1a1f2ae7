/**
 * The REST client: pages of a wallet's transactions as typed values, one by one or as a stream over all of them.
 * Retries, deadline and pauses are those of `@daybook/transport`. For promises use `@daybook/rest/promise`.
 */
import type { InvalidOption } from "@daybook/transport/ClientError"
import { namingVariables } from "@daybook/transport/internal/ConfigVariables"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Client, Options } from "./Client.ts"
import * as internal from "./internal/client.ts"

export type {
  BadRow,
  CallOptions,
  Client,
  IndexCoverage,
  Options,
  Progress,
  RestartOptions,
  RowsReverted,
  StreamOptions,
  WalkPage,
  WalletResponse,
} from "./Client.ts"

/**
 * The REST client as a service.
 */
export class RestClient extends Context.Service<RestClient, Client>()("@daybook/rest/RestClient") {}

/**
 * Makes a client.
 *
 * **Errors**
 * - `InvalidOption`: the base URL, the key or a limit cannot be used. The message never shows a URL or a key.
 */
export const make = (options: Options): Effect.Effect<Client, InvalidOption> =>
  Effect.map(internal.make(options), ({ client }) => client)

/**
 * Provides the client.
 *
 * **Errors**
 * - `InvalidOption`: as of `make`.
 */
export const layer = (options: Options): Layer.Layer<RestClient, InvalidOption> =>
  Layer.effect(RestClient, make(options))

const variables: Readonly<Record<string, string>> = { baseUrl: "DAYBOOK_BASE_URL", apiKey: "DAYBOOK_API_KEY" }

/**
 * Provides the client from the configuration `DAYBOOK_BASE_URL` and `DAYBOOK_API_KEY` (environment variables, by default).
 *
 * **Errors**
 * - `ConfigError`: one of them is missing.
 * - `InvalidOption`: as of `make`.
 */
export const layerConfig: Layer.Layer<RestClient, InvalidOption | Config.ConfigError> = Layer.effect(
  RestClient,
  Effect.gen(function* () {
    const baseUrl = yield* Config.Redacted("DAYBOOK_BASE_URL")
    const apiKey = yield* Config.Redacted("DAYBOOK_API_KEY")
    return yield* make({ baseUrl, apiKey })
  }).pipe(Effect.mapError(namingVariables(variables))),
)
