/**
 * Delay before a failed turn is retried: long if the nodes would give the same answer again, so that they get few useless calls. Pure.
 */
import * as Backoff from "@daybook/transport/internal/Backoff"
import type { TurnError } from "./IndexerTurn.ts"

const firstDelayMillis = 50
/** Longest delay while the node does not return its head, or no node can trace. */
const busyDelayMillis = 15_000
/** Longest delay after a failure that the node repeats, since each attempt takes several calls (two if the node lacks the block). */
const refusedDelayMillis = 60_000

/** Number of failures after which a possibly transient cause is reported. */
export const toleratedFailures = 3

/** Longest delay after a failure; `maxDelayMillis` applies to the database and to connections. */
const longestOf = (error: TurnError, maxDelayMillis: number): number => {
  switch (error._tag) {
    case "BlockNotFound":
      return error.what === "block" ? busyDelayMillis : refusedDelayMillis
    case "FinalBlocksDiffer":
    case "InvalidBlock":
    case "WrongChain":
      return refusedDelayMillis
    case "TracerLost":
      return busyDelayMillis
    case "NodeFailed":
      return { soon: maxDelayMillis, later: busyDelayMillis, rarely: refusedDelayMillis }[error.pace]
    default:
      return maxDelayMillis
  }
}

/**
 * Delay after a number of consecutive failures, in milliseconds.
 */
export const delayAfter = (error: TurnError, failures: number, maxDelayMillis: number): number => {
  const maxMillis = longestOf(error, maxDelayMillis)
  const delayMillis = Backoff.delayMillis({ firstMillis: firstDelayMillis, maxMillis }, failures)
  // A delay of nearly a minute would allow two attempts within one minute.
  return maxMillis === refusedDelayMillis && delayMillis > maxMillis / 2 ? maxMillis : delayMillis
}
