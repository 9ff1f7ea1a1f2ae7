/**
 * Fetches all of one block from a node and makes its rows: block, receipts by the block's hash, traces.
 * A block that changes between the calls is told apart from one that never fits.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Node, NodeError } from "../node/Node.ts"
import type { BlockRows } from "../store/Store.ts"
import * as Assemble from "./Assemble.ts"
import * as TrieRoot from "./TrieRoot.ts"
import { Mismatch } from "./Mismatch.ts"

/**
 * The node had this block a moment ago and has it no more: the chain moves, or the node lags. Ask again soon.
 *
 * @category errors
 * @since 0.1.0
 */
export class Vanished extends Data.TaggedError("Vanished")<{ readonly block: number }> {
  override get message() {
    return `The node does not have block ${this.block} any more: its chain moves. It is asked again.`
  }
}

/** The rows of a block by one node, or by several that take turns. */
const blockBy = Effect.fnUntraced(function* (
  node: Node,
  number: number,
  options: Assemble.Options,
): Effect.fn.Return<BlockRows, Vanished | Mismatch | NodeError> {
  const found = yield* node.block(number)
  if (found === null) return yield* new Vanished({ block: number })
  const hash = found.hash ?? "no hash"
  if (found.number !== BigInt(number)) {
    return yield* new Mismatch({ block: number, hash, what: `the node answered with block ${found.number}` })
  }
  const isEmpty = found.transactions.length === 0 && found.transactionsRoot === TrieRoot.empty
  if (isEmpty) {
    return yield* Effect.fromResult(Assemble.assemble({ block: found, receipts: [], traces: null }, options))
  }
  if (!Assemble.mayConcern(found, options.watch)) return yield* Effect.fromResult(Assemble.unconcerned(found, options))
  const [receipts, traces] = yield* Effect.all([node.receipts({ number, hash }), node.traces({ number, hash })], {
    concurrency: 2,
  })
  if (receipts === null) return yield* new Vanished({ block: number })
  return yield* Effect.fromResult(Assemble.assemble({ block: found, receipts, traces }, options))
})

/**
 * The rows of the block of a number. What does not fit is asked again of each node alone, since one that lies or lags may stand
 * beside one that does not.
 *
 * **Errors**
 * - `Vanished`: the block, or its receipts, are not there now.
 * - `Mismatch`: no node's answers belong together.
 * - `NodeFailed`, `WrongChain`: no answer.
 *
 * @category combinators
 * @since 0.1.0
 */
export const block = (
  node: Node,
  number: number,
  options: Assemble.Options,
): Effect.Effect<BlockRows, Vanished | Mismatch | NodeError> =>
  Effect.catchTag(blockBy(node, number, options), "Mismatch", (mismatch) => {
    const others = (node.each ?? []).map((one) => Effect.mapError(blockBy(one, number, options), () => mismatch))
    return others.length === 0 ? Effect.fail(mismatch) : Effect.firstSuccessOf(others)
  })
