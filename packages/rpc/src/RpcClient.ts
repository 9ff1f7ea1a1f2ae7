/**
 * JSON-RPC client of an EVM node for Effect: one method per wire name, validated and typed results, and a typed union of errors.
 * A reply is given only to the call whose id it carries. For promises use `@daybook/rpc/promise`.
 */
import { InvalidOption } from "@daybook/transport/ClientError"
import { namingVariables } from "@daybook/transport/internal/ConfigVariables"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Client } from "./Client.ts"
import type { Options } from "./Options.ts"
import { makeUnsafe as makeClient, start } from "./internal/Client.ts"
import { read } from "./internal/Settings.ts"

export type { Client, RawRequest } from "./Client.ts"
export type {
  BatchOptions,
  CallOptions,
  CommonOptions,
  EndpointOptions,
  Options,
  ProviderOptions,
  RateLimit,
  UrlOptions,
} from "./Options.ts"

/**
 * The client as a service.
 *
 * **Example** (Reading a block)
 *
 * ```ts
 * import * as RpcClient from "@daybook/rpc/RpcClient"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const client = yield* RpcClient.RpcClient
 *   const block = yield* client.eth_getBlockByNumber("latest", true)
 *   return block?.transactions.map((transaction) => transaction.value)
 * })
 * const provider = { rpcUrl: "https://rpc.example", chain: "eth", apiKey: "my key" }
 * export const runnable = program.pipe(Effect.provide(RpcClient.layer(provider)))
 * ```
 */
export class RpcClient extends Context.Service<RpcClient, Client>()("@daybook/rpc/RpcClient") {}

/**
 * Makes a client. It runs nothing in the background, so there is nothing to close.
 *
 * **Errors**
 * - `InvalidOption`: an option is invalid; the message never shows a URL or a key.
 *
 * **Example** (Making a client)
 *
 * ```ts
 * import * as RpcClient from "@daybook/rpc/RpcClient"
 * import { Effect } from "effect"
 *
 * const rpc = Effect.runSync(RpcClient.make({ url: "https://n.example/my-key" }))
 * console.log(rpc.host) // n.example
 * ```
 */
export const make = (options: Options): Effect.Effect<Client, InvalidOption> =>
  Effect.map(read(options), (settings) => start(settings, undefined))

/**
 * Makes a client with the lifetime of a scope: when the scope closes, its calls are interrupted and their sockets closed, and no further
 * calls start.
 *
 * **Errors**
 * - `InvalidOption`: an option is invalid; the message never shows a URL or a key.
 *
 * **Example** (Ending the calls of a client with a scope)
 *
 * ```ts
 * import * as RpcClient from "@daybook/rpc/RpcClient"
 * import { Effect } from "effect"
 *
 * const host = Effect.map(RpcClient.makeScoped({ url: "https://n.example/my-key" }), (rpc) => rpc.host)
 * console.log(await Effect.runPromise(Effect.scoped(host))) // n.example
 * ```
 */
export const makeScoped = (options: Options): Effect.Effect<Client, InvalidOption, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* read(options)
    const closed = Deferred.makeUnsafe<never>()
    yield* Effect.addFinalizer(() => Deferred.interrupt(closed))
    return start(settings, { isClosed: () => Deferred.isDoneUnsafe(closed), closed: Deferred.await(closed) })
  })

/**
 * Makes a client, or throws `InvalidOption`. For callers outside Effect.
 *
 * **Example** (Making a client outside Effect)
 *
 * ```ts
 * import * as RpcClient from "@daybook/rpc/RpcClient"
 *
 * console.log(RpcClient.makeUnsafe({ url: "https://n.example/my-key" }).host) // n.example
 * ```
 */
export const makeUnsafe: (options: Options) => Client = makeClient

/**
 * Provides a client with the lifetime of the layer.
 *
 * **Example** (Providing a client)
 *
 * ```ts
 * import * as RpcClient from "@daybook/rpc/RpcClient"
 *
 * export const layer = RpcClient.layer({ url: ["https://a.example/key", "https://b.example/key"], timeout: "10 seconds" })
 * ```
 */
export const layer = (options: Options): Layer.Layer<RpcClient, InvalidOption> =>
  Layer.effect(RpcClient, makeScoped(options))

const variables: Readonly<Record<string, string>> = {
  url: "DAYBOOK_RPC_URL",
  rpcUrl: "DAYBOOK_RPC_URL",
  apiKey: "DAYBOOK_API_KEY",
  chain: "DAYBOOK_CHAIN",
}

const fromConfig = /* @__PURE__ */ Effect.fnUntraced(
  function* () {
    const url = yield* Config.Redacted("DAYBOOK_RPC_URL")
    const apiKey = yield* Config.option(Config.Redacted("DAYBOOK_API_KEY"))
    const chain = yield* Config.option(Config.String("DAYBOOK_CHAIN"))
    if (Option.isSome(apiKey)) {
      return yield* makeScoped({ rpcUrl: url, chain: Option.getOrElse(chain, () => "eth"), apiKey: apiKey.value })
    }
    if (Option.isNone(chain)) return yield* makeScoped({ url })
    const expected = "an API key with DAYBOOK_CHAIN (a provider), or neither (the URL of a node)"
    return yield* Effect.fail(new InvalidOption({ option: "DAYBOOK_API_KEY", expected, received: "nothing" }))
  },
  (effect) => Effect.mapError(effect, namingVariables(variables)),
)

/**
 * Provides a client from environment variables.
 *
 * **Details**
 * - `DAYBOOK_RPC_URL`: the URL of a node, or of a provider when there is a key.
 * - `DAYBOOK_API_KEY`: the key of the provider. `DAYBOOK_CHAIN`: its chain, by default `eth`.
 *
 * **Example** (Providing a client from other variables)
 *
 * ```ts
 * import * as RpcClient from "@daybook/rpc/RpcClient"
 * import { ConfigProvider, Effect } from "effect"
 *
 * const provider = ConfigProvider.fromUnknown({ DAYBOOK_RPC_URL: "https://n.example", DAYBOOK_CHAIN: "eth", DAYBOOK_API_KEY: "my-key" })
 * const host = Effect.map(RpcClient.RpcClient, (rpc) => rpc.host)
 * const provided = host.pipe(Effect.provide(RpcClient.layerConfig), Effect.provide(ConfigProvider.layer(provider)))
 * console.log(await Effect.runPromise(provided)) // n.example
 * ```
 *
 * Source: decision 0008 (the default chain).
 */
export const layerConfig: Layer.Layer<RpcClient, InvalidOption | Config.ConfigError> =
  // Pure: bundlers leave the configuration out of programs that do not use it.
  /* @__PURE__ */ Layer.effect(RpcClient, /* @__PURE__ */ Effect.suspend(fromConfig))
