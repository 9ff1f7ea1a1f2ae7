/**
 * State and progress of one indexer, derived from its reports: the status that readers see, and the resulting events and log lines. Pure;
 * `StatusReporter` executes the outputs. No output holds a key or a URL.
 *
 * Each status, event and log line is made from a single state, so that its numbers and words belong to the same instant.
 */
import * as AppliedSettings from "../store/AppliedSettings.ts"
import type { TraceSource } from "../block/Traces.ts"
import { maxLagBlocks } from "../store/StatusBoard.ts"
import type { IndexerReport, Level } from "./IndexerReport.ts"
import * as NodeHead from "./NodeHead.ts"
import * as PrependTracker from "./PrependTracker.ts"
import * as Progress from "./Progress.ts"
import * as Throughput from "./Throughput.ts"
import * as TrackerState from "./TrackerState.ts"
import type { Transition } from "./TrackerState.ts"

const { blocksLeft, counted, emit, heartbeatMillis, isNews, isRunning, log, put, unansweredMillis, write } =
  TrackerState

type State = TrackerState.TrackerState

const logMillis = 5_000
/** Interval at which a persistent obstacle is logged again. */
const reminderMillis = 60_000

/**
 * What changes the tracked state.
 */
export type Input =
  | IndexerReport
  /** The heartbeat interval has passed. */
  | { readonly _tag: "Heartbeat" }

interface Obstacle {
  readonly state: "waiting" | "misconfigured"
  readonly message: string
  readonly subject: string
  readonly level: Level
}

const obstructed = (before: State, obstacle: Obstacle, now: number): Transition => {
  const { level, message, state: name, subject } = obstacle
  const isRepeated = before.status.state === name && before.subject === subject
  const isReminder = isRepeated && level === "Warn" && now - before.obstacleLoggedAtMillis >= reminderMillis
  const state = {
    ...before,
    subject,
    obstructedAtMillis: isRunning(before.status) ? now : before.obstructedAtMillis,
    obstacleLoggedAtMillis: isRepeated && !isReminder ? before.obstacleLoggedAtMillis : now,
  }
  if (isRepeated) {
    const [written, outputs] = write(state, name, message, now)
    return [written, isReminder ? [...outputs, log(level, message)] : outputs]
  }
  const [next, outputs] = put({ ...state, ...counted(state, { obstacles: 1 }) }, name, message, now)
  const event = emit({ _tag: name === "waiting" ? "Waiting" : "Misconfigured", message })
  return [next, [...outputs, log(level, message), event]]
}

const tracerLine = (traces: TraceSource, setting: string) => {
  if (traces !== "off") return log("Info", "Tracer", { traces })
  return log("Info", `No internal transactions: ${setting === "off" ? '"traces" is "off"' : "the node has no tracer"}`)
}

/** Records the settings of the next blocks, at once if they differ from those of the previous blocks. */
const configured = (
  before: State,
  { head, settings: given }: IndexerReport & { readonly _tag: "Connected" },
  now: number,
): Transition => {
  const { changes, settings } = AppliedSettings.apply(before.settings, given, head)
  const state = { ...before, settings, indexedHead: head }
  if (changes.length === 0) return [state, []]
  const lines = changes.map(({ from, name, ...values }) => log("Info", "Setting changed", { name, from, ...values }))
  const [written, outputs] = put(state, state.status.state, state.status.message, now)
  return [written, [...outputs, ...lines]]
}

/** Logs what is new about the nodes and the checks. */
const connected = (before: State, report: IndexerReport & { readonly _tag: "Connected" }, now: number): Transition => {
  const { lacking = null, traces, unchecked } = report
  const lines = [
    ...(lacking === null || lacking === before.lacking
      ? []
      : [log("Info", "The node lacks some features", { lacking })]),
    ...(unchecked === null || unchecked === before.unchecked
      ? []
      : [log("Info", "Checks left out by the chain's hash rules", { unchecked })]),
    ...(traces === before.tracer ? [] : [tracerLine(traces, report.settings.traces)]),
  ]
  const started = before.tracer === null ? { progress: Progress.start(now), loggedAtMillis: now } : {}
  return [{ ...before, ...started, tracer: traces, unchecked, lacking }, lines]
}

const backfillMessage = "Indexing blocks below the head of the node."

const headSeen = (
  before: State,
  { isExtending = false, nodeHead: number }: IndexerReport & { readonly _tag: "HeadSeen" },
  now: number,
): Transition => {
  const state = { ...before, nodeHead: NodeHead.seen(before.nodeHead, number, now) }
  const { message, state: name } = before.status
  if (!before.isWritten) return [state, []]
  if (name === "synced" && blocksLeft(state) > maxLagBlocks) {
    return write({ ...state, progress: Progress.start(now) }, "backfill", backfillMessage, now)
  }
  if (isRunning(before.status)) return write(state, name, message, now)
  // Blocks are being fetched, and there was no obstacle so far.
  const isStarting = isExtending && before.subject === null
  return isStarting ? write(state, "backfill", backfillMessage, now) : [state, []]
}

/** Progress to which the next blocks are added. */
const advance = ({ nodeHead, progress, status }: State, now: number): Progress.Progress => {
  if (status.state === "backfill") return progress
  const since = nodeHead?.seenAtMillis ?? now
  return status.state === "synced" ? Progress.follow(progress, since) : Progress.resume(progress, since)
}

const indexed = (before: State, report: IndexerReport & { readonly _tag: "Indexed" }, now: number): Transition => {
  const { blocks, first, head, transactions } = report
  const progress = Progress.add(advance(before, now), now, report)
  const state = { ...before, ...counted(before, { blocks, transactions }), indexedHead: head, progress }
  const nodeHead = state.nodeHead?.number ?? head
  const left = blocksLeft(state)
  const speed = TrackerState.speedOf(state, now)
  const event = emit({ _tag: "Indexed", first, head, nodeHead, ...Progress.totals(progress), ...speed })
  if (left === 0 || (state.status.state === "synced" && left <= maxLagBlocks)) return [state, [event]]
  const [written, outputs] = write(state, "backfill", backfillMessage, now)
  if (now - state.loggedAtMillis < logMillis) return [written, [event, ...outputs]]
  const line = log("Info", "Backfill", {
    block: head,
    nodeHead,
    lag: left,
    blocks: progress.blocks,
    transactions: progress.transactions,
    blocksPerSecond: Math.round(speed.blocksPerSecond),
    timeLeft: speed.etaMillis === null ? undefined : Throughput.formatMillis(speed.etaMillis),
  })
  return [{ ...written, loggedAtMillis: now }, [event, ...outputs, line]]
}

const synced = (before: State, { head }: IndexerReport & { readonly _tag: "Synced" }, now: number): Transition => {
  const state = { ...before, indexedHead: head, progress: Progress.end(before.progress) }
  // The head of the node moved on while the blocks up to it were stored.
  if (blocksLeft(state) > maxLagBlocks) return [before, []]
  const nodeHead = state.nodeHead?.number ?? head
  const isNew = isNews(state, "synced")
  const message = head > nodeHead ? "The node lags behind the index." : "In sync with the head of the node."
  const [written, outputs] = write(state, "synced", message, now)
  if (head === before.syncedHead && !isNew) return [written, outputs]
  const totals = Progress.totals(state.progress)
  if (head === before.syncedHead && before.status.state === "waiting") {
    const pause = Throughput.formatMillis(now - before.obstructedAtMillis)
    return [written, [...outputs, log("Info", `In sync again after ${pause}.`)]]
  }
  const line = log(isNew ? "Info" : "Debug", head > nodeHead ? "The node lags behind the index" : "Synced", {
    block: head,
    nodeHead,
    blocks: totals.blocks,
    transactions: totals.transactions,
    elapsed: `${(totals.elapsedMillis / 1000).toFixed(1)} s`,
  })
  const events = head === before.syncedHead ? [] : [emit({ _tag: "Synced", head, ...totals })]
  return [{ ...written, syncedHead: head }, [...outputs, line, ...events]]
}

/** The blocks above `kept`, up to `last`, in words; `kept` is `null` if none is kept. */
const removedText = (last: number, kept: number | null): string => {
  if (kept === null) return `all blocks up to ${last}`
  return kept + 1 === last ? `block ${last}` : `blocks ${kept + 1} to ${last}`
}

const reorged = (state: State, { from, to }: IndexerReport & { readonly _tag: "Reorged" }): Transition => [
  {
    ...state,
    ...counted(state, { reorgs: 1 }),
    syncedHead: null,
    indexedHead: to?.number ?? null,
    prepend: to === null ? null : state.prepend,
    settings: AppliedSettings.unwound(state.settings, to?.number ?? null),
  },
  [log("Info", `Reorg: removed ${removedText(from.number, to?.number ?? null)}`), emit({ _tag: "Reorged", from, to })],
]

/** Readers see the start and end of a search at once, and its progress with the next status. */
const pastSearched = (
  before: State,
  { past }: IndexerReport & { readonly _tag: "PastSearched" },
  now: number,
): Transition => {
  const state = { ...before, past }
  const isNews = (past === null) !== (before.past === null) && before.isWritten
  return isNews ? put(state, state.status.state, state.status.message, now) : [state, []]
}

const heartbeat = (state: State, now: number): Transition => {
  if (!state.isWritten || now - state.writtenAtMillis < heartbeatMillis / 2) return [state, []]
  const silence = now - state.reportedAtMillis
  if (!isRunning(state.status) || silence <= unansweredMillis + state.pollMillis) {
    return put(state, state.status.state, state.status.message, now)
  }
  const message = `The node has not responded for ${Math.round(silence / 1000)} s.`
  return obstructed(state, { state: "waiting", message, subject: "no answer", level: "Warn" }, now)
}

const stopped = (state: State, now: number): Transition => {
  if (!state.isWritten) return [state, []]
  const { message, state: name } = state.status
  const before = name === "misconfigured" || name === "waiting" ? ` Last status: ${message}` : ""
  return put(state, "stopped", `The indexer was stopped. Start it again with "daybook serve".${before}`, now)
}

const reported = (state: State, report: IndexerReport, now: number): Transition => {
  switch (report._tag) {
    case "Started":
      return write(state, "waiting", "The indexer has started; the node has not responded yet.", now)
    case "Connected":
      return TrackerState.chain(connected(state, report, now), (next) => configured(next, report, now))
    case "StartedBefore":
      return [{ ...state, startNote: report.note }, [log("Warn", report.note)]]
    case "StartsBelow":
    case "Prepending":
    case "Prepended":
    case "PrependObstructed":
      return PrependTracker.step(state, report, now)
    case "PastSearched":
      return pastSearched(state, report, now)
    case "HeadSeen":
      return headSeen(state, report, now)
    case "Indexed":
      return indexed(state, report, now)
    case "Synced":
      return synced(state, report, now)
    case "Reorged":
      return reorged(state, report)
    case "Waiting": {
      const { level = "Warn", message, subject = message } = report
      return obstructed(state, { state: "waiting", message, subject, level }, now)
    }
    case "Misconfigured": {
      const { message } = report
      return obstructed(state, { state: "misconfigured", message, subject: message, level: "Warn" }, now)
    }
    case "Stopped":
      return stopped(state, now)
    case "Note":
      return [state, [log(report.level, report.message, report.annotations)]]
  }
}

/**
 * Applies an input at an instant of the monotonic clock, in milliseconds.
 */
export const step = (state: State, input: Input, now: number): Transition => {
  switch (input._tag) {
    case "Heartbeat":
      return heartbeat(state, now)
    // It does not show whether the node responds to the indexer.
    case "PastSearched":
      return reported(state, input, now)
    default:
      return reported({ ...state, reportedAtMillis: now }, input, now)
  }
}
