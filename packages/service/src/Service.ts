/**
 * Composes the service by its role: `index` keeps the stores in step with their nodes, `serve` answers over HTTP, `all` does
 * both in one process. The only module that knows both sides.
 */
import { randomUUID } from "node:crypto"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Config from "./config/Config.ts"
import type { InvalidConfig } from "./config/InvalidConfig.ts"
import * as ServedChain from "./config/ServedChain.ts"
import * as Decoder from "./decode/Decoder.ts"
import * as Server from "./server/HttpServer.ts"
import * as Upstream from "./server/relay/Upstream.ts"
import * as ChainJob from "./indexer/ChainJob.ts"
import type { IndexerEvent } from "./indexer/StatusTracker.ts"
import * as Supervisor from "./indexer/Supervisor.ts"
import * as Engine from "./store/Engine.ts"
import type { ApiKeys } from "./store/ApiKeys.ts"
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
  readonly address: Server.Address | null
  /** Its keys. */
  readonly keys: ApiKeys
}

/**
 * Why a service does not start.
 */
export type StartError = InvalidConfig | StoreError | InvalidOption | Server.ListenError

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
  const chains = yield* Effect.forEach(served, (chain) =>
    Effect.gen(function* () {
      const { reader } = database.chain(chain)
      return { ...chain, reader, status: database.status.read(chain), upstream: yield* Upstream.make(chain) }
    }),
  )
  const address = role === "index" ? null : yield* Server.serve({ config, chains, keys, decoder: Decoder.make() })
  if (address !== null)
    yield* Effect.logInfo(`Listening on ${address.url}; calls to nodes go to ${address.url}/rpc/<chain>/<apiKey>`)
  if (role !== "serve") {
    const owner = randomUUID()
    const jobs = served.map((chain) => ChainJob.fromChain(chain, { database: config.database, baseFolder, owner }))
    yield* Effect.forkScoped(Supervisor.run(onEvent === undefined ? { jobs } : { jobs, onEvent }))
  }
  return { address, keys }
})
