/**
 * Everything that indexing one chain needs, as plain data: it goes to a worker thread whole. `run` does it, in whatever thread it
 * is called. A plan holds URLs with their keys and is never logged.
 */
import * as Chain from "@daybook/schema/Chain"
import { formatPath } from "@daybook/schema/Issue"
import * as Endpoint from "@daybook/transport/Endpoint"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Result from "effect/Result"
import type { ChainConfig } from "../config/ChainConfig.ts"
import type * as Config from "../config/Config.ts"
import type { InvalidConfig } from "../config/InvalidConfig.ts"
import * as ServedChain from "../config/ServedChain.ts"
import * as Decoder from "../decode/Decoder.ts"
import * as Node from "../node/Node.ts"
import * as SqliteEngine from "../store/sqlite/SqliteEngine.ts"
import { Store, type StoreError } from "../store/Store.ts"
import type * as BlockAssembler from "./BlockAssembler.ts"
import * as ChainIndexer from "./ChainIndexer.ts"
import * as StatusReporter from "./StatusReporter.ts"
import type { OnEvent } from "./StatusReporter.ts"
import * as HashRules from "../verification/HashRules.ts"

/**
 * How to index one chain.
 */
export interface ChainRunner {
  /** The chain's name: the interface's where it lists the chain, else that of the configuration. */
  readonly chain: string
  /** The chain's name in the configuration, where it is another one. */
  readonly key?: string
  /** EIP-155 id. */
  readonly chainId: number
  /** `database` of the configuration. */
  readonly database: string
  /** The folder that paths in `database` are relative to. */
  readonly baseFolder: string
  /** Who indexes; the same for a worker that is started again, so that it need not wait for its predecessor's lease to end. */
  readonly owner: string
  readonly config: ChainConfig
}

/**
 * The plan of a chain of a configuration whose file stands in `baseFolder`. Its store has the chain's `name`.
 */
export const fromChain = (
  chain: ServedChain.ServedChain,
  options: { readonly database: string; readonly baseFolder: string; readonly owner: string },
): ChainRunner => ({
  chain: chain.name,
  key: chain.key,
  chainId: chain.id,
  database: options.database,
  baseFolder: options.baseFolder,
  owner: options.owner,
  config: chain.config,
})

/**
 * The plans of a configuration whose file stands in `baseFolder`, one for each chain.
 *
 * **Errors**
 * - `InvalidConfig`: see `ServedChain.fromChains`.
 */
export const fromConfig = (
  config: Config.Config,
  baseFolder: string,
  owner: string,
): Result.Result<ReadonlyArray<ChainRunner>, InvalidConfig> =>
  Result.map(ServedChain.fromChains(config.chains), (chains) =>
    chains.map((chain) => fromChain(chain, { database: config.database, baseFolder, owner })),
  )

const localPollMillis = 250
const longestPollMillis = 2_000

/** How often a node is asked for its head: as configured, else each block time but at most 2 seconds; often when it is near. */
const pollMillisOf = ({ chainId, config }: ChainRunner, isLocal: boolean): number => {
  if (config.pollMillis !== undefined) return config.pollMillis
  if (isLocal) return localPollMillis
  const row = Chain.all.find(({ id }) => id === BigInt(chainId))
  return Math.min(row?.blockTimeMillis ?? longestPollMillis, longestPollMillis)
}

/** What of the chain's blocks can be computed: as configured, as is known of the chain, else found out. */
const rulesOf = ({ chainId, config }: ChainRunner): HashRules.HashRules | "learn" => {
  if (config.ethereumRules !== undefined) return config.ethereumRules ? HashRules.ethereum : HashRules.none
  return HashRules.ofChain(chainId) ?? "learn"
}

/**
 * The wallets that a plan indexes, lower case; `null` for all.
 */
export const watched = ({ config }: ChainRunner): ReadonlySet<string> | null =>
  config.watch === undefined ? null : new Set(config.watch.map((address) => address.toLowerCase()))

/**
 * Takes every key of the plan's URLs out of a text.
 */
export const scrub = (plan: ChainRunner, text: string): string =>
  plan.config.rpc.reduce((clean, url) => {
    const endpoint = Effect.runSync(Effect.option(Endpoint.make({ url })))
    return (endpoint._tag === "Some" ? endpoint.value.scrub(clean) : clean).replaceAll(url, "the node's URL")
  }, text)

/**
 * The plan's nodes, and how rows are made of their answers: what an indexer works with, and whoever mends a block.
 *
 * **Errors**
 * - `InvalidOption`: a URL of the plan is none; the message does not show it.
 */
export const source = Effect.fnUntraced(function* (
  plan: ChainRunner,
): Effect.fn.Return<{ readonly node: Node.Node; readonly assembling: BlockAssembler.Options }, InvalidOption> {
  const { chainId, config } = plan
  const node = yield* Node.make({
    urls: config.rpc,
    chainId,
    traces: config.traces,
    where: formatPath(["chains", plan.key ?? plan.chain, "rpc"]),
  })
  const rules = rulesOf(plan)
  const assembling = {
    decoder: Decoder.make(),
    allFrames: config.allFrames,
    watch: watched(plan),
    checks: config.checks ?? ("standard" as const),
    ...(rules === "learn" ? {} : { rules }),
  }
  return { node, assembling }
})

const firstWaitMillis = 500
const longestWaitMillis = 30_000
/** What an operator has to mend is tried again, so that mending it is enough. */
const mendMillis = 60_000

/**
 * Keeps the reason why nothing is indexed in the store for a while, where no other indexer is at work and it can be written. False
 * where it was not kept, and no time has passed.
 */
const keepObstacle = (
  plan: ChainRunner,
  obstacle: { readonly state: "waiting" | "refused"; readonly message: string; readonly millis: number },
  onEvent: OnEvent,
): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const { chain, chainId, owner } = plan
    const database = yield* SqliteEngine.fromConfig(plan.database, plan.baseFolder)
    const store = yield* database.chainStore(chain, chainId, "write")
    if (!(yield* store.lease(owner, 0))) return false
    const report = yield* StatusReporter.make({ chain, store, onEvent })
    yield* report[obstacle.state](obstacle.message)
    yield* Effect.onInterrupt(Effect.timeoutOption(report.beating, obstacle.millis), () => report.stopped)
    return true
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => false),
    // The caller has told it.
    Effect.provideService(References.MinimumLogLevel, "None"),
  )

/**
 * Indexes the chain until it is interrupted, over a store of its own. What makes that impossible is told once, kept in the store
 * where that can be written, and tried again: after seconds where it may pass by itself, else each minute.
 */
export const run = Effect.fn("Plan.run")(function* (
  plan: ChainRunner,
  onEvent: OnEvent = () => Effect.void,
): Effect.fn.Return<never> {
  const { chain, chainId, config, owner } = plan
  const indexing = Effect.gen(function* () {
    const database = yield* SqliteEngine.fromConfig(plan.database, plan.baseFolder)
    const store = yield* database.chainStore(chain, chainId, "write", watched(plan))
    const { assembling, node } = yield* source(plan)
    return yield* ChainIndexer.run(node, {
      chain,
      owner,
      onEvent,
      ...assembling,
      fromBlock: config.fromBlock,
      ...(config.fromDate === undefined ? {} : { fromTimestamp: Math.ceil(Date.parse(config.fromDate) / 1000) }),
      rules: rulesOf(plan),
      finalityBlocks: config.finalityBlocks ?? HashRules.finalityBlocksOf(chainId),
      pollMillis: pollMillisOf(plan, node.isLocal),
    }).pipe(Effect.provideService(Store, store))
  })
  let told = ""
  for (let failures = 0; ; failures++) {
    const startedAt = yield* Clock.currentTimeMillis
    const error: StoreError | InvalidOption = yield* Effect.flip(Effect.scoped(indexing))
    if ((yield* Clock.currentTimeMillis) - startedAt > longestWaitMillis) failures = 0
    const message = scrub(plan, error.message)
    const mayPass = error._tag === "StoreError" && error.isRetryable
    const wait = mayPass ? Math.min(longestWaitMillis, firstWaitMillis * 2 ** Math.min(failures, 10)) : mendMillis
    const isNew = message !== told || failures === 0
    told = message
    if (isNew && mayPass) yield* Effect.logWarning(`${chain}: ${message} Tried again.`)
    if (isNew && !mayPass)
      yield* Effect.logError(
        `${chain}: ${message} The chain is not indexed until then; it is tried again every minute.`,
      )
    const obstacle = { state: mayPass ? "waiting" : "refused", message, millis: wait } as const
    if (!(yield* keepObstacle(plan, obstacle, isNew ? onEvent : () => Effect.void))) yield* Effect.sleep(wait)
  }
})
