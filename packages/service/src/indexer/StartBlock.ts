/**
 * Finds the first block at or after a date, with about sixty headers for any chain. Several are requested concurrently, so that a distant
 * node is waited for nine times.
 */
import * as Effect from "effect/Effect"
import type { Node } from "../node/Node.ts"
import type { Header } from "../node/NodeEndpoint.ts"
import type { NodeError } from "../node/NodeError.ts"

/** Number of headers requested concurrently. */
const atOnce = 7

/** Numbers that divide the range between two others evenly. */
const between = (before: number, at: number): ReadonlyArray<number> => {
  const step = Math.ceil((at - before) / (atOnce + 1))
  return Array.from({ length: atOnce }, (_, index) => before + (index + 1) * step).filter((number) => number < at)
}

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
    const numbers = between(before, at)
    const areBefore = yield* Effect.forEach(numbers, isBefore, { concurrency: "unbounded" })
    const found = areBefore.indexOf(false)
    const end = found === -1 ? numbers.length : found
    before = numbers[end - 1] ?? before
    at = numbers[end] ?? at
  }
  return at
})
