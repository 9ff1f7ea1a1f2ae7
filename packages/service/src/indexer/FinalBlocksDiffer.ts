/** The error of a node whose blocks would replace too many final ones of an index. It is taken for the node of another chain, and not for a reorg. */
import * as Data from "effect/Data"

/** The most final blocks that a reorg removes. The deepest one of a public chain had 7,000; the node of another chain has none of them. */
export const maxRemoved = 10_000

/**
 * The node has other blocks than the index in place of many final ones. Nothing is removed.
 */
export class FinalBlocksDiffer extends Data.TaggedError("FinalBlocksDiffer")<{
  /** First block that differs. */
  readonly from: number
  /** Final blocks of the index from there on. */
  readonly count: number
}> {
  override get message() {
    const { count, from } = this
    return `The node has another chain than the index from block ${from} on, where ${count} blocks are final. Nothing is removed. Correct the URL of the node. If the chain itself was replaced, stop the service and run: daybook reindex --from ${from}`
  }
}
