/**
 * How long to wait after a failure before the same is tried again: long for what the nodes would answer again, so that they get few
 * calls for nothing. Pure.
 */
import * as Backoff from "@daybook/transport/internal/Backoff"
import type { TurnError } from "./IndexerTurn.ts"

const firstDelayMillis = 50
/** Longest delay while the node does not return its head, or no node can trace. */
const busyDelayMillis = 15_000
/** Longest delay after a failure that the node repeats: each attempt is several calls. Without its block, it is two. */
const refusedDelayMillis = 60_000

/** Failures after which a cause that may pass by itself is reported. */
export const toleratedFailures = 3

/** Longest delay after a failure; `maxDelayMillis` is that of the database or of a connection. */
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
 * Delay after so many failures in a row, in milliseconds.
 */
export const delayAfter = (error: TurnError, failures: number, maxDelayMillis: number): number => {
  const maxMillis = longestOf(error, maxDelayMillis)
  const delayMillis = Backoff.delayMillis({ firstMillis: firstDelayMillis, maxMillis }, failures)
  // A delay of most of a minute would allow two attempts within one.
  return maxMillis === refusedDelayMillis && delayMillis > maxMillis / 2 ? maxMillis : delayMillis
}
