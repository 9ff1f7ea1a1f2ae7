/**
 * Runs the indexer of one chain in the calling thread, over its own database connection. Obstacles to indexing are logged once, recorded in
 * the store if it is writable, and retried.
 */
import { resolve } from "node:path"
import type { InvalidOption } from "@daybook/transport/ClientError"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as IsoDate from "../config/IsoDate.ts"
import type * as NodeConfig from "../config/NodeConfig.ts"
import * as ArtifactFolder from "../contract/ArtifactFolder.ts"
import * as ContractKeeper from "../contract/ContractKeeper.ts"
import * as CreatedContracts from "../contract/CreatedContracts.ts"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type { BlockRows } from "../block/BlockRows.ts"
import type { Node } from "../node/Node.ts"
import * as ProofKeeper from "../proof/ProofKeeper.ts"
import type { WatchedProofs } from "../proof/WatchedProofs.ts"
import type { Database } from "../store/Database.ts"
import * as ChainSession from "../store/ChainSession.ts"
import * as Engine from "../store/Engine.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as WatchList from "../store/WatchList.ts"
import * as HashRules from "../verification/HashRules.ts"
import * as Backoff from "@daybook/transport/internal/Backoff"
import * as NodeShares from "./backfill/NodeShares.ts"
import * as Thread from "./backfill/Thread.ts"
import * as ThreadPool from "./backfill/ThreadPool.ts"
import * as BlockSource from "./job/BlockSource.ts"
import * as ChainIndexer from "./ChainIndexer.ts"
import * as ChainJob from "./job/ChainJob.ts"
import { farBlocks } from "./IndexerState.ts"
import * as StatusReporter from "./StatusReporter.ts"
import type { IndexerEvent } from "./IndexerEvent.ts"
import * as Observation from "./job/Observation.ts"
import type { OnEvent } from "./StatusReporter.ts"

const backoff: Backoff.Backoff = { firstMillis: 500, maxMillis: 30_000 }
/** An indexer that ran for this long failed for a new reason. */
const healthyMillis = 30_000
/** Delay after a failure that an operator must resolve. */
const misconfiguredMillis = 60_000

/** Why a chain cannot be indexed, and how long to wait. */
interface Obstacle {
  readonly _tag: "Waiting" | "Misconfigured"
  readonly message: string
  readonly millis: number
}

/** Tracks, from its events, whether an indexer is at the head of its node with its first block at the configured one. */
const trackIdle = () => {
  let [isSynced, isPrepending] = [false, false]
  return {
    isIdle: () => isSynced && !isPrepending,
    take: (event: IndexerEvent): void => {
      if (event._tag === "Prepended") isPrepending = event.first > event.to
      else isSynced = event._tag === "Synced" || (event._tag === "Indexed" && isSynced && event.head >= event.nodeHead)
    },
  }
}

/** Receive what an indexer does and measures. */
interface Listeners {
  readonly onEvent: OnEvent
  readonly onObserved: Observation.OnObserved
}

/** Keeps proofs and opening balances up to date, concurrently with the indexer. */
const keepProofs = Effect.fnUntraced(function* (
  job: ChainJob.ChainJob,
  database: Database,
  node: Node,
  isIdle: () => boolean,
  onObserved: Observation.OnObserved,
) {
  const { chain, chainId, config } = job
  const { proofCallsPerMinute: callsPerMinute = ProofKeeper.defaultCallsPerMinute } = config
  if (callsPerMinute === 0) return
  const store = database.chain({ name: chain, id: chainId, feeRules: config.feeRules })
  let incomplete = 0
  const watch = store.reader.snapshot(({ checkpoint }) =>
    Effect.map(checkpoint, (found) => {
      if (found === null) return ChainJob.watchedWallets(job)
      const complete = WatchList.completeWallets(found)
      incomplete = (found.watch?.length ?? 0) - (complete?.size ?? 0)
      return complete
    }),
  )
  const onWallets = (wallets: WatchedProofs) => onObserved({ _tag: "Wallets", incomplete, ...wallets })
  const isToHead = ChainJob.rewinds(job, node.isLocal)
  const options = { chain, node, store, watch, callsPerMinute, isToHead, isIdle, onWallets }
  yield* Effect.forkScoped(ProofKeeper.run(options))
})

/**
 * Keeps contract descriptions up to date, concurrently with the indexer. Returns a receiver of appended blocks: on a development chain with
 * a project, contracts are recognised by their code. Other chains create too many contracts for that.
 */
const keepContracts = Effect.fnUntraced(function* (job: ChainJob.ChainJob, database: Database, node: Node) {
  const { baseFolder, chain, chainId, config } = job
  const projects = (config.artifacts ?? []).map((path) => {
    const folder = resolve(baseFolder, path)
    return { folder, read: ArtifactFolder.reader(folder, chainId) }
  })
  const isRecognised = projects.length > 0 && ChainJob.rewinds(job, node.isLocal)
  const created = isRecognised ? yield* CreatedContracts.make : undefined
  const { contracts } = database
  yield* Effect.forkScoped(
    ContractKeeper.run({ chain: { name: chain, id: chainId }, node, contracts, projects, created }),
  )
  return created === undefined
    ? undefined
    : (blocks: ReadonlyArray<BlockRows>) => created.take(blocks.flatMap(({ transactions }) => transactions))
})

const indexChain = Effect.fnUntraced(function* (job: ChainJob.ChainJob, { onEvent, onObserved }: Listeners) {
  const { chain, chainId, config, documents, owner } = job
  const onOperation = Observation.onOperation(onObserved)
  const database = yield* Engine.fromUrl(job.database, job.baseFolder, { documents, onOperation })
  const shared = NodeShares.divide(config.rpc, job.threads ?? 0)
  const pool =
    shared.threads === 0
      ? undefined
      : yield* ThreadPool.make({
          threads: shared.threads,
          start: yield* Thread.starter(job, shared.each, onObserved),
          minBlocks: farBlocks,
        })
  const limitsOf = (node: NodeConfig.NodeOptions) => shared.ownOf(node, pool?.running() ?? 0)
  const onRequest = Observation.onRequest(onObserved)
  const { assembling, node } = yield* BlockSource.make(job, config.rpc, { limitsOf, onRequest })
  const idle = trackIdle()
  yield* keepProofs(job, database, node, idle.isIdle, onObserved)
  const onRows = yield* keepContracts(job, database, node)
  return yield* ChainIndexer.run(node, {
    chain,
    chainId,
    feeRules: config.feeRules,
    owner,
    onEvent: (event) =>
      Effect.andThen(
        Effect.sync(() => idle.take(event)),
        onEvent(event),
      ),
    ...assembling,
    onRows,
    rangeSource: pool?.source,
    fromBlock: config.fromBlock,
    // Sound: the configuration accepts no other text.
    fromTimestamp: config.fromDate === undefined ? undefined : Math.ceil(IsoDate.parse(config.fromDate)! / 1e3),
    rules: ChainJob.hashRules(job),
    searchCallsPerMinute: config.proofCallsPerMinute ?? ProofKeeper.defaultCallsPerMinute,
    rewinds: ChainJob.rewinds(job, node.isLocal),
    finalityBlocks: config.finalityBlocks ?? HashRules.finalityBlocksOf(chainId),
    pollMillis: ChainJob.pollMillis(job, node.isLocal),
  }).pipe(Effect.provideService(Engine.Engine, database))
}, Effect.scoped)

/**
 * Shows an obstacle in the store while waiting for it, unless another indexer is at work. Returns false without waiting if the store is not
 * writable.
 */
const recordObstacle = (job: ChainJob.ChainJob, obstacle: Obstacle, onEvent: OnEvent): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const { _tag, message, millis } = obstacle
    const database = yield* Engine.fromUrl(job.database, job.baseFolder, job)
    const chain = { name: job.chain, id: job.chainId }
    const store = yield* ChainSession.open(database, { chain, owner: job.owner, leaseMillis: 0 })
    if (!(yield* store.holdLease)) return false
    const reporter = yield* StatusReporter.make({ store, onEvent })
    yield* reporter.report({ _tag, message })
    yield* Effect.onInterrupt(Effect.timeoutOption(reporter.heartbeat, millis), () => reporter.stopped)
    return true
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => false),
    // The caller has logged it.
    Effect.provideService(References.MinimumLogLevel, "None"),
  )

const logObstacle = ({ _tag, message, millis }: Obstacle): Effect.Effect<void> =>
  _tag === "Waiting"
    ? Effect.logWarning(`${message} Trying again in ${millis / 1000} s.`)
    : Effect.logError(`${message} The chain is not indexed; trying again every minute.`)

const obstacleOf = (job: ChainJob.ChainJob, error: StoreError | InvalidOption, failures: number): Obstacle => {
  const message = ChainJob.redact(job, error.message)
  return error._tag === "StoreError" && error.isRetryable
    ? { _tag: "Waiting", message, millis: Backoff.delayMillis(backoff, failures) }
    : { _tag: "Misconfigured", message, millis: misconfiguredMillis }
}

const retryForever = Effect.fn("ChainRunner.run")(function* (
  job: ChainJob.ChainJob,
  listeners: Listeners,
): Effect.fn.Return<never> {
  const { onEvent } = listeners
  let logged: string | null = null
  for (let failures = 1; ; failures++) {
    const startedAt = yield* MonotonicClock.millis
    const error = yield* Effect.flip(indexChain(job, listeners))
    if ((yield* MonotonicClock.millis) - startedAt > healthyMillis) failures = 1
    const obstacle = obstacleOf(job, error, failures)
    const isNew = obstacle.message !== logged || failures === 1
    logged = obstacle.message
    if (isNew) yield* logObstacle(obstacle)
    const isRecorded = yield* recordObstacle(job, obstacle, isNew ? onEvent : () => Effect.void)
    if (!isRecorded) yield* Effect.sleep(obstacle.millis)
  }
})

/**
 * Indexes a chain until interrupted. Never fails.
 */
export const run = (
  job: ChainJob.ChainJob,
  onEvent: OnEvent = () => Effect.void,
  onObserved: Observation.OnObserved = () => undefined,
): Effect.Effect<never> => Effect.annotateLogs(retryForever(job, { onEvent, onObserved }), { chain: job.chain })
