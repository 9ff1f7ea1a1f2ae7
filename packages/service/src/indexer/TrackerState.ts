/**
 * State of a status tracker, and how it becomes the status that readers see: when it is written, and what it contains. Pure.
 */
import type { TraceSource } from "../block/Traces.ts"
import type { AppliedSettings as Applied, IndexerCounts, IndexerStatus, PastProgress } from "../store/StatusBoard.ts"
import * as AppliedSettings from "../store/AppliedSettings.ts"
import type { IndexerEvent, Speed } from "./IndexerEvent.ts"
import type { Annotations, Level } from "./IndexerReport.ts"
import * as NodeHead from "./NodeHead.ts"
import * as Progress from "./Progress.ts"
import * as Throughput from "./Throughput.ts"

/**
 * Outputs of an input, in order.
 */
export type Output =
  | { readonly _tag: "StoreStatus"; readonly status: IndexerStatus }
  | { readonly _tag: "Log"; readonly level: Level; readonly message: string; readonly annotations: Annotations }
  | { readonly _tag: "Emit"; readonly event: IndexerEvent }

/**
 * State of the tracker. Instants are in milliseconds of a monotonic clock.
 */
export interface TrackerState {
  /** Interval between polls of the node's head, in milliseconds. */
  readonly pollMillis: number
  /** The last status. */
  readonly status: IndexerStatus
  /** Whether this indexer has written a status. */
  readonly isWritten: boolean
  /** When the status was last written. */
  readonly writtenAtMillis: number
  /** When the indexer last reported something; heartbeats do not count. */
  readonly reportedAtMillis: number
  /** Subject of the last `Waiting` or `Misconfigured`; `null` before the first. */
  readonly subject: string | null
  /** When that was last logged. */
  readonly obstacleLoggedAtMillis: number
  /** When an obstacle last stopped a running indexer. */
  readonly obstructedAtMillis: number
  /** The tracer reported in this run; `null` before the node's first response. */
  readonly tracer: TraceSource | null
  readonly unchecked: string | null
  /** What the nodes do not offer; `null` for nothing. */
  readonly lacking: string | null
  /** Settings with which blocks were indexed. */
  readonly settings: Applied
  readonly startNote: string | null
  /** Head of the node; `null` before the first poll. */
  readonly nodeHead: NodeHead.NodeHead | null
  /** Last indexed block; `null` if unknown. */
  readonly indexedHead: number | null
  /** Head of the last `Synced` event; `null` after a reorg. */
  readonly syncedHead: number | null
  /** When progress was last logged. */
  readonly loggedAtMillis: number
  readonly progress: Progress.Progress
  /** Counters of this indexer. */
  readonly counts: IndexerCounts
  /** Search of added wallets' past; `null` for none. */
  readonly past: PastProgress | null
  /** Blocks below the first one that are yet to be indexed, down to `to`; `null` for none. */
  readonly prepend: {
    readonly to: number
    readonly progress: Progress.Progress
    /** Why none can be indexed at present; `null` if there is no obstacle. */
    readonly issue: string | null
    /** When progress or the issue was last logged. */
    readonly loggedAtMillis: number
  } | null
}

/** Time after which an unchanged status is written again. */
export const heartbeatMillis = 5_000
/** Time without a response of the node after which a running indexer reports that it waits. */
export const unansweredMillis = 15_000
const statusMillis = 1_000
/** Time after which an unmoved head is reported as seen again; soon afterwards, readers consider it unknown (`Status.latePollMillis`). */
const headMillis = 2_000

/**
 * Makes the tracker of an indexer that has not reported yet. `before` is the stored status.
 */
export const make = (options: {
  readonly pollMillis: number
  readonly before: IndexerStatus | null
}): TrackerState => ({
  pollMillis: options.pollMillis,
  status: options.before ?? { state: "waiting", traces: null, nodeHead: null, message: "" },
  isWritten: false,
  writtenAtMillis: 0,
  reportedAtMillis: 0,
  subject: null,
  obstructedAtMillis: 0,
  obstacleLoggedAtMillis: 0,
  tracer: null,
  unchecked: null,
  lacking: null,
  settings: options.before?.settings ?? AppliedSettings.fromTraces(options.before?.traces ?? null),
  startNote: null,
  nodeHead: null,
  indexedHead: null,
  syncedHead: null,
  loggedAtMillis: 0,
  progress: Progress.start(0),
  counts: { blocks: 0, transactions: 0, reorgs: 0, obstacles: 0 },
  past: null,
  prepend: null,
})

/**
 * Counters increased by others.
 */
export const counted = ({ counts }: TrackerState, more: Partial<IndexerCounts>): Pick<TrackerState, "counts"> => {
  const { blocks = 0, obstacles = 0, reorgs = 0, transactions = 0 } = more
  return {
    counts: {
      blocks: counts.blocks + blocks,
      transactions: counts.transactions + transactions,
      reorgs: counts.reorgs + reorgs,
      obstacles: counts.obstacles + obstacles,
    },
  }
}

/**
 * The next state, and the outputs of an input.
 */
export type Transition = readonly [state: TrackerState, outputs: ReadonlyArray<Output>]

/**
 * Applies a second transition to the result of one.
 */
export const chain = ([state, outputs]: Transition, then: (state: TrackerState) => Transition): Transition => {
  const [next, more] = then(state)
  return [next, [...outputs, ...more]]
}

/**
 * A log line.
 */
export const log = (level: Level, message: string, annotations: Annotations = {}): Output => ({
  _tag: "Log",
  level,
  message,
  annotations,
})

/**
 * An event.
 */
export const emit = (event: IndexerEvent): Output => ({ _tag: "Emit", event })

/**
 * True for the states of an indexer that follows its node.
 */
export const isRunning = ({ state }: IndexerStatus): boolean => state === "backfill" || state === "synced"

/** Number of blocks up to the head of the node. */
export const blocksLeft = ({ indexedHead, nodeHead }: TrackerState): number =>
  indexedHead === null || nodeHead === null ? 0 : Math.max(0, nodeHead.number - indexedHead)

/**
 * Throughput at an instant, and the remaining time.
 */
export const speedOf = (state: TrackerState, now: number): Speed =>
  Progress.speed(state.progress, now, blocksLeft(state), NodeHead.perSecond(state.nodeHead, now))

/** A rate in the form of the status; `undefined` if it rounds to 0. */
const rounded = (perSecond: number): number | undefined => Math.round(perSecond * 100) / 100 || undefined

/** The head in the form of the status: unknown if the last poll was too long ago. */
const headFields = ({ nodeHead, pollMillis }: TrackerState, now: number) => {
  if (nodeHead === null) return { nodeHead: null }
  const headAgeMillis = Math.round(NodeHead.ageMillis(nodeHead, now))
  return headAgeMillis > unansweredMillis + pollMillis
    ? { nodeHead: null }
    : { nodeHead: nodeHead.number, headAgeMillis, pollMillis }
}

/** Progress below the first block in the form of the status. */
const prependStatus = ({ prepend }: TrackerState, now: number): IndexerStatus["prepend"] =>
  prepend === null
    ? undefined
    : {
        to: prepend.to,
        blocksPerSecond: rounded(Throughput.perSecond(prepend.progress.throughput, now)),
        issue: prepend.issue ?? undefined,
      }

/**
 * Writes the status.
 */
export const put = (state: TrackerState, name: IndexerStatus["state"], message: string, now: number): Transition => {
  const { counts, lacking, nodeHead, progress, settings, startNote, unchecked } = state
  const status: IndexerStatus = {
    state: name,
    traces: state.tracer ?? state.status.traces,
    message,
    ...headFields(state, now),
    prepend: prependStatus(state, now),
    past: state.past ?? undefined,
    blocksPerSecond: rounded(Throughput.perSecond(progress.throughput, now)),
    headBlocksPerSecond: rounded(NodeHead.perSecond(nodeHead, now)),
    unchecked: unchecked ?? undefined,
    lacking: lacking ?? undefined,
    settings: settings.length === 0 ? undefined : settings,
    startNote: startNote ?? undefined,
    counts,
  }
  return [{ ...state, status, isWritten: true, writtenAtMillis: now }, [{ _tag: "StoreStatus", status }]]
}

/**
 * True for a state that readers must see at once.
 */
export const isNews = ({ isWritten, status, tracer }: TrackerState, name: IndexerStatus["state"]): boolean =>
  !isWritten || name !== status.state || (tracer !== null && tracer !== status.traces)

/**
 * Writes the status: at once when it is news or reaches the head, a changed status once a second, an unchanged one as a heartbeat or before
 * its head becomes stale.
 */
export const write = (state: TrackerState, name: IndexerStatus["state"], message: string, now: number): Transition => {
  const { nodeHead, status } = state
  const age = now - state.writtenAtMillis
  const hasNewHead = (nodeHead?.number ?? null) !== status.nodeHead && (name === "synced" || name === "backfill")
  const isChanged = name === "backfill" || message !== status.message
  const isSeen = name === "synced" && age >= headMillis
  const isDue = hasNewHead || isSeen || (isChanged && age >= statusMillis) || age >= heartbeatMillis
  return isNews(state, name) || isDue ? put(state, name, message, now) : [state, []]
}
