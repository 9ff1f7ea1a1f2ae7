/**
 * State and progress of one indexer, derived from its reports: which status readers see, which events and log lines follow. Pure;
 * `StatusReporter` carries out the outputs. No output holds a key or a URL.
 */
import type { TraceSource } from "../node/Node.ts"
import type { BlockRef } from "../store/BlockRows.ts"
import type { IndexerStatus } from "../store/StatusBoard.ts"
import * as Throughput from "./Throughput.ts"

/**
 * Work done since the start, or since the last time the indexer fell behind the head.
 */
export interface Totals {
  readonly blocks: number
  readonly transactions: number
  /** Time up to the last of these blocks, in milliseconds. */
  readonly elapsedMillis: number
}

/**
 * Recent throughput.
 */
export interface Speed {
  readonly blocksPerSecond: number
  /** Time until the head of the node is reached at this rate, in milliseconds; `null` while unknown. */
  readonly etaMillis: number | null
}

/**
 * A step of an indexer that the program around it may show.
 */
export type IndexerEvent =
  /** Blocks were stored. `first` is the first indexed block, `head` the last one, `nodeHead` the head of the node. */
  | ({ readonly _tag: "Indexed"; readonly first: number; readonly head: number; readonly nodeHead: number } & Totals &
      Speed)
  /** The index reached the head of the node. */
  | ({ readonly _tag: "Synced"; readonly head: number } & Totals)
  /** The blocks above `to`, up to `from`, were removed; `to` is `null` when all were. */
  | { readonly _tag: "Reorged"; readonly from: BlockRef; readonly to: BlockRef | null }
  /** The indexer cannot go on at present. */
  | { readonly _tag: "Waiting"; readonly message: string }
  /** The indexer cannot go on until an operator changes something. */
  | { readonly _tag: "Misconfigured"; readonly message: string }

/** Severity of a log line. */
export type Level = "Debug" | "Info" | "Warn"

/** Values of a log line, beside its message. */
export type Annotations = Readonly<Record<string, string | number>>

/**
 * What an indexer reports.
 */
export type IndexerReport =
  /** The indexer runs and has the lease; the node has not answered yet. */
  | { readonly _tag: "Started" }
  /** The node answered. `unchecked` names the checks that the chain's hash rules leave out. */
  | { readonly _tag: "Connected"; readonly traces: TraceSource; readonly unchecked: string | null }
  /** Blocks were stored. `first` is the first indexed block, `head` the last one. */
  | {
      readonly _tag: "Indexed"
      readonly first: number
      readonly head: number
      readonly nodeHead: number
      readonly blocks: number
      readonly transactions: number
    }
  /** The index is at the head of the node, or above it where the node lags. */
  | { readonly _tag: "Synced"; readonly head: number; readonly nodeHead: number }
  | { readonly _tag: "Reorged"; readonly from: BlockRef; readonly to: BlockRef | null }
  /** The indexer cannot go on at present. Logged once per `subject`, by default the message; a warning again each minute. */
  | { readonly _tag: "Waiting"; readonly message: string; readonly level?: Level; readonly subject?: string }
  | { readonly _tag: "Misconfigured"; readonly message: string }
  | { readonly _tag: "Stopped" }
  /** A line for the log alone. */
  | { readonly _tag: "Note"; readonly level: Level; readonly message: string; readonly annotations?: Annotations }

/**
 * What changes the tracked state.
 */
export type Input =
  | IndexerReport
  /** The heartbeat interval has passed. */
  | { readonly _tag: "Heartbeat" }

/**
 * What follows from an input, in order.
 */
export type Output =
  | { readonly _tag: "StoreStatus"; readonly status: IndexerStatus }
  | { readonly _tag: "Log"; readonly level: Level; readonly message: string; readonly annotations: Annotations }
  | { readonly _tag: "Emit"; readonly event: IndexerEvent }

interface Progress {
  readonly startedAtMillis: number
  readonly elapsedMillis: number
  readonly blocks: number
  readonly transactions: number
  readonly blocksLeft: number
  readonly throughput: Throughput.Throughput
}

/**
 * State of the tracker. Instants are in milliseconds since 1970.
 */
export interface StatusTracker {
  /** Time between two polls of the node's head, in milliseconds. */
  readonly pollMillis: number
  /** The last status. */
  readonly status: IndexerStatus
  /** This indexer has written a status. */
  readonly isWritten: boolean
  /** When the status was last written. */
  readonly writtenAtMillis: number
  /** When the indexer last reported something; heartbeats do not count. */
  readonly reportedAtMillis: number
  /** When the node last answered a poll. */
  readonly polledAtMillis: number
  /** What the last `Waiting` or `Misconfigured` was about; `null` before one. */
  readonly subject: string | null
  /** When that was last logged. */
  readonly obstacleLoggedAtMillis: number
  /** The tracer reported in this run; `null` before the node's first answer. */
  readonly tracer: TraceSource | null
  readonly nodeHead: number | null
  readonly unchecked: string | null
  /** Head of the last `Synced` event; `null` after a reorg. */
  readonly syncedHead: number | null
  /** When progress was last logged. */
  readonly loggedAtMillis: number
  readonly progress: Progress
}

/** Time after which an unchanged status is written again. */
export const heartbeatMillis = 5_000
/** Time without an answer of the node after which a synced indexer reports that it waits. */
const unansweredMillis = 15_000
const statusMillis = 1_000
const logMillis = 5_000
/** Time after which an obstacle that lasts is logged again. */
const reminderMillis = 60_000
/** Blocks behind the head of the node up to which an index counts as synced. */
const behindBlocks = 16

const startProgress = (startMillis: number): Progress => ({
  startedAtMillis: startMillis,
  elapsedMillis: 0,
  blocks: 0,
  transactions: 0,
  blocksLeft: 0,
  throughput: Throughput.make(startMillis),
})

/**
 * Makes the tracker of an indexer that has not reported yet. `before` is the status that the store holds.
 */
export const make = (options: {
  readonly pollMillis: number
  readonly before: IndexerStatus | null
}): StatusTracker => ({
  pollMillis: options.pollMillis,
  status: options.before ?? { state: "waiting", traces: null, nodeHead: null, message: "" },
  isWritten: false,
  writtenAtMillis: 0,
  reportedAtMillis: 0,
  polledAtMillis: 0,
  subject: null,
  obstacleLoggedAtMillis: 0,
  tracer: null,
  nodeHead: null,
  unchecked: null,
  syncedHead: null,
  loggedAtMillis: 0,
  progress: startProgress(0),
})

type Transition = readonly [state: StatusTracker, outputs: ReadonlyArray<Output>]

const log = (level: Level, message: string, annotations: Annotations = {}): Output => ({
  _tag: "Log",
  level,
  message,
  annotations,
})

const emit = (event: IndexerEvent): Output => ({ _tag: "Emit", event })

const totalsOf = ({ blocks, elapsedMillis, transactions }: Progress): Totals => ({
  blocks,
  transactions,
  elapsedMillis,
})

const speedOf = ({ blocksLeft, throughput }: Progress, now: number): Speed => {
  const blocksPerSecond = Throughput.perSecond(throughput, now)
  return { blocksPerSecond, etaMillis: Throughput.etaMillis(blocksPerSecond, blocksLeft) }
}

/** Throughput as the status holds it: left out at rate 0. */
const speedFields = (progress: Progress, now: number) => {
  const { blocksPerSecond, etaMillis } = speedOf(progress, now)
  if (blocksPerSecond === 0) return {}
  const eta = progress.blocksLeft === 0 || etaMillis === null ? {} : { etaMillis }
  return { blocksPerSecond: Math.round(blocksPerSecond * 100) / 100, ...eta }
}

const put = (state: StatusTracker, name: IndexerStatus["state"], message: string, now: number): Transition => {
  const { nodeHead, progress, unchecked } = state
  const status: IndexerStatus = {
    state: name,
    traces: state.tracer ?? state.status.traces,
    nodeHead,
    message,
    ...speedFields(progress, now),
    ...(unchecked === null ? {} : { unchecked }),
  }
  return [{ ...state, status, isWritten: true, writtenAtMillis: now }, [{ _tag: "StoreStatus", status }]]
}

const isNews = ({ isWritten, status, tracer }: StatusTracker, name: IndexerStatus["state"]): boolean =>
  !isWritten || name !== status.state || (tracer !== null && tracer !== status.traces)

/** Writes the status at once when it is news; a changed one once a second, an unchanged one as a heartbeat. */
const write = (state: StatusTracker, name: IndexerStatus["state"], message: string, now: number): Transition => {
  const { nodeHead, status } = state
  const age = now - state.writtenAtMillis
  const isChanged = name === "backfill" || nodeHead !== status.nodeHead || message !== status.message
  const isDue = (isChanged && (name === "synced" || age >= statusMillis)) || age >= heartbeatMillis
  return isNews(state, name) || isDue ? put(state, name, message, now) : [state, []]
}

interface Obstacle {
  readonly state: "waiting" | "misconfigured"
  readonly message: string
  readonly subject: string
  readonly level: Level
}

const obstructed = (before: StatusTracker, obstacle: Obstacle, now: number): Transition => {
  const { level, message, state: name, subject } = obstacle
  const isRepeated = before.status.state === name && before.subject === subject
  const isReminder = isRepeated && level === "Warn" && now - before.obstacleLoggedAtMillis >= reminderMillis
  const state = {
    ...before,
    subject,
    obstacleLoggedAtMillis: isRepeated && !isReminder ? before.obstacleLoggedAtMillis : now,
  }
  if (isRepeated) {
    const [written, outputs] = write(state, name, message, now)
    return [written, isReminder ? [...outputs, log(level, message)] : outputs]
  }
  const [next, outputs] = put(state, name, message, now)
  const event = emit({ _tag: name === "waiting" ? "Waiting" : "Misconfigured", message })
  return [next, [...outputs, log(level, message), event]]
}

const connected = (
  before: StatusTracker,
  report: IndexerReport & { readonly _tag: "Connected" },
  now: number,
): Transition => {
  const { traces, unchecked } = report
  const state = { ...before, polledAtMillis: now }
  if (traces === before.tracer) return [state, []]
  const tracer = log("Info", traces === "off" ? "No internal transactions: no tracer, or traces are off" : "Tracer", {
    traces,
  })
  if (before.tracer !== null) return [{ ...state, tracer: traces }, [tracer]]
  const skipped = unchecked === null ? [] : [log("Info", "Checks left out by the chain's hash rules", { unchecked })]
  return [
    { ...state, tracer: traces, unchecked, progress: startProgress(now), loggedAtMillis: now },
    [...skipped, tracer],
  ]
}

/** Progress that the next blocks add to: a new backfill counts from its beginning, and a pause is no part of the throughput. */
const resume = ({ polledAtMillis, progress, status }: StatusTracker, isBehind: boolean): Progress => {
  if (status.state === "backfill" || (status.state === "synced" && !isBehind)) return progress
  return status.state === "synced"
    ? startProgress(polledAtMillis)
    : { ...progress, throughput: Throughput.make(polledAtMillis) }
}

const indexed = (
  before: StatusTracker,
  report: IndexerReport & { readonly _tag: "Indexed" },
  now: number,
): Transition => {
  const { blocks, first, head, nodeHead, transactions } = report
  const blocksLeft = Math.max(0, nodeHead - head)
  const isBehind = blocksLeft > behindBlocks
  const last = resume(before, isBehind)
  const progress: Progress = {
    startedAtMillis: last.startedAtMillis,
    elapsedMillis: now - last.startedAtMillis,
    blocks: last.blocks + blocks,
    transactions: last.transactions + transactions,
    blocksLeft,
    throughput: Throughput.add(last.throughput, now, blocks),
  }
  const state = { ...before, nodeHead, progress }
  const speed = speedOf(progress, now)
  const event = emit({ _tag: "Indexed", first, head, nodeHead, ...totalsOf(progress), ...speed })
  if (blocksLeft === 0 || (state.status.state === "synced" && !isBehind)) return [state, [event]]
  const [written, outputs] = write(state, "backfill", "Indexing blocks below the head of the node.", now)
  if (now - state.loggedAtMillis < logMillis) return [written, [event, ...outputs]]
  const line = log("Info", "Backfill", {
    block: head,
    nodeHead,
    blocks: progress.blocks,
    transactions: progress.transactions,
    blocksPerSecond: Math.round(speed.blocksPerSecond),
    ...(speed.etaMillis === null ? {} : { timeLeft: Throughput.formatMillis(speed.etaMillis) }),
  })
  return [{ ...written, loggedAtMillis: now }, [event, ...outputs, line]]
}

const synced = (
  before: StatusTracker,
  report: IndexerReport & { readonly _tag: "Synced" },
  now: number,
): Transition => {
  const { head, nodeHead } = report
  const state = { ...before, nodeHead, progress: { ...before.progress, blocksLeft: 0 } }
  const isNew = isNews(state, "synced")
  const message = head > nodeHead ? "The node lags behind the index." : "In sync with the head of the node."
  const [written, outputs] = write(state, "synced", message, now)
  if (head === before.syncedHead && !isNew) return [written, outputs]
  const totals = totalsOf(state.progress)
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

const reorged = (state: StatusTracker, { from, to }: IndexerReport & { readonly _tag: "Reorged" }): Transition => [
  { ...state, syncedHead: null },
  [
    to === null
      ? log("Info", "Reorg: removed all blocks", { from: from.number })
      : log("Info", "Reorg: removed blocks", { blocks: from.number - to.number, from: from.number, to: to.number }),
    emit({ _tag: "Reorged", from, to }),
  ],
]

const heartbeat = (state: StatusTracker, now: number): Transition => {
  if (!state.isWritten || now - state.writtenAtMillis < heartbeatMillis / 2) return [state, []]
  const silence = now - state.reportedAtMillis
  if (state.status.state !== "synced" || silence <= unansweredMillis + state.pollMillis) {
    return put(state, state.status.state, state.status.message, now)
  }
  const message = `The node has not answered for ${Math.round(silence / 1000)} s.`
  return obstructed(state, { state: "waiting", message, subject: "no answer", level: "Warn" }, now)
}

const stopped = (state: StatusTracker, now: number): Transition => {
  if (!state.isWritten) return [state, []]
  const { message, state: name } = state.status
  const before = name === "misconfigured" || name === "waiting" ? ` Last status: ${message}` : ""
  return put(state, "stopped", `The indexer was stopped. Start it again with "daybook serve".${before}`, now)
}

const reported = (state: StatusTracker, report: IndexerReport, now: number): Transition => {
  switch (report._tag) {
    case "Started":
      return write(state, "waiting", "The indexer has started; the node has not answered yet.", now)
    case "Connected":
      return connected(state, report, now)
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
 * Applies an input at an instant in milliseconds since 1970.
 */
export const step = (state: StatusTracker, input: Input, now: number): Transition => {
  switch (input._tag) {
    case "Heartbeat":
      return heartbeat(state, now)
    default:
      return reported({ ...state, reportedAtMillis: now }, input, now)
  }
}
