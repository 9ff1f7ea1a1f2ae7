/**
 * Progress of an indexer below the first block of its index, for its status, log lines and events. Pure.
 */
import * as AppliedSettings from "../store/AppliedSettings.ts"
import type { IndexerReport } from "./IndexerReport.ts"
import * as Progress from "./Progress.ts"
import * as Throughput from "./Throughput.ts"
import { counted, emit, log, put, type TrackerState, type Transition } from "./TrackerState.ts"

const logMillis = 5_000
/** Interval at which a persistent obstacle is logged again. */
const reminderMillis = 60_000

/**
 * Reports of an indexer about the blocks below the first one.
 */
export type BelowReport = Extract<
  IndexerReport,
  { readonly _tag: "StartsBelow" | "Prepending" | "Prepended" | "PrependObstructed" }
>

const republish = (state: TrackerState, now: number): Transition =>
  state.isWritten ? put(state, state.status.state, state.status.message, now) : [state, []]

const startsBelow = (
  before: TrackerState,
  { first, to }: { readonly first: number; readonly to: number },
  now: number,
): Transition => {
  const state = { ...before, prepend: { to, progress: Progress.start(now), issue: null, loggedAtMillis: now } }
  const message = "Blocks below the first one are indexed while the index is at the head of the node"
  return [state, [log("Info", message, { first, to })]]
}

const prepending = (
  before: TrackerState,
  { first, to }: { readonly first: number; readonly to: number },
  now: number,
): Transition => {
  const settings = AppliedSettings.prepend(before.settings, first)
  const prepend = { ...(before.prepend ?? { issue: null, loggedAtMillis: now }), to, progress: Progress.start(now) }
  return republish({ ...before, settings, prepend }, now)
}

const prepended = (
  before: TrackerState,
  report: BelowReport & { readonly _tag: "Prepended" },
  now: number,
): Transition => {
  const { first, to } = report
  const counts = counted(before, { blocks: report.blocks, transactions: report.transactions })
  const { loggedAtMillis = now, progress: last = Progress.start(now) } = before.prepend ?? {}
  const progress = Progress.add(last, now, report)
  const speed = Progress.speed(progress, now, first - to, 0)
  const event = emit({ _tag: "Prepended", first, to, ...Progress.totals(progress), ...speed })
  const { blocks, transactions } = progress
  if (first <= to) {
    const [state, outputs] = republish({ ...before, ...counts, prepend: null }, now)
    const elapsed = `${(progress.elapsedMillis / 1000).toFixed(1)} s`
    return [
      state,
      [
        event,
        ...outputs,
        log("Info", "Indexed the blocks below the first one", { first, blocks, transactions, elapsed }),
      ],
    ]
  }
  const isDue = now - loggedAtMillis >= logMillis
  const prepend = { to, progress, issue: null, loggedAtMillis: isDue ? now : loggedAtMillis }
  const [state, outputs] = republish({ ...before, ...counts, prepend }, now)
  if (!isDue) return [state, [event, ...outputs]]
  const line = log("Info", "Indexing blocks below the first one", {
    first,
    to,
    left: first - to,
    blocks,
    transactions,
    blocksPerSecond: Math.round(speed.blocksPerSecond),
    timeLeft: speed.etaMillis === null ? undefined : Throughput.formatMillis(speed.etaMillis),
  })
  return [state, [event, ...outputs, line]]
}

const obstructed = (before: TrackerState, message: string, now: number): Transition => {
  if (before.prepend === null) return [before, []]
  const isKnown = before.prepend.issue === message && now - before.prepend.loggedAtMillis < reminderMillis
  const loggedAtMillis = isKnown ? before.prepend.loggedAtMillis : now
  const [state, outputs] = republish({ ...before, prepend: { ...before.prepend, issue: message, loggedAtMillis } }, now)
  return [
    state,
    isKnown ? outputs : [...outputs, log("Warn", `Blocks below the first one cannot be indexed: ${message}`)],
  ]
}

/**
 * Applies a report at an instant of the monotonic clock, in milliseconds.
 */
export const step = (state: TrackerState, report: BelowReport, now: number): Transition => {
  switch (report._tag) {
    case "StartsBelow":
      return startsBelow(state, report, now)
    case "Prepending":
      return prepending(state, report, now)
    case "Prepended":
      return prepended(state, report, now)
    case "PrependObstructed":
      return obstructed(state, report.message, now)
  }
}
