/**
 * Keeps an index with internal transactions from growing without them: it waits for a node that can trace.
 */
import * as Data from "effect/Data"
import type { TraceSource } from "../node/Node.ts"
import type { Checkpoint } from "../store/BlockRows.ts"
import type { AppliedSettings as Applied } from "../store/StatusBoard.ts"
import * as AppliedSettings from "../store/AppliedSettings.ts"

/**
 * The index has internal transactions, and no node can trace.
 */
export class TracerLost extends Data.TaggedError("TracerLost")<{
  /** Last stored block with internal transactions. */
  readonly block: number
}> {
  override get message(): string {
    return `The index has internal transactions up to block ${this.block}, and no node can trace now. Add such a node, or set "traces": "off" to index on without them.`
  }
}

/**
 * Why an index cannot grow with a source of traces; `null` where it can. `isWanted` is false where traces are off by configuration.
 */
export const of = (
  source: TraceSource,
  isWanted: boolean,
  settings: Applied,
  checkpoint: Checkpoint | null,
): TracerLost | null => {
  if (source !== "off" || !isWanted || checkpoint === null) return null
  const block = AppliedSettings.lastTraced(settings, { from: checkpoint.first, to: checkpoint.head.number })
  return block === null ? null : new TracerLost({ block })
}
