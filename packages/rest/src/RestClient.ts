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
import type { Client, Options } from "./Client.ts"
import * as ClientBuilder from "./internal/ClientBuilder.ts"

export type {
  BadRow,
  CallOptions,
  Client,
  IndexCoverage,
  MovementResponse,
  MovementStreamPage,
  Options,
  PagedStream,
  PageResponse,
  Progress,
  RestartOptions,
  RowsReverted,
  StreamOptions,
  StreamPage,
  WalletResponse,
  WalletStreamPage,
} from "./Client.ts"

/**
 * The REST client as a service.
 */
export class RestClient extends Context.Service<RestClient, Client>()("@daybook/rest/RestClient") {}

/**
 * Makes a client.
 *
 * **Errors**
 *
 * - `InvalidOption`: the base URL, the key or a limit is invalid. The message never shows a URL or a key.
 */
export const make = (options: Options): Effect.Effect<Client, InvalidOption> =>
  Effect.map(ClientBuilder.make(options), ClientBuilder.toClient)

/**
 * Provides the client.
 *
 * **Errors**
 *
 * - `InvalidOption`: as in `make`.
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
 */
export const layerConfig: Layer.Layer<RestClient, InvalidOption | Config.ConfigError> =
  // Pure: bundlers leave the configuration out of programs that do not use it.
  /* @__PURE__ */ Layer.effect(RestClient, /* @__PURE__ */ Effect.suspend(fromConfig))
