/**
 * What one chain's indexer needs, as plain data: it is sent to a worker thread whole. It holds URLs with their keys and must never
 * be logged.
 */
import { availableParallelism } from "node:os"
import * as Chain from "@daybook/schema/Chain"
import * as Endpoint from "@daybook/transport/Endpoint"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ChainConfig } from "../../config/ChainConfig.ts"
import type * as Config from "../../config/Config.ts"
import type { InvalidConfig } from "../../config/InvalidConfig.ts"
import type { TraceLimits } from "../../config/Limits.ts"
import * as NodeConfig from "../../config/NodeConfig.ts"
import * as ServedChain from "../../config/ServedChain.ts"
import * as Engine from "../../store/Engine.ts"
import * as HashRules from "../../verification/HashRules.ts"

/**
 * A chain to index, and where to store it.
 */
export interface ChainJob {
  /** Name of the chain: the interface's where it lists the chain, else that of the configuration. */
  readonly chain: string
  /** Name of the chain in the configuration, where it is another one. */
  readonly key?: string
  /** EIP-155 id. */
  readonly chainId: number
  /** URL of the database, or of its primary. */
  readonly database: string
  /** `documents` of the configuration. */
  readonly documents: Config.Config["documents"]
  /** Folder that paths in `database` are relative to. */
  readonly baseFolder: string
  /** Owner of the lease; the same for a worker that is restarted, which then need not wait for the lease to expire. */
  readonly owner: string
  readonly config: ChainConfig
  /** Bounds on the traces of its nodes. Default: those of the configuration. */
  readonly traceLimits?: TraceLimits | undefined
  /** Threads that fetch the blocks of a backfill. Default 0: that of the indexer fetches them. */
  readonly threads?: number | undefined
}

/**
 * Makes the job of a chain; `baseFolder` is the folder of the configuration file.
 */
export const fromChain = (
  chain: ServedChain.ServedChain,
  options: Pick<ChainJob, "database" | "documents" | "baseFolder" | "owner" | "traceLimits" | "threads">,
): ChainJob => ({
  chain: chain.name,
  key: chain.key,
  chainId: chain.id,
  database: options.database,
  documents: options.documents,
  baseFolder: options.baseFolder,
  owner: options.owner,
  config: chain.config,
  traceLimits: options.traceLimits,
  threads: options.threads,
})

/** Threads of one backfill at most, unless they are configured. */
const maxThreads = 4

/**
 * Threads of each chain's backfill: as configured, else the cores of the machine but one, shared by the chains. A share of one gives none:
 * one thread alone takes more time than it saves.
 *
 * Source: decision 0026.
 */
export const threadsOf = (
  { backfillThreads, chains }: Pick<Config.Config, "backfillThreads" | "chains">,
  cores = availableParallelism(),
): number => {
  const share = Math.floor((cores - 1) / Math.max(1, Object.keys(chains).length))
  return backfillThreads ?? (share < 2 ? 0 : Math.min(maxThreads, share))
}

/** What the jobs of all chains share beside their configuration. */
export interface Shared {
  /** Folder of the configuration file. */
  readonly baseFolder: string
  readonly owner: string
  /** Threads of each chain's backfill. Default: `threadsOf` the configuration. */
  readonly threads?: number | undefined
}

/**
 * Makes the jobs of served chains of a configuration.
 */
export const fromChains = (
  chains: ReadonlyArray<ServedChain.ServedChain>,
  config: Config.Config,
  { baseFolder, owner, threads = threadsOf(config) }: Shared,
): ReadonlyArray<ChainJob> => {
  const { documents, limits } = config
  const database = Engine.primaryOf(config.database)
  const shared = { database, documents, baseFolder, owner, threads, traceLimits: limits.traces }
  return chains.map((chain) => fromChain(chain, shared))
}

/**
 * Makes the jobs of all chains of a configuration; `baseFolder` is the folder of its file.
 *
 * **Errors**
 * - `InvalidConfig`: see `ServedChain.fromChains`.
 */
export const fromConfig = (
  config: Config.Config,
  baseFolder: string,
  owner: string,
): Result.Result<ReadonlyArray<ChainJob>, InvalidConfig> =>
  Result.map(ServedChain.fromChains(config.chains), (chains) => fromChains(chains, config, { baseFolder, owner }))

const localPollMillis = 250
const maxPollMillis = 2_000

/**
 * Time between two polls of the head of a chain whose block time is not known, in milliseconds; shorter where all nodes are on this
 * machine.
 */
export const defaultPollMillis = (isLocal: boolean): number => (isLocal ? localPollMillis : maxPollMillis)

/**
 * Time between two polls of the head, in milliseconds: as configured, else the block time but at most 2 seconds; shorter where all
 * nodes are on this machine.
 */
export const pollMillis = ({ chainId, config }: ChainJob, isLocal: boolean): number => {
  if (config.pollMillis !== undefined) return config.pollMillis
  if (isLocal) return localPollMillis
  const row = Chain.all.find(({ id }) => id === BigInt(chainId))
  return Math.min(row?.blockTimeMillis ?? maxPollMillis, maxPollMillis)
}

/**
 * Whether a lower head of the node removes the blocks above it: as configured, else where the chain is one of development, and its node is on
 * this machine.
 *
 * Source: decision 0060.
 */
export const rewinds = ({ chainId, config }: ChainJob, isLocal: boolean): boolean =>
  config.rewinds ?? (isLocal && ServedChain.mayRewind({ config, id: chainId }))

/**
 * Hash rules of the chain: as configured, else as known of the chain, else to be detected.
 */
export const hashRules = ({ chainId, config }: ChainJob): HashRules.HashRules | "detect" =>
  HashRules.ofChain(chainId, config.ethereumRules) ?? "detect"

/**
 * The wallets that are indexed, lower case; `null` for all.
 */
export const watchedWallets = ({ config }: ChainJob): ReadonlySet<string> | null =>
  config.watch === undefined ? null : new Set(config.watch.map((address) => address.toLowerCase()))

/**
 * Removes every key of the job's nodes, in URLs and headers, from a text.
 */
export const redact = (job: ChainJob, text: string): string =>
  job.config.rpc.map(NodeConfig.toOptions).reduce((clean, node) => {
    const { jwt = "", url } = node
    const endpoint = Effect.runSync(Effect.option(Endpoint.make({ url, headers: NodeConfig.headersOf(node) ?? {} })))
    const scrubbed = (endpoint._tag === "Some" ? endpoint.value.scrub(clean) : clean).replaceAll(url, "the node's URL")
    return jwt === "" ? scrubbed : scrubbed.replaceAll(jwt, "the node's token")
  }, text)
