/**
 * Composes the service by its role: `index` keeps the stores in step with their nodes, `serve` answers over HTTP, `all` does
 * both in one process. The only module that knows both sides.
 */
import { randomUUID } from "node:crypto"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Config from "./config/Config.ts"
import type { InvalidConfig } from "./config/InvalidConfig.ts"
import * as ServedChain from "./config/ServedChain.ts"
import * as Authentication from "./server/Authentication.ts"
import * as HttpServer from "./server/HttpServer.ts"
import * as Monitoring from "./server/Monitoring.ts"
import * as RateLimit from "./server/RateLimit.ts"
import * as Relay from "./server/relay/Relay.ts"
import * as RelayCache from "./server/relay/RelayCache.ts"
import * as Metrics from "./server/rest/Metrics.ts"
import * as RestServer from "./server/rest/RestServer.ts"
import * as ChainJob from "./indexer/ChainJob.ts"
import type { IndexerEvent } from "./indexer/StatusTracker.ts"
import * as Supervisor from "./indexer/Supervisor.ts"
import * as Engine from "./store/Engine.ts"
import type { ApiKeys } from "./store/ApiKeys.ts"
import type { Database } from "./store/Database.ts"
import type { StoreError } from "./store/StoreError.ts"

/**
 * What a process does.
 */
export type Role = "all" | "index" | "serve"

/**
 * How to run the service.
 */
export interface Options {
  /** Default `all`. */
  readonly role?: Role
  /** The folder that paths of the configuration are relative to. */
  readonly baseFolder: string
  /** Told of each step of each chain's indexer. */
  readonly onEvent?: (chain: string, event: IndexerEvent) => Effect.Effect<void>
}

/**
 * A service that runs.
 */
export interface Running {
  /** Where it listens; `null` in the role `index`. */
  readonly address: HttpServer.Address | null
  /** Its keys. */
  readonly keys: ApiKeys
}

/**
 * Why a service does not start.
 */
export type StartError = InvalidConfig | StoreError | InvalidOption | HttpServer.ListenError

/** Listens with the routes of the REST interface, of the relay and for operators. */
const listen = (config: Config.Config, chains: ReadonlyArray<ServedChain.ServedChain>, database: Database) => {
  const routes = Layer.mergeAll(
    RestServer.layer({ config, chains }),
    Relay.layer(chains),
    Monitoring.layer({ config, chains }),
  ).pipe(
    Layer.provide([Authentication.layer, RelayCache.layer(config.relay.cacheMebibytes)]),
    Layer.provide([RateLimit.layer(config.rateLimit), Metrics.layer, Layer.succeed(Engine.Engine, database)]),
  )
  const server = HttpServer.layer(routes, config)
  return Effect.map(Layer.build(server), (context) => Context.get(context, HttpServer.HttpServer).address)
}

/**
 * Runs the service until the scope ends. A node that is down does not stop it: the indexer says so and keeps trying.
 *
 * **Errors**
 * - `InvalidConfig`: the configuration makes no sense.
 * - `StoreError`: the database cannot be opened.
 * - `InvalidOption`: the URL of a node cannot be used; the message does not show it.
 * - `ListenError`: the address is taken or not allowed.
 */
export const run = Effect.fn("Service.run")(function* (
  config: Config.Config,
  options: Options,
): Effect.fn.Return<Running, StartError, Scope.Scope> {
  const { baseFolder, onEvent, role = "all" } = options
  const served = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
  const database = yield* Engine.fromUrl(config.database, baseFolder)
  const keys = database.apiKeys
  yield* keys.ready
  const address = role === "index" ? null : yield* listen(config, served, database)
  if (address !== null)
    yield* Effect.logInfo(`Listening on ${address.url}; calls to nodes go to ${address.url}/rpc/<chain>/<apiKey>`)
  if (role !== "serve") {
    const owner = randomUUID()
    const jobs = served.map((chain) => ChainJob.fromChain(chain, { database: config.database, baseFolder, owner }))
    yield* Effect.forkScoped(Supervisor.run(onEvent === undefined ? { jobs } : { jobs, onEvent }))
  }
  return { address, keys }
})
