/**
 * State and progress of one indexer, derived from its reports: which status readers see, which events and log lines follow. Pure;
 * `StatusReporter` carries out the outputs. No output holds a key or a URL.
 *
 * Each status, event and log line is made from one state, so that its numbers and words belong to the same instant.
 */
import type { TraceSource } from "../node/Node.ts"
import type { IndexerStatus } from "../store/StatusBoard.ts"
import type { IndexerEvent, Speed } from "./IndexerEvent.ts"
import type { Annotations, IndexerReport, Level } from "./IndexerReport.ts"
import * as NodeHead from "./NodeHead.ts"
import * as Progress from "./Progress.ts"
import * as Throughput from "./Throughput.ts"

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

/**
 * State of the tracker. Instants are in milliseconds of a monotonic clock.
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
  /** What the last `Waiting` or `Misconfigured` was about; `null` before one. */
  readonly subject: string | null
  /** When that was last logged. */
  readonly obstacleLoggedAtMillis: number
  /** The tracer reported in this run; `null` before the node's first answer. */
  readonly tracer: TraceSource | null
  readonly unchecked: string | null
  /** What the nodes do not offer; `null` for nothing. */
  readonly lacking: string | null
  /** Head of the node; `null` before the first poll. */
  readonly nodeHead: NodeHead.NodeHead | null
  /** Last indexed block; `null` while it is unknown. */
  readonly indexedHead: number | null
  /** Head of the last `Synced` event; `null` after a reorg. */
  readonly syncedHead: number | null
  /** When progress was last logged. */
  readonly loggedAtMillis: number
  readonly progress: Progress.Progress
}

/** Time after which an unchanged status is written again. */
export const heartbeatMillis = 5_000
/** Time without an answer of the node after which an indexer at work reports that it waits. */
const unansweredMillis = 15_000
const statusMillis = 1_000
const logMillis = 5_000
/** Time after which an obstacle that lasts is logged again. */
const reminderMillis = 60_000
/** Blocks behind the head of the node up to which an index counts as synced. */
const behindBlocks = 16

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
  subject: null,
  obstacleLoggedAtMillis: 0,
  tracer: null,
  unchecked: null,
  lacking: null,
  nodeHead: null,
  indexedHead: null,
  syncedHead: null,
  loggedAtMillis: 0,
  progress: Progress.start(0),
})

type Transition = readonly [state: StatusTracker, outputs: ReadonlyArray<Output>]

const log = (level: Level, message: string, annotations: Annotations = {}): Output => ({
  _tag: "Log",
  level,
  message,
  annotations,
})

const emit = (event: IndexerEvent): Output => ({ _tag: "Emit", event })

const isRunning = ({ state }: IndexerStatus): boolean => state === "backfill" || state === "synced"

/** Blocks up to the head of the node. */
const blocksLeft = ({ indexedHead, nodeHead }: StatusTracker): number =>
  indexedHead === null || nodeHead === null ? 0 : Math.max(0, nodeHead.number - indexedHead)

const speedOf = (state: StatusTracker, now: number): Speed =>
  Progress.speed(state.progress, now, blocksLeft(state), NodeHead.perSecond(state.nodeHead, now))

const rounded = (perSecond: number): number => Math.round(perSecond * 100) / 100

/** A rate as the status holds it: left out at 0. */
const rate = <Name extends string>(name: Name, perSecond: number) =>
  rounded(perSecond) === 0 ? {} : ({ [name]: rounded(perSecond) } as { readonly [N in Name]: number })

/** The head as the status holds it: unknown when the last poll was too long ago. */
const headFields = ({ nodeHead, pollMillis }: StatusTracker, now: number) => {
  if (nodeHead === null) return { nodeHead: null }
  const headAgeMillis = Math.round(NodeHead.ageMillis(nodeHead, now))
  return headAgeMillis > unansweredMillis + pollMillis
    ? { nodeHead: null }
    : { nodeHead: nodeHead.number, headAgeMillis }
}

const put = (state: StatusTracker, name: IndexerStatus["state"], message: string, now: number): Transition => {
  const { lacking, nodeHead, progress, unchecked } = state
  const status: IndexerStatus = {
    state: name,
    traces: state.tracer ?? state.status.traces,
    message,
    ...headFields(state, now),
    ...rate("blocksPerSecond", Throughput.perSecond(progress.throughput, now)),
    ...rate("headBlocksPerSecond", NodeHead.perSecond(nodeHead, now)),
    ...(unchecked === null ? {} : { unchecked }),
    ...(lacking === null ? {} : { lacking }),
  }
  return [{ ...state, status, isWritten: true, writtenAtMillis: now }, [{ _tag: "StoreStatus", status }]]
}

const isNews = ({ isWritten, status, tracer }: StatusTracker, name: IndexerStatus["state"]): boolean =>
  !isWritten || name !== status.state || (tracer !== null && tracer !== status.traces)

/** Writes the status at once when it is news, as a head is at work; a changed one once a second, an unchanged one as a heartbeat. */
const write = (state: StatusTracker, name: IndexerStatus["state"], message: string, now: number): Transition => {
  const { nodeHead, status } = state
  const age = now - state.writtenAtMillis
  const hasNewHead = (nodeHead?.number ?? null) !== status.nodeHead && (name === "synced" || name === "backfill")
  const isChanged = name === "backfill" || message !== status.message
  const isDue = hasNewHead || (isChanged && age >= statusMillis) || age >= heartbeatMillis
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
  { lacking = null, traces, unchecked }: IndexerReport & { readonly _tag: "Connected" },
  now: number,
): Transition => {
  if (lacking !== before.lacking) {
    const noted = lacking === null ? [] : [log("Info", "The node does not offer everything", { lacking })]
    const [next, outputs] = connected({ ...before, lacking }, { _tag: "Connected", traces, unchecked, lacking }, now)
    return [next, [...noted, ...outputs]]
  }
  if (traces === before.tracer) return [before, []]
  const tracer = log("Info", traces === "off" ? "No internal transactions: no tracer, or traces are off" : "Tracer", {
    traces,
  })
  if (before.tracer !== null) return [{ ...before, tracer: traces }, [tracer]]
  const skipped = unchecked === null ? [] : [log("Info", "Checks left out by the chain's hash rules", { unchecked })]
  return [
    { ...before, tracer: traces, unchecked, progress: Progress.start(now), loggedAtMillis: now },
    [...skipped, tracer],
  ]
}

const backfillMessage = "Indexing blocks below the head of the node."

const headSeen = (
  before: StatusTracker,
  { isExtending = false, nodeHead: number }: IndexerReport & { readonly _tag: "HeadSeen" },
  now: number,
): Transition => {
  const state = { ...before, nodeHead: NodeHead.seen(before.nodeHead, number, now) }
  const { message, state: name } = before.status
  if (!before.isWritten) return [state, []]
  if (name === "synced" && blocksLeft(state) > behindBlocks) {
    return write({ ...state, progress: Progress.start(now) }, "backfill", backfillMessage, now)
  }
  if (isRunning(before.status)) return write(state, name, message, now)
  // Blocks are fetched, and nothing was in the way so far.
  const isStarting = isExtending && before.subject === null
  return isStarting ? write(state, "backfill", backfillMessage, now) : [state, []]
}

/** Progress that the next blocks add to. */
const advance = ({ nodeHead, progress, status }: StatusTracker, now: number): Progress.Progress => {
  if (status.state === "backfill") return progress
  const since = nodeHead?.seenAtMillis ?? now
  return status.state === "synced" ? Progress.follow(progress, since) : Progress.resume(progress, since)
}

const indexed = (
  before: StatusTracker,
  report: IndexerReport & { readonly _tag: "Indexed" },
  now: number,
): Transition => {
  const { first, head } = report
  const progress = Progress.add(advance(before, now), now, report)
  const state = { ...before, indexedHead: head, progress }
  const nodeHead = state.nodeHead?.number ?? head
  const left = blocksLeft(state)
  const speed = speedOf(state, now)
  const event = emit({ _tag: "Indexed", first, head, nodeHead, ...Progress.totals(progress), ...speed })
  if (left === 0 || (state.status.state === "synced" && left <= behindBlocks)) return [state, [event]]
  const [written, outputs] = write(state, "backfill", backfillMessage, now)
  if (now - state.loggedAtMillis < logMillis) return [written, [event, ...outputs]]
  const line = log("Info", "Backfill", {
    block: head,
    nodeHead,
    lag: left,
    blocks: progress.blocks,
    transactions: progress.transactions,
    blocksPerSecond: Math.round(speed.blocksPerSecond),
    ...(speed.etaMillis === null ? {} : { timeLeft: Throughput.formatMillis(speed.etaMillis) }),
  })
  return [{ ...written, loggedAtMillis: now }, [event, ...outputs, line]]
}

const synced = (
  before: StatusTracker,
  { head }: IndexerReport & { readonly _tag: "Synced" },
  now: number,
): Transition => {
  const state = { ...before, indexedHead: head, progress: Progress.end(before.progress) }
  const nodeHead = state.nodeHead?.number ?? head
  const isNew = isNews(state, "synced")
  const message = head > nodeHead ? "The node lags behind the index." : "In sync with the head of the node."
  const [written, outputs] = write(state, "synced", message, now)
  if (head === before.syncedHead && !isNew) return [written, outputs]
  const totals = Progress.totals(state.progress)
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
  { ...state, syncedHead: null, indexedHead: to?.number ?? null },
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
  if (!isRunning(state.status) || silence <= unansweredMillis + state.pollMillis) {
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
export const step = (state: StatusTracker, input: Input, now: number): Transition => {
  switch (input._tag) {
    case "Heartbeat":
      return heartbeat(state, now)
    default:
      return reported({ ...state, reportedAtMillis: now }, input, now)
  }
}
