/**
 * Finds the first block at or after a date by bisection, with about thirty headers for any chain.
 */
import * as Effect from "effect/Effect"
import type { Node } from "../node/Node.ts"
import type { Header } from "../node/NodeEndpoint.ts"
import type { NodeError } from "../node/NodeError.ts"

/**
 * Number of the first block at or after an instant in seconds since 1970; `null` while the chain has none.
 *
 * **Details**
 * A block that the node has pruned counts as before the instant.
 *
 * **Errors**
 * - `NodeFailed`, `WrongChain`: the node did not answer.
 */
export const atOrAfter = Effect.fn("StartBlock.atOrAfter")(function* (
  node: Pick<Node, "header">,
  head: Pick<Header, "number" | "timestamp">,
  timestamp: number,
): Effect.fn.Return<number | null, NodeError> {
  const isBefore = Effect.fnUntraced(function* (number: number): Effect.fn.Return<boolean, NodeError> {
    const header = number === head.number ? head : yield* node.header(number)
    return header === null || (header.timestamp ?? 0) < timestamp
  })
  if (yield* isBefore(head.number)) return null
  let before = -1
  let at = head.number
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2)
    if (yield* isBefore(middle)) before = middle
    else at = middle
  }
  return at
})
