/**
 * Keeps the index of a chain equal to the chain of its nodes: executes the actions of `IndexerState` on the nodes and the store until
 * interrupted.
 *
 * The store is only changed by append, prepend and unwind, each of which compares and sets the checkpoint, so a second indexer does no
 * harm.
 */
import type * as FeeRules from "@daybook/schema/FeeRules"
import type * as Backoff from "@daybook/transport/internal/Backoff"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Decoder } from "@daybook/abi/Decoder"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type { Node } from "../node/Node.ts"
import type { Header } from "../node/NodeEndpoint.ts"
import type { Projection } from "../block/Projection.ts"
import * as LedgerRules from "../ledger/LedgerRules.ts"
import * as Projections from "../projection/Projections.ts"
import type { Checkpoint } from "../block/BlockRows.ts"
import * as ChainSession from "../store/ChainSession.ts"
import { Engine } from "../store/Engine.ts"
import type { StoreError } from "../store/StoreError.ts"
import type * as BlockVerifier from "../verification/BlockVerifier.ts"
import * as Deviation from "../block/Deviation.ts"
import * as HashRules from "../verification/HashRules.ts"
import * as RuleDetection from "../fetch/RuleDetection.ts"
import type * as BlockFetcher from "../fetch/BlockFetcher.ts"
import * as ChainJob from "./job/ChainJob.ts"
import * as BlockAppender from "./BlockAppender.ts"
import * as BlockPrepender from "./BlockPrepender.ts"
import * as HeadWatch from "./HeadWatch.ts"
import * as PastSearch from "./PastSearch.ts"
import * as IndexerState from "./IndexerState.ts"
import type * as IndexerTurn from "./IndexerTurn.ts"
import * as StartBlock from "./StartBlock.ts"
import * as StartCheck from "./StartCheck.ts"
import * as StatusReporter from "./StatusReporter.ts"
import * as TracerLost from "./TracerLost.ts"

/**
 * How to index a chain.
 */
export interface Options extends Omit<BlockVerifier.Options, "rules"> {
  /** What can be computed from the chain's blocks; `detect` determines it from some of its blocks. Default: nothing. */
  readonly rules?: HashRules.HashRules | "detect"
  /** Name of the chain, in the database and in log lines. */
  readonly chain: string
  /** EIP-155 id. */
  readonly chainId: number
  /** Fee rules of the ledgers, as configured by an operator. Default: those of the chain. */
  readonly feeRules?: FeeRules.Name | undefined
  /** First block to index. Default 0. */
  readonly fromBlock?: number
  /** Start at the first block at or after this instant instead, in seconds since 1970. */
  readonly fromTimestamp?: number | undefined
  /** Index only transactions of these wallets and of added ones, lower case; `null` or absent for all. */
  readonly watch?: ReadonlySet<string> | null
  /** Maximum number of calls per minute for the past of added wallets; if absent or 0, it is not searched. */
  readonly searchCallsPerMinute?: number | undefined
  /** Backoff of this search after failed turns. Default: that of `PastSearch`. */
  readonly searchBackoff?: Backoff.Backoff | undefined
  /** Interval between polls of the node's head, in milliseconds. Default 2000, or 250 if all nodes are on this machine. */
  readonly pollMillis?: number
  readonly decoder: Decoder
  /** Projections of the index. Default: all of `Projections.make`. */
  readonly projections?: ReadonlyArray<Projection>
  /** Whether the node may omit the parents of blocks, as development nodes do. Default false. */
  readonly mayLackParents?: boolean
  /** Also store STATICCALL and DELEGATECALL frames. Default false. */
  readonly allFrames?: boolean
  /** Maximum number of frames of one transaction; the trace of one with more is a gap. Default: as configured. */
  readonly frames?: number | undefined
  /** Number of confirmations after which a block is final, if the node has no `finalized` tag. Default 64. */
  readonly finalityBlocks?: number
  /** Whether the chain is that of a single node that can go back: a lower head removes the blocks above it. Default false. */
  readonly rewinds?: boolean
  /** Maximum number of ranges fetched concurrently; see `AdaptiveBatchSize` for their length. Default 8. */
  readonly concurrency?: number
  /** Maximum number of blocks stored in one transaction. Default 100. */
  readonly batchBlocks?: number | undefined
  /** Where ranges of blocks come from. Default: the thread and the connection of the indexer. */
  readonly rangeSource?: BlockAppender.Options["rangeSource"] | undefined
  /** Receives appended blocks. Default: nothing. */
  readonly onRows?: BlockAppender.Options["onRows"] | undefined
  /** Identifies this indexer; the lease of a chain has one owner at a time. */
  readonly owner: string
  /** Handles each event. */
  readonly onEvent?: StatusReporter.OnEvent
}

const leaseMillis = 5_000
const renewMillis = leaseMillis / 2
/** Time for which an offered lease stays free: longer than the interval at which indexers try to take it. */
const offeredMillis = 2_000
/** Number of transactions whose rows are derived in one database transaction. */
const fillTransactions = 100
/** Interval between checks for added or removed wallets. */
const watchMillis = 1_000
const maxDelayMillis = 10_000
const maxLocalDelayMillis = 1_000

/** Dependencies of actions. */
interface Context extends BlockAppender.Options {
  readonly projections: ReadonlyArray<Projection>
  readonly acquireLease: Effect.Effect<boolean, StoreError>
  readonly pollMillis: number
  /** The configured start; `null` while the index is empty. */
  readonly findStart: Effect.Effect<number | null, IndexerTurn.TurnError>
  readonly prepender: BlockPrepender.BlockPrepender
  readonly deviations: Deviation.Log
}

type Outcome = Effect.Effect<IndexerTurn.Input, IndexerTurn.TurnError>

const checkpointOf = (store: ChainSession.ChainSession) => store.snapshot((snapshot) => snapshot.checkpoint)

const localBlock = (store: ChainSession.ChainSession, number: number) =>
  Effect.map(store.headers(number, number), ([block]) => block ?? null)

/** Finds the configured start of a non-empty index, once; `null` while it is empty. */
const makeStartFinder = (
  { node, reporter, store }: Pick<Context, "node" | "reporter" | "store">,
  options: StartCheck.Options,
) => {
  let start: StartCheck.ConfiguredStart | null = null
  return Effect.gen(function* () {
    const first = yield* BlockPrepender.firstBlock(store)
    if (first === null) start = null
    if (first === null || start !== null) return start?.block ?? null
    start = yield* StartCheck.run(node, options, first)
    const { block: to, note } = start
    if (note !== null) yield* reporter.report({ _tag: "StartedBefore", note })
    if (to < first.number) yield* reporter.report({ _tag: "StartsBelow", first: first.number, to })
    return to
  })
}

/** Source of traces; fails if the stored blocks have traces and the next ones could not. */
const traceSource = Effect.fnUntraced(function* ({ node, reporter, store }: Context, checkpoint: Checkpoint | null) {
  const source = yield* node.traceSource
  if (source !== "off" || !node.wantsTraces || checkpoint === null) return source
  const settings = yield* reporter.settings
  yield* Effect.tapError(TracerLost.check({ settings, store }, checkpoint), () => node.forgetMissingTracer)
  return source
})

/** What the nodes do not offer, and what is corrected in their blocks; `null` for nothing. */
const lackingOf = ({ deviations, node }: Context): string | null => {
  const parts = [node.lacking(), ...deviations.limits()].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(", ")
}

const pollHead = Effect.fnUntraced(function* (context: Context, action: IndexerTurn.PollHead) {
  const { findStart, node, store } = context
  const startBlock = yield* findStart
  const remote = yield* node.head
  const checkpoint = yield* checkpointOf(store)
  const detected = RuleDetection.detect(node, remote.number, action.doubtful)
  // Both make several calls in sequence; running them concurrently waits for a distant node only once.
  const [rules, traces] = yield* Effect.all(
    [action.rules === null ? detected : Effect.succeed(action.rules), traceSource(context, checkpoint)],
    { concurrency: 2 },
  )
  const local = yield* localBlock(store, remote.number)
  const localHash = local?.hash ?? null
  return {
    _tag: "HeadSeen",
    remote,
    checkpoint,
    localHash,
    traces,
    lacking: lackingOf(context),
    rules,
    startBlock,
  } satisfies IndexerTurn.Input
})

const findStartBlock = ({ node }: Context, remote: Header, timestamp: number): Outcome =>
  Effect.map(StartBlock.atOrAfter(node, remote, timestamp), (number) => ({ _tag: "StartBlockFound", remote, number }))

/**
 * Keeps the lease during a wait or a fetch of any duration. If two indexers alternated, each would start again with short delays and
 * discard what it had fetched. If a node hangs, the deadline of its calls ends the fetch.
 *
 * Source: decision 0030.
 */
const keepingLease = <A, E>({ acquireLease }: Context, task: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  const renew = Effect.andThen(Effect.sleep(renewMillis), Effect.ignore(acquireLease))
  return Effect.raceFirst(task, Effect.forever(renew))
}

/** Waits, and meanwhile indexes blocks below the first one. */
const prependDuring = Effect.fnUntraced(function* (context: Context, millis: number, below: IndexerTurn.Below) {
  const failure = yield* keepingLease(context, context.prepender.during(millis, below))
  if (failure === null) return { _tag: "Waited" } as const
  const { error, failures } = failure
  return { _tag: "PrependFailed", error, failures } satisfies IndexerTurn.Input
})

/** Waits. An offered lease is free at first, however short the wait. */
const wait = Effect.fnUntraced(function* (context: Context, action: IndexerTurn.Wait) {
  const { below, isLeaseOffered = false, millis } = action
  if (below !== undefined) return yield* prependDuring(context, millis, below)
  if (isLeaseOffered) {
    yield* Effect.ignore(context.store.releaseLease)
    yield* Effect.sleep(offeredMillis)
    yield* Effect.ignore(context.acquireLease)
  }
  yield* keepingLease(context, Effect.sleep(isLeaseOffered ? Math.max(0, millis - offeredMillis) : millis))
  return { _tag: "Waited" } as const
})

/** A failure, with the time during which nothing was appended. */
const failedAfter = (error: IndexerTurn.TurnError, millis: number): IndexerTurn.Input => ({
  _tag: "Failed",
  error,
  millis,
})

const extend = Effect.fnUntraced(function* (context: Context, action: IndexerTurn.Extend) {
  const { node, pollMillis, reporter } = context
  const { nodeHead } = action
  const startedAt = yield* MonotonicClock.millis
  let appendedAt = startedAt
  const onHead = (number: number) => reporter.report({ _tag: "HeadSeen", nodeHead: number, isExtending: true })
  const onAppended = Effect.andThen(
    context.onAppended,
    Effect.map(MonotonicClock.millis, (now) => void (appendedAt = now)),
  )
  const append = (onFetched: Effect.Effect<void>) => BlockAppender.run({ ...context, onAppended, onFetched }, action)
  const appended = yield* Effect.result(
    action.isRetry ? append(Effect.void) : HeadWatch.during({ node, pollMillis, onHead }, append),
  )
  const now = yield* MonotonicClock.millis
  if (Result.isFailure(appended)) return failedAfter(appended.failure, now - appendedAt)
  const found = appended.success
  const checkpoint = yield* checkpointOf(context.store)
  if (found === null) {
    return { _tag: "Extended", head: checkpoint?.head.number === nodeHead ? nodeHead : undefined } as const
  }
  return { _tag: "ChainBroken", checkpoint, nodeHead, found } satisfies IndexerTurn.Input
})

const compareBlock = Effect.fnUntraced(function* (
  { node, store }: Context,
  { number, remote: known }: IndexerTurn.Action & { readonly _tag: "CompareBlock" },
) {
  const remote = known ?? (yield* node.header(number))
  return { _tag: "BlockCompared", number, local: yield* localBlock(store, number), remote } satisfies IndexerTurn.Input
})

/** Derives the rows of one projection from stored blocks, until the projection reaches the head or the time is up. */
const fillProjection = Effect.fnUntraced(function* ({ store }: Context, projection: Projection, until: number) {
  let transactions = 0
  let isDone = false
  while (!isDone && (yield* MonotonicClock.millis) < until) {
    const filled = yield* store.fill(projection, fillTransactions)
    transactions += filled.transactions
    isDone = filled.isDone
    yield* Effect.yieldNow
  }
  if (transactions > 0) {
    const details = { projection: projection.id, transactions }
    yield* Effect.annotateLogs(Effect.logInfo("Derived rows from stored blocks"), details)
  }
  return isDone
})

/** Fills new or revised projections, for a limited time. */
const fillProjections = Effect.fnUntraced(function* (context: Context, millis: number) {
  const until = (yield* MonotonicClock.millis) + millis
  const filled = yield* Effect.forEach(context.projections, (projection) => fillProjection(context, projection, until))
  return { _tag: "ProjectionsFilled", isDone: !filled.includes(false) } satisfies IndexerTurn.Input
})

const execute = (context: Context, action: IndexerTurn.Action): Outcome => {
  const { node, store } = context
  switch (action._tag) {
    case "AcquireLease":
      return Effect.map(context.acquireLease, (isAcquired) => ({
        _tag: isAcquired ? "LeaseAcquired" : "LeaseDenied",
      }))
    case "PollHead":
      return pollHead(context, action)
    case "FindStartBlock":
      return findStartBlock(context, action.remote, action.timestamp)
    case "Extend":
      return keepingLease(context, extend(context, action))
    case "CheckChain":
      return Effect.as(node.checkChain, { _tag: "ChainChecked" })
    case "CompareBlock":
      return compareBlock(context, action)
    case "Unwind": {
      const { head: from, to } = action
      return Effect.as(store.unwind(from, to), { _tag: "Unwound", from, to })
    }
    case "ReadFinality":
      return Effect.map(node.finalized, (finalized) => ({ _tag: "FinalityRead", finalized }))
    case "FinalizeBlock":
      return Effect.as(store.finalize(action.number), { _tag: "BlockFinalized" })
    case "FillProjections":
      return fillProjections(context, action.millis)
    case "Wait":
      return wait(context, action)
    case "Stop":
      return Effect.fail(action.error)
  }
}

/** Runs the state machine until the store fails permanently. */
const loop = Effect.fnUntraced(function* (
  context: Context,
  settings: IndexerState.Settings,
  initial: IndexerState.IndexerState,
): Effect.fn.Return<never, StoreError> {
  let state = initial
  let input: IndexerTurn.Input = { _tag: "Begun" }
  for (;;) {
    const transition = IndexerState.step(settings, state, input)
    state = transition.state
    for (const report of transition.reports) yield* context.reporter.report(report)
    const { action } = transition
    if (action._tag === "Stop") return yield* action.error
    const startedAt = yield* MonotonicClock.millis
    const outcome = yield* Effect.result(execute(context, action))
    const millis = (yield* MonotonicClock.millis) - startedAt
    input = Result.isSuccess(outcome) ? outcome.success : failedAfter(outcome.failure, millis)
  }
})

/** Completes once wallets were added or removed. */
const untilWatchChanged = Effect.fnUntraced(function* ({ isWatchChanged, watch }: ChainSession.ChainSession) {
  if (watch === null) return yield* Effect.never
  // The indexer itself reports a failing database.
  while (!(yield* Effect.orElseSucceed(isWatchChanged, () => false))) yield* Effect.sleep(watchMillis)
  yield* Effect.logInfo("Wallets were added or removed; continuing with the new list")
})

const settingsOf = (node: Node, options: Options, pollMillis: number): IndexerState.Settings => {
  const {
    allFrames = false,
    checks = "standard",
    finalityBlocks = 64,
    fromBlock,
    fromTimestamp,
    rewinds,
    watch,
  } = options
  const maxMillis = node.isLocal ? maxLocalDelayMillis : maxDelayMillis
  const [isOfSome, delays] = [watch != null, { pollMillis, maxDelayMillis: maxMillis }]
  return { fromBlock, fromTimestamp, finalityBlocks, checks, allFrames, rewinds, isOfSome, ...delays }
}

const hasLedger = (projections: ReadonlyArray<Projection>): boolean => projections.some(({ kind }) => kind === "ledger")

/** How the blocks of a session are assembled: all for the same wallets. */
const assemblingOf = (
  options: Options,
  { deviations, projections, store }: Pick<Context, "deviations" | "projections" | "store">,
): BlockFetcher.Options => ({
  decoder: options.decoder,
  allFrames: options.allFrames ?? false,
  checks: options.checks ?? "standard",
  frames: options.frames,
  watch: store.watch,
  mayLackParents: options.mayLackParents ?? false,
  onDeviation: deviations.report,
  ledger: hasLedger(projections) ? LedgerRules.fromChainId(options.chainId, options.feeRules) : undefined,
})

/** Searches the past of added wallets concurrently with the indexer. */
const searchPasts = Effect.fnUntraced(function* (
  node: Node,
  options: Options,
  { assembling, reporter, store }: Context,
) {
  const { chain, chainId, feeRules, rules = HashRules.none, searchCallsPerMinute: callsPerMinute = 0 } = options
  if (callsPerMinute === 0) return
  const database = yield* Engine
  const found = rules === "detect" ? HashRules.none : rules
  const ledger = LedgerRules.fromChainId(chainId, feeRules)
  yield* Effect.forkScoped(
    PastSearch.run({
      node,
      chainId,
      session: store,
      store: database.chain({ name: chain, id: chainId, feeRules }),
      assembling: { ...assembling, watch: null, rules: found, ledger },
      callsPerMinute,
      backoff: options.searchBackoff,
      onProgress: (past) => reporter.report({ _tag: "PastSearched", past }),
    }),
  )
})

/** Releases the lease, and reports that the indexer was stopped. */
const closeSession = ({ reporter, store }: Context, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> =>
  Effect.andThen(Exit.hasInterrupts(exit) ? reporter.stopped : Effect.void, Effect.ignore(store.releaseLease))

/** Indexes until interrupted, or until wallets were added or removed: all blocks of a session are assembled for the same wallets. */
const runSession = Effect.fnUntraced(function* (
  node: Node,
  options: Options,
): Effect.fn.Return<void, StoreError, Engine | Scope.Scope> {
  const { concurrency = 8, onEvent = () => Effect.void, owner, rules, watch = null } = options
  const { feeRules } = options
  const { projections = Projections.make(options.decoder, options.chainId, feeRules) } = options
  const pollMillis = options.pollMillis ?? ChainJob.defaultPollMillis(node.isLocal)
  const settings = settingsOf(node, options, pollMillis)
  const chain = { name: options.chain, id: options.chainId, feeRules }
  const store = yield* ChainSession.open(yield* Engine, { chain, owner, leaseMillis, watch, projections })
  const reporter = yield* StatusReporter.make({ store, onEvent, pollMillis })
  const deviations = Deviation.makeLog()
  const parts = {
    node,
    store,
    reporter,
    projections,
    deviations,
    concurrency,
    pollMillis,
    acquireLease: store.holdLease,
    onAppended: store.holdLease,
    onRows: options.onRows,
    rangeSource: options.rangeSource,
    batchBlocks: options.batchBlocks,
    assembling: assemblingOf(options, { deviations, projections, store }),
  }
  const context: Context = {
    ...parts,
    findStart: makeStartFinder(parts, settings),
    prepender: yield* BlockPrepender.make({ ...parts, maxDelayMillis: settings.maxDelayMillis }),
  }
  const initial = IndexerState.make(settings, rules === "detect" ? null : (rules ?? HashRules.none))
  if (store.watch !== null) yield* searchPasts(node, options, context)
  const indexing = Effect.andThen(Effect.forkScoped(reporter.heartbeat), loop(context, settings, initial))
  return yield* Effect.raceFirst(indexing, untilWatchChanged(store)).pipe(
    Effect.scoped,
    Effect.onExit((exit) => closeSession(context, exit)),
    Effect.annotateLogs({ chain: chain.name }),
  )
})

/**
 * Indexes until interrupted.
 *
 * **Errors**
 * - `StoreError`: the database failed permanently. All other failures are reported and retried.
 */
export const run = (node: Node, options: Options): Effect.Effect<never, StoreError, Engine> =>
  Effect.withSpan(Effect.forever(Effect.scoped(runSession(node, options))), "ChainIndexer.run")
