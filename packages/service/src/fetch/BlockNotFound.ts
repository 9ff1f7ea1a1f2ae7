/**
 * Failure of nodes that lack a block or its receipts: during a reorg, or because they have pruned them.
 */
import * as Data from "effect/Data"
import { historyAdvice } from "../node/Node.ts"

/**
 * No node has this block, or its receipts.
 */
export class BlockNotFound extends Data.TaggedError("BlockNotFound")<{
  readonly block: number
  /** What is missing. */
  readonly what: "block" | "receipts"
  /** The nodes that pruned a block of their chain. Absent if a reorg or lag explains the failure. */
  readonly hosts?: ReadonlyArray<string>
}> {
  override get message() {
    const { block, hosts, what } = this
    const missing = what === "block" ? `block ${block}` : `receipts of block ${block}`
    if (hosts === undefined) {
      return `The node does not have ${missing}: it lags, or a reorg is under way. Trying again.`
    }
    const [host = "The node"] = hosts
    const start = hosts.length > 1 ? `None of ${hosts.join(", ")} has ${missing}` : `${host} has no ${missing}`
    return `${start}. ${historyAdvice}`
  }
}
