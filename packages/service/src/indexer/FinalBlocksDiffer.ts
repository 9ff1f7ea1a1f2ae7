/**
 * Error of a node whose blocks would replace too many final blocks of an index. This is attributed to a node of another chain, not to a
 * reorg.
 */
import * as Data from "effect/Data"

/**
 * Maximum number of final blocks that a reorg removes. The deepest reorg of a public chain had 7,000 blocks; a node of another chain shares
 * none.
 */
export const maxRemoved = 10_000

/**
 * The node's blocks differ from the index for many final blocks. Nothing is removed.
 */
export class FinalBlocksDiffer extends Data.TaggedError("FinalBlocksDiffer")<{
  /** First block that differs. */
  readonly from: number
  /** Number of final blocks of the index from there on. */
  readonly count: number
}> {
  override get message() {
    const { count, from } = this
    return `The chain of the node differs from the index from block ${from} on, where ${count} blocks are final. Nothing was removed. Correct the URL of the node. If the chain itself was replaced, stop the service and run: daybook reindex --from ${from}`
  }
}
