/**
 * Composes the roles of a process from layers: the indexer, the REST operations and the relay, over one database. It is the only
 * module that knows all of them.
 */
import { randomUUID } from "node:crypto"
import { resolve } from "node:path"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import { layerStoreMemory, RateLimiterStore } from "effect/persistence/RateLimiter"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type * as Config from "./config/Config.ts"
import * as ConfigChanges from "./config/ConfigChanges.ts"
import * as Docs from "./config/Docs.ts"
import * as SignatureDirectory from "./contract/SignatureDirectory.ts"
import * as Explorer from "./config/Explorer.ts"
import * as Listen from "./config/Listen.ts"
import type { InvalidConfig } from "./config/InvalidConfig.ts"
import * as Role from "./config/Role.ts"
import * as ServedChain from "./config/ServedChain.ts"
import * as ChainJob from "./indexer/job/ChainJob.ts"
import type { IndexerEvent } from "./indexer/IndexerEvent.ts"
import * as IndexThreads from "./indexer/IndexThreads.ts"
import type { Observation } from "./indexer/job/Observation.ts"
import * as Supervisor from "./indexer/Supervisor.ts"
import * as Authentication from "./server/admission/Authentication.ts"
import * as Bounds from "./server/admission/Bounds.ts"
import * as KnownKeys from "./server/admission/KnownKeys.ts"
import * as Turns from "./server/admission/Turns.ts"
import * as SigningKey from "./signed/SigningKey.ts"
import * as ChainContracts from "./server/chain/ChainContracts.ts"
import type { Member } from "./server/cluster/Member.ts"
import * as DocsRoutes from "./server/docs/DocsRoutes.ts"
import * as EtherscanServer from "./server/etherscan/EtherscanServer.ts"
import * as ExplorerRoutes from "./server/explorer/ExplorerRoutes.ts"
import * as PageRoutes from "./server/explorer/PageRoutes.ts"
import * as HttpServer from "./server/HttpServer.ts"
import type * as Listener from "./server/Listener.ts"
import * as McpRoutes from "./server/mcp/McpRoutes.ts"
import * as Monitoring from "./server/monitoring/Monitoring.ts"
import * as Observations from "./server/monitoring/Observations.ts"
import * as Otterscan from "./server/otterscan/Otterscan.ts"
import * as RateLimit from "./server/admission/RateLimit.ts"
import * as Relay from "./server/relay/Relay.ts"
import * as RelayCache from "./server/relay/RelayCache.ts"
import * as RelayEns from "./server/relay/RelayEns.ts"
import * as RelayChains from "./server/relay/RelayChains.ts"
import * as Metrics from "./server/monitoring/Metrics.ts"
import * as ProcessMetrics from "./server/monitoring/ProcessMetrics.ts"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as IndexedChain from "./query/IndexedChain.ts"
import * as NameLookups from "./push/NameLookups.ts"
import * as WebhookKey from "./push/WebhookKey.ts"
import * as WebhookRoutes from "./server/webhook/WebhookRoutes.ts"
import * as WebhookSender from "./server/webhook/WebhookSender.ts"
import * as WebhookTurns from "./server/webhook/WebhookTurns.ts"
import * as RestServer from "./server/rest/RestServer.ts"
import * as WalletSubscriptions from "./server/rest/WalletSubscriptions.ts"
import type { ApiKeys } from "./store/ApiKeys.ts"
import type { Database } from "./store/Database.ts"
import * as CoreWait from "./supervision/CoreWait.ts"
import * as MonotonicClock from "./supervision/MonotonicClock.ts"
import * as Engine from "./store/Engine.ts"
import type { StoreError } from "./store/StoreError.ts"

/** How to run the service. */
export interface Options {
  /** Roles of this process. Default: all. */
  readonly roles?: ReadonlyArray<Role.Role>
  /** Folder to which relative paths of the configuration refer. */
  readonly baseFolder: string
  /** Receives the events of each chain's indexer. */
  readonly onEvent?: ((chain: string, event: IndexerEvent) => Effect.Effect<void>) | undefined
  /** State shared with other processes that serve the same port. Default: this process serves the port alone. */
  readonly member?: Member
  /** Who may call without an API key. Default: as configured for the explorer. */
  readonly access?: Explorer.Access
  /** Runs the indexers in the thread of this process, which starts them sooner. Default: each in a thread of its own. */
  readonly isInline?: boolean
  /** Whether the indexer runs in this process, or was started beside it by the same command. Default: whether the roles include it. */
  readonly isIndexing?: boolean
}

/** A running service. */
export interface Running {
  /** Address on which it listens; `null` for a process that only indexes, without `monitoring`. */
  readonly address: Listener.Address | null
  /** Its API keys. */
  readonly keys: ApiKeys
  /**
   * Applies a configuration: whatever can change at run time, such as labels, limits, nodes and chains. Open requests finish under the
   * previous configuration, and indexers of unchanged chains continue. All parts are prepared before the first one is changed, so a failure
   * changes nothing. Concurrent calls are serialised.
   */
  readonly reload: (config: Config.Config) => Effect.Effect<ConfigChanges.ConfigChanges, StartError>
  /** Metrics of this process, in the text format of Prometheus. */
  readonly metrics: () => string
}

/** Why a service failed to start. */
export type StartError = InvalidConfig | StoreError | InvalidOption | Listener.ListenError

/** Dependencies of the routes of a configuration. */
interface RouteParts {
  readonly roles: ReadonlyArray<Role.Role>
  readonly options: Options
  readonly isIndexing: boolean
  readonly config: Config.Config
  readonly chains: ReadonlyArray<ServedChain.ServedChain>
}

/** State that a process keeps across configurations: counters, and the state of limits and caches. */
interface ProcessState {
  readonly database: Database
  readonly metrics: Metrics.Metrics["Service"]
  readonly observed: Observations.Observations
  readonly buckets: RateLimiterStore["Service"]
  readonly cache: RelayCache.RelayCache["Service"]
  readonly signatures: SignatureDirectory.SignatureDirectory | null
  readonly signingKey: SigningKey.SigningKey | null
  readonly lookups: NameLookups.NameLookups
  readonly turns: Turns.Turns
  readonly knownKeys: KnownKeys.KnownKeys
  /** Settings at startup; `null` if no webhooks are sent. */
  readonly webhooks: WebhookKey.Settings | null
}

/** Opens the database, with metered operations, and makes the process state. */
const keep = Effect.fnUntraced(function* (
  config: Config.Config,
  { baseFolder, member }: Options,
): Effect.fn.Return<ProcessState, InvalidConfig | StoreError, Scope.Scope> {
  const { documents, relay } = config
  const signatures =
    config.signatures === undefined ? null : yield* SignatureDirectory.read(resolve(baseFolder, config.signatures))
  const signingKey =
    config.signingKey === undefined ? null : yield* SigningKey.readConfigured(resolve(baseFolder, config.signingKey))
  const metrics = Metrics.empty(member)
  const observed = Observations.make(metrics)
  yield* ProcessMetrics.observeEventLoop(Metrics.contextOf(metrics))
  const database = yield* Effect.provideService(
    Engine.fromUrl(config.database, baseFolder, { documents, onOperation: observed.operated }),
    Metric.MetricRegistry,
    metrics.registry,
  )
  const cache = Layer.provide(RelayCache.layer(relay.cacheMebibytes), Layer.succeed(Metrics.Metrics, metrics))
  const context = yield* Layer.build(Layer.merge(cache, layerStoreMemory))
  return {
    database,
    metrics,
    observed,
    buckets: member?.rateLimiterStore ?? Context.get(context, RateLimiterStore),
    cache: Context.get(context, RelayCache.RelayCache),
    signatures,
    signingKey,
    lookups: NameLookups.make(),
    turns: Turns.make(yield* MonotonicClock.reader, yield* CoreWait.reader),
    knownKeys: KnownKeys.make(),
    webhooks:
      config.webhooks === undefined ? null : yield* WebhookKey.settingsOf(config.webhooks, config.database, baseFolder),
  }
})

/** The routes of the roles, and those for operators and machines. */
const routesOf = ({ chains, config, isIndexing, options, roles }: RouteParts, kept: ProcessState) => {
  const { observed } = kept
  const access = options.access ?? Explorer.accessOf(config)
  const [isRest, isRelay] = [roles.includes("rest"), roles.includes("relay")]
  const isExplorer = access !== "off"
  return Layer.mergeAll(
    isRest ? RestServer.layer({ config, chains, signingKey: kept.signingKey }) : Layer.empty,
    isRest ? WebhookRoutes.layer({ settings: kept.webhooks, lookups: kept.lookups, chains }) : Layer.empty,
    isRelay ? Layer.provide(Relay.layer(), [Otterscan.layer, WalletSubscriptions.layer(config)]) : Layer.empty,
    Monitoring.layer({ config, baseFolder: options.baseFolder, chains, isIndexing }),
    isRest ? EtherscanServer.layer({ chains }) : Layer.empty,
    isRest && config.mcp === "on" ? McpRoutes.layer(config) : Layer.empty,
    isRest && Docs.docsOf(config) === "on" ? DocsRoutes.layer() : Layer.empty,
    isRest && isExplorer
      ? ExplorerRoutes.layer({ access, chains, sendsWebhooks: kept.webhooks !== null })
      : Layer.empty,
    isRest && (isExplorer || config.mcp === "on")
      ? PageRoutes.layer({ chains, isSearchAlone: !isExplorer })
      : Layer.empty,
  ).pipe(
    Layer.provide(ChainContracts.layer(kept.signatures)),
    Layer.provideMerge(RelayEns.layer),
    Layer.provide(isRelay ? RelayChains.layer(chains, observed.called) : RelayChains.none),
    Layer.provide([
      Authentication.layer({ access, anonymous: config.anonymous }, observed.refused, kept.knownKeys),
      Bounds.layer(config.limits, kept.turns),
    ]),
    Layer.provide([
      RateLimit.layer(config.rateLimit, Layer.succeed(RateLimiterStore, kept.buckets)),
      Layer.succeed(RelayCache.RelayCache, kept.cache),
      Layer.succeed(Metrics.Metrics, kept.metrics),
      Layer.succeed(Engine.Engine, kept.database),
    ]),
  )
}

/**
 * Makes the function that starts the webhook sender for a configuration, until the scope ends or the next call replaces it. A message in
 * flight at that moment is sent again with the same id.
 */
const webhookSender = Effect.fnUntraced(function* (
  { database, lookups, observed, signatures, turns, webhooks: settings }: ProcessState,
  roles: ReadonlyArray<Role.Role>,
) {
  const sender = yield* FiberHandle.make<never>()
  const webhooks = WebhookTurns.bounded(database.webhooks, turns)
  return ({ chains, config }: RouteParts): Effect.Effect<void> => {
    if (settings === null || !roles.includes("rest")) return Effect.void
    const decoder = KnownSignatures.decoder()
    const sending = WebhookSender.run({
      settings,
      config,
      chains: chains.map(IndexedChain.fromDatabase(database)),
      contracts: ChainContracts.make(database.contracts, decoder, signatures),
      decoder,
      lookups,
      webhooks,
      keys: database.apiKeys,
      onAttempt: observed.attempted,
    })
    return Effect.asVoid(FiberHandle.run(sender, sending))
  }
})

/** Counts an indexer's measurements. */
const count =
  ({ operated, proved, requested }: Observations.Observations) =>
  (chain: string, observation: Observation): void => {
    switch (observation._tag) {
      case "Operation":
        return operated(observation.operation, observation.seconds)
      case "NodeRequest":
        return requested({ chain, ...observation })
      case "Wallets": {
        const { _tag, oldestProvedBlock, ...states } = observation
        return proved(chain, { oldestProvedBlock, states })
      }
    }
  }

/** Starts the thread of the first indexer early, because it takes as long to load as the server. */
const startIndexThread = Effect.flatMap(References.MinimumLogLevel, (logLevel) =>
  IndexThreads.startAhead(IndexThreads.starter(logLevel)),
)

/** Certificate files, relative to the folder of the configuration. */
const tlsOf = ({ tls }: Config.Config, baseFolder: string): Pick<HttpServer.Options, "tls"> =>
  tls === undefined ? {} : { tls: { cert: resolve(baseFolder, tls.cert), key: resolve(baseFolder, tls.key) } }

/**
 * Formats the log line of a listening service.
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
 * Adds the tables of this version to databases of an earlier version, if that is instant. `run` does so too; call this if other processes
 * that serve the same databases start earlier.
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
  const { isInline = false, member, onEvent, roles = Role.all } = options
  const isIndexer = roles.includes("index")
  const partsOf = (own: Config.Config) =>
    Effect.map(Effect.fromResult(ServedChain.fromChains(own.chains)), (chains): RouteParts => ({
      roles,
      options,
      chains,
      config: own,
      isIndexing: options.isIndexing ?? isIndexer,
    }))
  const parts = yield* partsOf(config)
  const startThread = isIndexer && !isInline && parts.chains.length > 0 ? yield* startIndexThread : undefined
  const kept = yield* keep(config, options)
  const { database } = kept
  yield* database.apiKeys.ready
  if (isIndexer) yield* database.migrate(parts.chains)
  const isOnlyIndexer = roles.every((role) => role === "index")
  const configured = isOnlyIndexer ? config.monitoring : config.listen
  const listen = configured && Listen.inFolder(configured, options.baseFolder)
  const answerOptions = (own: Config.Config, at: Listen.Listen) => ({
    ...own,
    listen: at,
    onResponse: kept.observed.answered,
  })
  const server =
    listen === undefined
      ? null
      : yield* HttpServer.make(routesOf(parts, kept), {
          ...answerOptions(config, listen),
          ...tlsOf(config, options.baseFolder),
          turns: kept.turns,
          holderOf: kept.knownKeys.holderOf,
          key: isOnlyIndexer ? "monitoring" : "listen",
        })
  const address = server?.address ?? null
  // Next to a local chain no key is needed, and the command prints the URL of the pages.
  if (address !== null && member === undefined && options.access !== "local") {
    yield* Effect.logInfo(isOnlyIndexer ? `Health and metrics on ${address.url}` : listeningMessage(address.url))
  }
  if (address !== null && member !== undefined) yield* member.ready(address.url)
  const sendWebhooks = yield* webhookSender(kept, roles)
  yield* sendWebhooks(parts)
  const owner = randomUUID()
  // The threads of a chain do not change when other chains are added.
  const threads = ChainJob.threadsOf(config)
  const shared = { baseFolder: options.baseFolder, owner, threads }
  const jobs = (own: RouteParts) => ChainJob.fromChains(own.chains, own.config, shared)
  const indexers = isIndexer
    ? yield* Supervisor.make({
        jobs: jobs(parts),
        isInline,
        onObserved: count(kept.observed),
        threads: config.indexThreads,
        startThread,
        onEvent,
      })
    : null

  let current = config
  const reload = Effect.fnUntraced(function* (
    next: Config.Config,
    restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>,
  ): Effect.fn.Return<ConfigChanges.ConfigChanges, StartError> {
    const changes = ConfigChanges.between(current, next)
    const applicable = ConfigChanges.applicable(current, next)
    const changed = yield* partsOf(applicable)
    const nextJobs = jobs(changed)
    if (isIndexer) yield* restore(database.migrate(changed.chains))
    if (server !== null) {
      const applyTls = yield* restore(server.prepareTls)
      const answers = answerOptions(applicable, listen ?? applicable.listen)
      if (changes.applied.length > 0) {
        yield* yield* restore(server.prepare(routesOf(changed, kept), answers))
        yield* sendWebhooks(changed)
      }
      yield* applyTls
    }
    if (indexers !== null) yield* indexers.replace(nextJobs)
    current = applicable
    return changes
  })
  const mutex = yield* Semaphore.make(1)
  return {
    address,
    keys: database.apiKeys,
    // Once prepared, a configuration is applied completely, even if the caller is interrupted.
    reload: (next) =>
      mutex
        .withPermit(Effect.uninterruptibleMask((restore) => reload(next, restore)))
        .pipe(Effect.withSpan("Service.reload")),
    metrics: () => Metrics.format(kept.metrics, []),
  }
})
