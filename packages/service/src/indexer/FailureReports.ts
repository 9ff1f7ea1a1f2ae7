/** Decides how the failure of a turn is reported: a possibly transient failure is first noted, then reported if it persists. Pure. */
import type { BlockNotFound } from "../fetch/BlockNotFound.ts"
import type { NodeFailed } from "../node/NodeError.ts"
import type { InvalidBlock } from "../verification/InvalidBlock.ts"
import * as FailureDelay from "./FailureDelay.ts"
import type { IndexerReport } from "./IndexerReport.ts"
import type { TurnError } from "./IndexerTurn.ts"

type Reports = ReadonlyArray<IndexerReport>

/** Report of a node failure, including the remedy once it persists. */
const nodeReport = ({ advice, isMisconfigured, message, subject }: NodeFailed, isTolerated: boolean): IndexerReport => {
  const whole = advice === undefined || isTolerated ? message : `${message} ${advice}`
  if (isMisconfigured) return { _tag: "Misconfigured", message: whole }
  return { _tag: "Waiting", message: whole, subject }
}

/** A block that is missing at all nodes or invalid may be due to a reorg in progress, so the first failures are only noted. */
const blockReports = (error: BlockNotFound | InvalidBlock, isTolerated: boolean): Reports => {
  const { message } = error
  const isPruned = error._tag === "BlockNotFound" && error.hosts !== undefined
  const note: IndexerReport = { _tag: "Note", level: "Debug", message }
  return isTolerated ? [note] : [note, { _tag: isPruned ? "Misconfigured" : "Waiting", message }]
}

/** Reports of a failure, given the number of consecutive failures including this one. */
export const of = (error: TurnError, failures: number): Reports => {
  const { message } = error
  const isTolerated = failures <= FailureDelay.toleratedFailures
  switch (error._tag) {
    case "WrongChain":
    case "FinalBlocksDiffer":
      return [{ _tag: "Misconfigured", message }]
    case "TracerLost":
      return [{ _tag: "Waiting", message }]
    case "NodeFailed":
      return [nodeReport(error, isTolerated)]
    case "BlockNotFound":
    case "InvalidBlock":
      return blockReports(error, isTolerated)
    case "CheckpointConflict":
    case "LeaseLost":
      return [{ _tag: "Note", level: "Info", message }]
    case "StoreError":
      return [isTolerated ? { _tag: "Note", level: "Warn", message } : { _tag: "Waiting", message }]
  }
}
