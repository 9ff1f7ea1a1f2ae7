/**
 * The failure of a node that does not have a block, or its receipts, which it had shortly before.
 */
import * as Data from "effect/Data"

/**
 * The node no longer has this block: a reorg is under way, or the node lags or has pruned it.
 */
export class BlockNotFound extends Data.TaggedError("BlockNotFound")<{
  readonly block: number
  /** What is missing. */
  readonly what: "block" | "receipts"
}> {
  override get message() {
    return this.what === "block"
      ? `The node no longer has block ${this.block}: a reorg is under way or the node lags. Trying again.`
      : `The node has no receipts of block ${this.block}: a reorg is under way, or the node has pruned them. If this persists, use a node with full history or a later "fromBlock".`
  }
}
