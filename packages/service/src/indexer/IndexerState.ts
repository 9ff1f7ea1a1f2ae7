/**
 * Decisions of an indexer as a state machine: `step` takes what has happened and returns the next state, what to report, and the single
 * next action. Pure; `ChainIndexer` executes the actions.
 *
 * A turn acquires the lease, polls the head of the node and then does one thing: it extends the index, unwinds it to the common ancestor,
 * or waits. Any failure is retried after a delay.
 */
import type { Header } from "../node/NodeEndpoint.ts"
import type { NodeFailed } from "../node/NodeError.ts"
import * as AppliedSettings from "../store/AppliedSettings.ts"
import type { BlockRef, Checkpoint } from "../block/BlockRows.ts"
import * as RuleDoubt from "./RuleDoubt.ts"
import * as HashRules from "../verification/HashRules.ts"
import { InvalidBlock } from "../verification/InvalidBlock.ts"
import { BlockNotFound } from "../fetch/BlockNotFound.ts"
import * as CommonAncestor from "./CommonAncestor.ts"
import * as FailureDelay from "./FailureDelay.ts"
import * as FailureReports from "./FailureReports.ts"
import * as FinalBlocksDiffer from "./FinalBlocksDiffer.ts"
import type { IndexerReport } from "./IndexerReport.ts"
import type { Action, Extend, Input, TurnError, Wait } from "./IndexerTurn.ts"

/**
 * What is constant while an indexer runs.
 */
export interface Settings {
  /** First block to index; absent if it is the first one at or after `fromTimestamp`. */
  readonly fromBlock?: number | undefined
  /** Instant in seconds since 1970. */
  readonly fromTimestamp?: number | undefined
  /** Interval between polls of the node's head, in milliseconds. */
  readonly pollMillis: number
  /** Number of confirmations after which a block is final, if the node has no `finalized` tag. */
  readonly finalityBlocks: number
  /** Level of verification, for the report of skipped checks. */
  readonly checks: HashRules.Level
  /** Whether the index is limited to the transactions of some wallets, for the report of settings. Default false. */
  readonly isOfSome?: boolean
  /** Whether STATICCALL and DELEGATECALL frames are stored too, for the report of settings. */
  readonly allFrames: boolean
  /**
   * Whether a lower head of the node removes the blocks above it, because the chain is that of a single node that can go back. Default
   * false.
   */
  readonly rewinds?: boolean | undefined
  /** Longest delay after a failure of the database or of a connection, in milliseconds. */
  readonly maxDelayMillis: number
}

type Reports = ReadonlyArray<IndexerReport>

/** State of a search for differing blocks. */
interface Reorg {
  readonly _tag: "Reorg"
  readonly head: BlockRef
  /** Highest block that both sides have. */
  readonly highest: number
  /** The node's block that does not extend the index. */
  readonly found: BlockRef
  readonly search: CommonAncestor.Search
  /** Last final block of the index; `null` if none is known. */
  readonly finalized: number | null
  /** Highest stored block found to be shared. */
  readonly ancestor: BlockRef | null
}

/** The finalized block is read before `next`. */
interface Finality {
  readonly _tag: "Finality"
  readonly first: number
  readonly head: number
  readonly nodeHead: number
  readonly next: Action
}

/**
 * State of an indexer between two actions.
 */
export interface IndexerState {
  /** First block to index; `null` until it is found by its date. */
  readonly startBlock: number | null
  /** What can be computed from the chain's blocks; `null` until detected. */
  readonly rules: HashRules.HashRules | null
  readonly doubt: RuleDoubt.RuleDoubt
  /** Whether the lease was acquired at least once. */
  readonly isStarted: boolean
  /** Whether another indexer holds the lease and this was reported. */
  readonly isLeaseDenied: boolean
  /** Number of failed turns since the last successful one. */
  readonly failures: number
  /** Number of those caused by the nodes: a node may lack the next block, regardless of how often the database failed. */
  readonly refusals: number
  /** Duration of these failures including the delays between them, in milliseconds. */
  readonly failingMillis: number
  /** Head of the index in the last turns, and number of turns that failed there, including before another indexer had the lease. */
  readonly tried: { readonly head: number | null; readonly failures: number; readonly refusals: number } | null
  /** Heads for which the finalized block was last read. */
  readonly finality: { readonly head: number; readonly nodeHead: number } | null
  /** Whether every projection has reached the head with its current revision. */
  readonly isFilled: boolean
  readonly phase: Reorg | Finality | null
}

/**
 * A transition of the machine.
 */
export interface Transition {
  readonly state: IndexerState
  readonly reports: Reports
  readonly action: Action
}

/** An index that lacks more blocks is far behind: its finality is read before each turn. */
export const farBlocks = 2_000
/** Number of blocks after which the finalized block is read if the head of the node moves in every turn, so that no turn starts at the head. */
const movingBlocks = 16
const maxLeaseDelayMillis = 1_000
/** Duration of failures after which the lease is offered, since another indexer may have responsive nodes. */
const offeringMillis = 60_000

/**
 * Makes the state of an indexer that has done nothing yet.
 */
export const make = (
  settings: Settings,
  /** `null` to detect them. */
  rules: HashRules.HashRules | null,
): IndexerState => ({
  startBlock: settings.fromTimestamp === undefined ? (settings.fromBlock ?? 0) : null,
  rules,
  isStarted: false,
  isLeaseDenied: false,
  failures: 0,
  refusals: 0,
  failingMillis: 0,
  tried: null,
  finality: null,
  isFilled: false,
  doubt: RuleDoubt.make(rules === null),
  phase: null,
})

const transition = (state: IndexerState, action: Action, reports: Reports = []): Transition => ({
  state,
  reports,
  action,
})

const acquireLease: Action = { _tag: "AcquireLease" }

const wait = (millis: number): Wait => ({ _tag: "Wait", millis })

/** The end of a successful turn. */
const ended = { failures: 0, refusals: 0, failingMillis: 0, tried: null, phase: null } as const

/** Ends a turn that did something; the next one follows at once. */
const nextTurn = (state: IndexerState, reports: Reports = []): Transition =>
  transition({ ...state, ...ended }, acquireLease, reports)

/** Ends a turn with nothing more to do. */
const idle = (state: IndexerState, millis: number, reports: Reports = []): Transition =>
  transition({ ...state, ...ended }, wait(millis), reports)

const doubtAfter = ({ doubt }: IndexerState, error: TurnError, failures: number): RuleDoubt.RuleDoubt =>
  error._tag === "InvalidBlock" && failures > FailureDelay.toleratedFailures ? RuleDoubt.refused(doubt, error) : doubt

const isOfDatabase = ({ _tag }: TurnError): boolean =>
  _tag === "StoreError" || _tag === "LeaseLost" || _tag === "CheckpointConflict"

const failed = (settings: Settings, state: IndexerState, error: TurnError, tookMillis = 0): Transition => {
  if (error._tag === "StoreError" && !error.isRetryable) return transition(state, { _tag: "Stop", error })
  const failures = state.failures + 1
  const refusals = state.refusals + (isOfDatabase(error) ? 0 : 1)
  const delayMillis = FailureDelay.delayAfter(error, failures, settings.maxDelayMillis)
  const failingMillis = state.failingMillis + tookMillis + delayMillis
  const action = { ...wait(delayMillis), isLeaseOffered: failingMillis > offeringMillis ? true : undefined }
  const doubt = doubtAfter(state, error, failures)
  const tried = state.tried && { ...state.tried, failures, refusals }
  return transition(
    { ...state, failures, refusals, failingMillis, tried, doubt, phase: null },
    action,
    FailureReports.of(error, failures),
  )
}

/** Blocks below the first one could not be fetched: they are retried while the indexer continues at the head. */
const prependFailed = (
  state: IndexerState,
  { error, failures }: Input & { readonly _tag: "PrependFailed" },
): Transition => {
  const reports = FailureReports.of(error, failures).map((report): IndexerReport => {
    const isObstacle = report._tag === "Waiting" || report._tag === "Misconfigured"
    return isObstacle ? { _tag: "PrependObstructed", message: report.message } : report
  })
  return nextTurn({ ...state, doubt: doubtAfter(state, error, failures) }, reports)
}

/** Indexers that alternate at a block keep what they know about it; otherwise each would start over, and none would reach a decision. */
const leaseDenied = ({ pollMillis }: Settings, state: IndexerState): Transition => {
  const message = "Another process indexes this chain; waiting for it to stop"
  const reports: Reports = state.isLeaseDenied ? [] : [{ _tag: "Note", level: "Info", message }]
  const denied = idle({ ...state, isLeaseDenied: true }, Math.min(pollMillis, maxLeaseDelayMillis), reports)
  return { ...denied, state: { ...denied.state, tried: state.tried } }
}

/** State of a turn that starts with this head; `null` while the index is empty. */
const trying = (state: IndexerState, head: number | null): IndexerState => {
  const { tried } = state
  const before = tried !== null && tried.head === head ? tried : { failures: 0, refusals: 0 }
  const failures = Math.max(state.failures, before.failures)
  const refusals = Math.max(state.refusals, before.refusals)
  return { ...state, failures, refusals, tried: { head, failures, refusals } }
}

const leaseAcquired = (state: IndexerState): Transition =>
  transition(
    { ...state, isLeaseDenied: false, isStarted: true },
    { _tag: "PollHead", rules: state.doubt.doubtful === null ? state.rules : null, doubtful: state.doubt.doubtful },
    state.isStarted ? [] : [{ _tag: "Started" }],
  )

/** Extends the index to the head of the node; by one block after a failure, since a node may be able to answer for one block only. */
const extend = (state: IndexerState, first: number, tip: BlockRef | null, nodeHead: number): Extend => {
  const from = tip === null ? first : tip.number + 1
  const isRetry = state.failures > 0
  const to = isRetry ? from : nodeHead
  const failures = state.refusals > 0 ? { failures: state.refusals } : {}
  const rules = state.rules ?? HashRules.none
  return { _tag: "Extend", tip, from, to, first, nodeHead, rules, isRetry, ...failures }
}

const waitForStart = (settings: Settings, state: IndexerState, reports: Reports, message: string) =>
  idle(state, settings.pollMillis, [...reports, { _tag: "Waiting", level: "Info", subject: "start block", message }])

/** Starts an empty index. */
const begin = (settings: Settings, state: IndexerState, remote: Header, reports: Reports = []): Transition => {
  const { startBlock } = state
  if (startBlock === null) {
    const { fromTimestamp: timestamp = 0 } = settings
    return transition(state, { _tag: "FindStartBlock", remote, timestamp }, reports)
  }
  if (remote.number >= startBlock) return transition(state, extend(state, startBlock, null, remote.number), reports)
  const message = `The chain has not reached the start block: the head of the node is block ${remote.number}, the start block is ${startBlock}.`
  return waitForStart(settings, state, reports, message)
}

const startBlockFound = (
  settings: Settings,
  state: IndexerState,
  { number, remote }: Input & { readonly _tag: "StartBlockFound" },
): Transition => {
  const date = new Date((settings.fromTimestamp ?? 0) * 1000).toISOString()
  if (number === null) {
    const message = `The chain has not reached the start date: the head of the node is block ${remote.number}, the start date is ${date}.`
    return waitForStart(settings, state, [], message)
  }
  const annotations = { block: number, date }
  return begin(settings, { ...state, startBlock: number }, remote, [
    { _tag: "Note", level: "Info", message: "Found the start block", annotations },
  ])
}

/** Searches for the common ancestor. The node's chain reaches at least `reach`, and differs from the index there. */
const startReorg = (
  state: IndexerState,
  { finalized, first, head }: Checkpoint,
  reach: number,
  found: BlockRef,
  reports: Reports = [],
): Transition => {
  const highest = Math.min(head.number, reach)
  if (highest < first) return nextTurn(state, reports)
  const search = CommonAncestor.start(first, highest)
  const phase: Reorg = { _tag: "Reorg", head, highest, found, search, finalized, ancestor: null }
  return transition({ ...state, phase }, { _tag: "CheckChain" }, reports)
}

const finalBlocksRemoved = (from: number, blocks: number): IndexerReport => ({
  _tag: "Note",
  level: "Warn",
  message: "A reorg removes final blocks",
  annotations: { blocks, from },
})

const continueReorg = (settings: Settings, state: IndexerState, phase: Reorg): Transition => {
  const number = CommonAncestor.next(phase.search)
  if (number !== null) return transition({ ...state, phase }, { _tag: "CompareBlock", number })
  const { ancestor, finalized, found, head, highest, search } = phase
  if (ancestor?.number !== highest) {
    const from = (ancestor?.number ?? search.first - 1) + 1
    const count = finalized === null ? 0 : Math.max(0, finalized - from + 1)
    const isFollowed = settings.rewinds === true || count <= FinalBlocksDiffer.maxRemoved
    if (!isFollowed) return failed(settings, state, new FinalBlocksDiffer.FinalBlocksDiffer({ from, count }))
    const reports: Reports = count === 0 ? [] : [finalBlocksRemoved(from, count)]
    return transition({ ...state, phase }, { _tag: "Unwind", head, to: ancestor }, reports)
  }
  // No block differs: the node contradicts itself, which is no reason to remove a block.
  const what = `it does not extend the stored block ${highest}, which the node also has`
  return failed(settings, state, new InvalidBlock({ block: found.number, hash: found.hash, what }))
}

/** First and last block of the index, and head of the node. */
type Heads = Pick<Finality, "first" | "head" | "nodeHead">

/** Reads the finalized block, once per pair of heads, then continues with `next`. */
const finalize = (state: IndexerState, heads: Heads, next: Action, reports: Reports): Transition => {
  const { finality } = state
  if (finality?.head === heads.head && finality.nodeHead === heads.nodeHead) return proceed(state, next, reports)
  return transition({ ...state, phase: { _tag: "Finality", ...heads, next } }, { _tag: "ReadFinality" }, reports)
}

/** Continues after finality; waiting ends the turn. */
const proceed = (state: IndexerState, next: Action, reports: Reports = []): Transition =>
  transition({ ...state, ...(next._tag === "Wait" ? ended : { phase: null }) }, next, reports)

const finalized = (state: IndexerState, { head, next, nodeHead }: Finality, reports?: Reports): Transition =>
  proceed({ ...state, finality: { head, nodeHead } }, next, reports)

/** The nodes do not return the finalized block: finality stays unchanged, and everything else continues. */
const finalityUnknown = (state: IndexerState, phase: Finality, { message }: NodeFailed): Transition =>
  finalized(state, phase, [{ _tag: "Note", level: state.finality === null ? "Warn" : "Debug", message }])

const finalityRead = (settings: Settings, state: IndexerState, phase: Finality, tag: BlockRef | null): Transition => {
  const number = Math.min(phase.head, tag?.number ?? phase.nodeHead - settings.finalityBlocks)
  if (number < phase.first) return finalized(state, phase)
  const remote = tag?.number === number ? { remote: tag } : {}
  return transition(state, { _tag: "CompareBlock", number, ...remote })
}

const compared = (
  settings: Settings,
  state: IndexerState,
  { local, number, remote }: Input & { readonly _tag: "BlockCompared" },
): Transition => {
  const { phase } = state
  const isShared = remote !== null && remote.hash === local?.hash
  if (phase?._tag === "Reorg") {
    if (remote === null) return failed(settings, state, new BlockNotFound({ block: number, what: "block" }))
    const search = CommonAncestor.compared(phase.search, number, isShared)
    return continueReorg(settings, state, { ...phase, search, ancestor: isShared ? local : phase.ancestor })
  }
  if (phase?._tag !== "Finality") return nextTurn(state)
  // The chain may have moved since the finalized block was read: a stored block is only final if the node has the same one.
  return isShared ? transition(state, { _tag: "FinalizeBlock", number }) : proceed(state, phase.next)
}

type HeadSeen = Input & { readonly _tag: "HeadSeen" }

/** Work at the head of the node besides waiting; `null` for none. */
const restOf = (
  { pollMillis: millis }: Settings,
  { isFilled }: IndexerState,
  { first }: Heads,
  { rules, startBlock = null }: HeadSeen,
): Action | null => {
  if (!isFilled) return { _tag: "FillProjections", millis }
  return startBlock === null || startBlock >= first
    ? null
    : { _tag: "Wait", millis, below: { lowest: startBlock, rules } }
}

/**
 * Extends the index. The finalized block is read occasionally on the way to the head, and at a head that moves in every turn; there, the
 * work at the head follows.
 */
const extendMoving = (
  settings: Settings,
  state: IndexerState,
  { tip, ...heads }: Heads & { readonly tip: BlockRef },
  input: HeadSeen,
  reports: Reports,
): Transition => {
  const { first, head, nodeHead } = heads
  const { failures, finality } = state
  const next = extend(state, first, tip, nodeHead)
  const isFar = nodeHead - head > farBlocks
  const isDue = isFar || head - (finality?.head ?? first) >= movingBlocks
  // After a failure the finalized block can wait, so that a failing node gets as few calls as possible.
  if (failures > 0 || !isDue) return transition(state, next, reports)
  const rest = isFar || finality === null ? null : restOf(settings, state, heads, input)
  return finalize(state, heads, rest ?? next, reports)
}

/** Reported head that was reached. Until the finalized block was read once, the next turn reports it, and reads it. */
const reachedOf = ({ finality }: IndexerState, head: number | undefined): Reports =>
  head === undefined || finality === null ? [] : [{ _tag: "Synced", head }]

/** The rules of an unlisted chain rejected a block and were detected again with it. */
const detectedAgain = (block: number | null, unchecked: string | null): Reports => {
  if (block === null) return []
  const message = "Detected the hash rules of the chain again, because they rejected a block"
  return [{ _tag: "Note", level: "Warn", message, annotations: { block, unchecked: unchecked ?? "nothing" } }]
}

const headSeen = (settings: Settings, before: IndexerState, input: HeadSeen): Transition => {
  const { checkpoint, lacking = null, localHash, remote, rules, traces } = input
  const { doubtful } = before.doubt
  const seen = { ...before, rules, doubt: RuleDoubt.detected(before.doubt) }
  const state = trying(seen, checkpoint?.head.number ?? null)
  const unchecked = HashRules.skipped(rules, settings.checks)
  const connected: Reports = [
    ...detectedAgain(doubtful, unchecked),
    { _tag: "HeadSeen", nodeHead: remote.number },
    {
      _tag: "Connected",
      traces,
      unchecked,
      lacking,
      settings: {
        traces: traces === "off" ? "off" : "on",
        allFrames: String(settings.allFrames),
        checks: settings.checks,
        rows: settings.isOfSome === true ? AppliedSettings.rowsByRole : AppliedSettings.allRows,
      },
      head: checkpoint?.head.number ?? null,
    },
  ]
  if (checkpoint === null) return begin(settings, state, remote, connected)
  const { first, head } = checkpoint
  const heads = { first, head: head.number, nodeHead: remote.number }
  if (remote.number > head.number) return extendMoving(settings, state, { ...heads, tip: head }, input, connected)
  const isRewound = settings.rewinds === true && remote.number < head.number
  if (isRewound && (remote.number < first || localHash === remote.hash)) {
    const to = remote.number < first ? null : { number: remote.number, hash: remote.hash }
    return transition(state, { _tag: "Unwind", head, to }, connected)
  }
  if (remote.number < first) {
    const message = `The head of the node, block ${remote.number}, is below the first indexed block ${first}.`
    const reports: Reports = [...connected, { _tag: "Waiting", message, subject: "node below the index" }]
    return idle(state, settings.pollMillis, reports)
  }
  if (localHash !== remote.hash) return startReorg(state, checkpoint, remote.number, remote, connected)
  const reports: Reports = [...connected, { _tag: "Synced", head: head.number }]
  return finalize(state, heads, restOf(settings, state, heads, input) ?? wait(settings.pollMillis), reports)
}

/**
 * Applies an input.
 *
 * **Details** The index is unwound to the highest block known to be shared with the node. A lower head of the node is not a reason to
 * unwind, unless the chain can go back (`rewinds`). If no stored block differs from the node's, nothing is removed.
 */
export const step = (settings: Settings, state: IndexerState, input: Input): Transition => {
  const { phase } = state
  switch (input._tag) {
    case "Begun":
    case "Waited":
      return transition(state, acquireLease)
    case "LeaseDenied":
      return leaseDenied(settings, state)
    case "LeaseAcquired":
      return leaseAcquired(state)
    case "HeadSeen":
      return headSeen(settings, state, input)
    case "StartBlockFound":
      return startBlockFound(settings, state, input)
    case "Extended":
      return nextTurn(state, reachedOf(state, input.head))
    case "ChainBroken":
      if (input.checkpoint === null) return nextTurn(state)
      return startReorg(state, input.checkpoint, input.nodeHead, input.found)
    case "ChainChecked":
      return phase?._tag === "Reorg" ? continueReorg(settings, state, phase) : nextTurn(state)
    case "BlockCompared":
      return compared(settings, state, input)
    case "Unwound":
      return nextTurn({ ...state, finality: null }, [{ _tag: "Reorged", from: input.from, to: input.to }])
    case "FinalityRead":
      return phase?._tag === "Finality" ? finalityRead(settings, state, phase, input.finalized) : nextTurn(state)
    case "BlockFinalized":
      return phase?._tag === "Finality" ? finalized(state, phase) : nextTurn(state)
    case "PrependFailed":
      return prependFailed(state, input)
    case "ProjectionsFilled":
      return idle({ ...state, isFilled: input.isDone }, settings.pollMillis)
    case "Failed":
      if (phase?._tag === "Finality" && input.error._tag === "NodeFailed")
        return finalityUnknown(state, phase, input.error)
      return failed(settings, state, input.error, input.millis)
  }
}
