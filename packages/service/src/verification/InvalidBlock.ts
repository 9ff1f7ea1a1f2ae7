/**
 * Failure of a block with contradictory parts. Nothing of such a block is stored.
 */
import * as Data from "effect/Data"
import type { Doubt } from "./Placement.ts"

/**
 * Parts of a block do not belong together. Another response may be valid.
 */
export class InvalidBlock extends Data.TaggedError("InvalidBlock")<{
  readonly block: number
  readonly hash: string
  /** What does not match, with the values. */
  readonly what: string
  /** A hash rule of the chain rejects the block: its header hash, a bloom or a root. Absent if something else is wrong. */
  readonly isOfRules?: boolean
  /** Why parts may belong to another block, or may be incomplete: accepted once the nodes return them each time. */
  readonly doubts?: ReadonlyArray<Doubt>
  /** Only the traces do not belong to the block; absent if something else is wrong. */
  readonly isOfTraces?: boolean
}> {
  override get message() {
    return `Invalid block ${this.block} (${this.hash}): ${this.what}. It is not stored; fetching it again.`
  }
}
