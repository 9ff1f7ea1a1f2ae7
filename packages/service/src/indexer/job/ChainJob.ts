/**
 * Everything that one chain's indexer needs, as plain data that is sent to a worker thread. It holds URLs with their keys and must never be
 * logged.
 */
import { availableParallelism } from "node:os"
import * as Chain from "@daybook/schema/Chain"
import * as Endpoint from "@daybook/transport/Endpoint"
import * as Effect from "effect/Effect"
import type { ChainConfig } from "../../config/ChainConfig.ts"
import type * as Config from "../../config/Config.ts"
import type { TraceLimits } from "../../config/Limits.ts"
import * as NodeConfig from "../../config/NodeConfig.ts"
import * as ServedChain from "../../config/ServedChain.ts"
import * as Engine from "../../store/Engine.ts"
import * as HashRules from "../../verification/HashRules.ts"

/**
 * A chain to index, and where to store it.
 */
export interface ChainJob {
  /** Name of the chain: the interface's if it lists the chain, otherwise the configuration's. */
  readonly chain: string
  /** Name of the chain in the configuration, if it differs. */
  readonly key?: string
  /** EIP-155 id. */
  readonly chainId: number
  /** URL of the database, or of its primary. */
  readonly database: string
  /** `documents` of the configuration. */
  readonly documents: Config.Config["documents"]
  /** Folder to which paths in `database` are relative. */
  readonly baseFolder: string
  /** Owner of the lease; a restarted worker has the same one and need not wait for the lease to expire. */
  readonly owner: string
  readonly config: ChainConfig
  /** Bounds on the traces of its nodes. Default: as configured. */
  readonly traceLimits?: TraceLimits | undefined
  /** Number of threads that fetch the blocks of a backfill. Default 0: the indexer's thread fetches them. */
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

/** Default maximum number of threads of one backfill. */
const maxThreads = 4

/**
 * Number of threads of each chain's backfill: as configured, or else all cores of the machine but one, shared by the chains. A share of one
 * yields none, because a single thread costs more time than it saves.
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

/** What the jobs of all chains share besides their configuration. */
export interface Shared {
  /** Folder of the configuration file. */
  readonly baseFolder: string
  readonly owner: string
  /** Number of threads of each chain's backfill. Default: `threadsOf` the configuration. */
  readonly threads?: number | undefined
}

/**
 * Makes the jobs of a configuration's served chains.
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

const localPollMillis = 250
const maxPollMillis = 2_000

/**
 * Interval between polls of the head if the block time is unknown, in milliseconds; shorter if all nodes are on this machine.
 */
export const defaultPollMillis = (isLocal: boolean): number => (isLocal ? localPollMillis : maxPollMillis)

/**
 * Interval between polls of the head, in milliseconds: as configured, or else the block time but at most 2 seconds; shorter if all nodes
 * are on this machine.
 */
export const pollMillis = ({ chainId, config }: ChainJob, isLocal: boolean): number => {
  if (config.pollMillis !== undefined) return config.pollMillis
  if (isLocal) return localPollMillis
  const row = Chain.all.find(({ id }) => id === BigInt(chainId))
  return Math.min(row?.blockTimeMillis ?? maxPollMillis, maxPollMillis)
}

/**
 * Whether a lower head of the node removes the blocks above it: as configured; by default, if it is a development chain and its node is on
 * this machine.
 *
 * Source: decision 0060.
 */
export const rewinds = ({ chainId, config }: ChainJob, isLocal: boolean): boolean =>
  config.rewinds ?? (isLocal && ServedChain.mayRewind({ config, id: chainId }))

/**
 * Hash rules of the chain: as configured, or else those known for the chain, or else to be detected.
 */
export const hashRules = ({ chainId, config }: ChainJob): HashRules.HashRules | "detect" =>
  HashRules.ofChain(chainId, config.ethereumRules) ?? "detect"

/**
 * Indexed wallets, lower case; `null` for all.
 */
export const watchedWallets = ({ config }: ChainJob): ReadonlySet<string> | null =>
  config.watch === undefined ? null : new Set(config.watch.map((address) => address.toLowerCase()))

/**
 * Removes all keys of the job's nodes, in URLs and headers, from a text.
 */
export const redact = (job: ChainJob, text: string): string =>
  job.config.rpc.map(NodeConfig.toOptions).reduce((clean, node) => {
    const { jwt = "", url } = node
    const endpoint = Effect.runSync(Effect.option(Endpoint.make({ url, headers: NodeConfig.headersOf(node) ?? {} })))
    const scrubbed = (endpoint._tag === "Some" ? endpoint.value.scrub(clean) : clean).replaceAll(url, "the node's URL")
    return jwt === "" ? scrubbed : scrubbed.replaceAll(jwt, "the node's token")
  }, text)
