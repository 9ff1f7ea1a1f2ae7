/**
 * Composes the roles of a process from layers: the indexer, the REST operations and the relay, over one database. It is the only
 * module that knows all of them.
 */
import { randomUUID } from "node:crypto"
import { resolve } from "node:path"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RateLimiterStore } from "effect/persistence/RateLimiter"
import type * as Scope from "effect/Scope"
import type * as Config from "./config/Config.ts"
import * as Explorer from "./config/Explorer.ts"
import type { InvalidConfig } from "./config/InvalidConfig.ts"
import * as Role from "./config/Role.ts"
import * as ServedChain from "./config/ServedChain.ts"
import * as ChainJob from "./indexer/ChainJob.ts"
import type { IndexerEvent } from "./indexer/IndexerEvent.ts"
import * as Supervisor from "./indexer/Supervisor.ts"
import * as Authentication from "./server/Authentication.ts"
import * as Bounds from "./server/Bounds.ts"
import type { Member } from "./server/cluster/Member.ts"
import * as ExplorerRoutes from "./server/explorer/ExplorerRoutes.ts"
import * as PageRoutes from "./server/explorer/PageRoutes.ts"
import * as HttpServer from "./server/HttpServer.ts"
import type * as Listener from "./server/Listener.ts"
import * as Monitoring from "./server/Monitoring.ts"
import * as Observations from "./server/Observations.ts"
import * as RateLimit from "./server/RateLimit.ts"
import * as Relay from "./server/relay/Relay.ts"
import * as RelayCache from "./server/relay/RelayCache.ts"
import * as Metrics from "./server/rest/Metrics.ts"
import * as RestServer from "./server/rest/RestServer.ts"
import type { ApiKeys } from "./store/ApiKeys.ts"
import type { Database } from "./store/Database.ts"
import * as Engine from "./store/Engine.ts"
import type { StoreError } from "./store/StoreError.ts"

/** How to run the service. */
export interface Options {
  /** Roles of this process. Default: all. */
  readonly roles?: ReadonlyArray<Role.Role>
  /** Folder that relative paths of the configuration start in. */
  readonly baseFolder: string
  /** Receives the events of each chain's indexer. */
  readonly onEvent?: (chain: string, event: IndexerEvent) => Effect.Effect<void>
  /** What this process shares with others that serve the same port. Default: it serves the port alone. */
  readonly member?: Member
  /** Who needs no API key. Default: as the configuration states for the explorer. */
  readonly access?: Explorer.Access
  /** The indexers run in the thread of this process, which starts them sooner. Default: each in a thread of its own. */
  readonly isInline?: boolean
  /** The indexer runs in this process, or beside it by the same command. Default: whether the roles name it. */
  readonly isIndexing?: boolean
}

/** A running service. */
export interface Running {
  /** Address that it listens on; `null` where no role serves HTTP. */
  readonly address: Listener.Address | null
  /** Its API keys. */
  readonly keys: ApiKeys
}

/** Why a service does not start. */
export type StartError = InvalidConfig | StoreError | InvalidOption | Listener.ListenError

/** What the layers of the roles are made from. */
interface Parts extends Omit<Options, "roles"> {
  readonly isIndexing: boolean
  readonly config: Config.Config
  readonly chains: ReadonlyArray<ServedChain.ServedChain>
}

/** The parts of a role that serves HTTP. */
interface ServingParts extends Parts {
  readonly observed: Observations.Observations
}

/** The layer of each role; those of `rest` and `relay` register routes of the HTTP server. */
const layers = {
  index: ({ baseFolder, chains, config, isInline = false, onEvent }: Parts) => {
    const owner = randomUUID()
    const jobs = chains.map((chain) =>
      ChainJob.fromChain(chain, {
        ...{ database: Engine.primaryOf(config.database), documents: config.documents, baseFolder, owner },
        traceLimits: config.limits.traces,
        threads: ChainJob.threadsOf(config),
      }),
    )
    const options = onEvent === undefined ? { jobs } : { jobs, onEvent }
    return isInline ? Supervisor.inlineLayer(options) : Supervisor.layer(options)
  },
  rest: ({ chains, config }: Parts) => RestServer.layer({ config, chains }),
  relay: ({ chains, observed }: ServingParts) => Relay.layer(chains, observed.called),
}

/** Listens with the routes of the given roles, and those for operators and machines. */
const listen = (roles: ReadonlyArray<Exclude<Role.Role, "index">>, parts: Parts, database: Database) => {
  const { baseFolder, chains, config, isIndexing, member } = parts
  const metrics = Metrics.empty(member)
  const observed = Observations.make(metrics)
  const operations = roles.map((role) => layers[role]({ ...parts, observed }))
  const buckets = member === undefined ? undefined : Layer.succeed(RateLimiterStore, member.rateLimiterStore)
  const rateLimit = RateLimit.layer(config.rateLimit, buckets)
  const access = parts.access ?? Explorer.accessOf(config)
  const pages =
    access === "off" || !roles.includes("rest")
      ? Layer.empty
      : Layer.merge(ExplorerRoutes.layer({ access, chains }), PageRoutes.layer({ chains }))
  const monitoring = Monitoring.layer({ config, chains, isIndexing })
  const [cert, key] = [config.tls?.cert ?? "", config.tls?.key ?? ""].map((path) => resolve(baseFolder, path))
  const tls = config.tls === undefined ? {} : { tls: { cert: cert!, key: key! } }
  const routes = Layer.mergeAll(Layer.empty, ...operations, monitoring, pages).pipe(
    Layer.provide([
      Authentication.layer(access, observed.refused),
      Bounds.layer(config.limits),
      RelayCache.layer(config.relay.cacheMebibytes),
    ]),
    Layer.provide([rateLimit, Layer.succeed(Metrics.Metrics, metrics), Layer.succeed(Engine.Engine, database)]),
  )
  return Effect.map(
    Layer.build(HttpServer.layer(routes, { ...config, ...tls, onAnswered: observed.answered })),
    (context) => Context.get(context, HttpServer.HttpServer).address,
  )
}

/**
 * The log line of a service that listens.
 *
 * **Example** (Writing where a service listens)
 *
 * ```ts
 * import { Service } from "@daybook/service"
 *
 * console.log(Service.listeningMessage("http://127.0.0.1:8080"))
 * // Listening on http://127.0.0.1:8080; calls to nodes go to http://127.0.0.1:8080/rpc/<chain>/<apiKey>
 * ```
 */
export const listeningMessage = (url: string): string =>
  `Listening on ${url}; calls to nodes go to ${url}/rpc/<chain>/<apiKey>`

/**
 * Adds the tables of this version to databases of an earlier one, where that takes no time. `run` does it too; it is for other processes
 * that serve the same databases and start before.
 *
 * **Errors**
 * - `InvalidConfig`: the configuration is invalid.
 * - `StoreError`: the database cannot be opened.
 *
 * **Example** (Migrating before other processes start)
 *
 * ```ts
 * import { Config, Service } from "@daybook/service"
 * import * as Effect from "effect/Effect"
 *
 * export const migrated = (config: Config.Config) => Effect.scoped(Service.migrate(config, "/var/lib/daybook"))
 * ```
 */
export const migrate = Effect.fn("Service.migrate")(function* (
  config: Config.Config,
  baseFolder: string,
): Effect.fn.Return<void, InvalidConfig | StoreError, Scope.Scope> {
  const chains = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
  const database = yield* Engine.fromUrl(config.database, baseFolder, config)
  yield* database.migrate(chains)
}, Effect.scoped)

/**
 * Runs the service until the scope ends. A node that is down does not stop it: the indexer reports it and retries.
 *
 * **Errors**
 * - `InvalidConfig`: the configuration is invalid.
 * - `StoreError`: the database cannot be opened.
 * - `InvalidOption`: the URL of a node cannot be used; the message does not show it.
 * - `ListenError`: the address is in use, not an address of this machine, or not allowed.
 *
 * **Example** (Running a service until it is interrupted)
 *
 * ```ts
 * import { type Config, Service } from "@daybook/service"
 * import * as Effect from "effect/Effect"
 *
 * export const running = (config: Config.Config) =>
 *   Effect.scoped(Effect.andThen(Service.run(config, { baseFolder: "/var/lib/daybook" }), Effect.never))
 * ```
 */
export const run = Effect.fn("Service.run")(function* (
  config: Config.Config,
  options: Options,
): Effect.fn.Return<Running, StartError, Scope.Scope> {
  const { roles = Role.all, isIndexing = roles.includes("index"), ...rest } = options
  const chains = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
  const parts: Parts = { ...rest, config, chains, isIndexing }
  const database = yield* Engine.fromUrl(config.database, options.baseFolder, config)
  yield* database.apiKeys.ready
  if (roles.includes("index")) yield* database.migrate(chains)
  const operations = roles.filter((role) => role !== "index")
  const address = operations.length === 0 ? null : yield* listen(operations, parts, database)
  if (address !== null && options.member === undefined) yield* Effect.logInfo(listeningMessage(address.url))
  if (address !== null && options.member !== undefined) yield* options.member.ready(address.url)
  if (roles.includes("index")) yield* Layer.build(layers.index(parts))
  return { address, keys: database.apiKeys }
})
