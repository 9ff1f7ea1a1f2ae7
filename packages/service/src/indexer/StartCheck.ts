/**
 * Compares the first block of an index with the configured start: a lower start adds blocks below the first one; a higher start keeps those
 * that are stored.
 *
 * Source: decision 0064.
 */
import * as Effect from "effect/Effect"
import type { Node } from "../node/Node.ts"
import type { NodeError } from "../node/NodeError.ts"
import type { LinkedBlock } from "../block/BlockRows.ts"
import * as StartBlock from "./StartBlock.ts"

/**
 * The configured start of a chain.
 */
export interface Options {
  readonly fromBlock?: number | undefined
  /** Instant in seconds since 1970, instead of a block. */
  readonly fromTimestamp?: number | undefined
}

/**
 * The configured start as a block.
 */
export interface ConfiguredStart {
  readonly block: number
  /** A sentence for the operator if the index starts before it; otherwise `null`. */
  readonly note: string | null
}

const above = (stored: string, configured: string): string =>
  `The index begins before the configured start: stored ${stored}, configured ${configured}. The blocks below the configured start are kept and served.`

const dateOf = (timestamp: number): string => new Date(timestamp * 1000).toISOString()

const byBlock = (block: number, first: LinkedBlock): ConfiguredStart => ({
  block,
  note: block > first.number ? above(`block ${first.number}`, `block ${block}`) : null,
})

/** A block that the node has pruned counts as older than the date. */
const byDate = Effect.fnUntraced(function* (
  node: Pick<Node, "header">,
  timestamp: number,
  first: LinkedBlock,
): Effect.fn.Return<ConfiguredStart, NodeError> {
  if (first.timestamp < timestamp) {
    const stored = `block ${first.number} of ${dateOf(first.timestamp)}`
    return { block: first.number, note: above(stored, dateOf(timestamp)) }
  }
  const before = first.number === 0 ? null : yield* node.header(first.number - 1)
  const isFirst = (before?.timestamp ?? 0) < timestamp
  const block = isFirst ? first.number : yield* StartBlock.atOrAfter(node, first, timestamp)
  return { block: block ?? first.number, note: null }
})

/**
 * Finds the configured start for a non-empty index.
 *
 * **Errors**
 * - `NodeFailed`, `WrongChain`: a date could not be compared.
 */
export const run = (
  node: Pick<Node, "header">,
  { fromBlock = 0, fromTimestamp }: Options,
  first: LinkedBlock,
): Effect.Effect<ConfiguredStart, NodeError> =>
  fromTimestamp === undefined ? Effect.succeed(byBlock(fromBlock, first)) : byDate(node, fromTimestamp, first)
