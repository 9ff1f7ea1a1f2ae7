/**
 * What a node's answers about one block say against each other. Nothing of such a block is stored; the node is asked again.
 */
import * as Data from "effect/Data"

/**
 * Answers of a node do not fit together, or a tracer could not do its work. They may fit when they are asked for again.
 */
export class InvalidBlock extends Data.TaggedError("InvalidBlock")<{
  readonly block: number
  readonly hash: string
  /** What does not fit, with the values. */
  readonly what: string
}> {
  override get message() {
    return `Block ${this.block} (${this.hash}) is not stored: ${this.what}. The node is asked again.`
  }
}
