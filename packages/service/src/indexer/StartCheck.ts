/**
 * Compares the first block of an index with the configured start. An index grows at its head alone: a lower start needs an index
 * made again, and a higher one keeps the blocks below it.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { shellWord } from "../config/ShellWord.ts"
import type { Node } from "../node/Node.ts"
import type { NodeError } from "../node/NodeError.ts"

/**
 * The configured start lies before the first block of the index.
 */
export class StartConflict extends Data.TaggedError("StartConflict")<{ readonly message: string }> {}

/**
 * The configured start of a chain.
 */
export interface Options {
  readonly chain: string
  readonly fromBlock?: number | undefined
  /** Instant in seconds since 1970, in place of a block. */
  readonly fromTimestamp?: number | undefined
}

/** First block of the index. */
interface First {
  readonly number: number
  /** Seconds since 1970. */
  readonly timestamp: number
}

const conflict = (chain: string, stored: string, configured: string, restore: string) =>
  new StartConflict({
    message: `The index of ${chain} begins after the configured start: stored ${stored}, configured ${configured}. ${restore}; or stop the service, run "daybook reindex --all --chain ${shellWord(chain)}" and start it again.`,
  })

const above = (stored: string, configured: string): string =>
  `The index begins before the configured start: stored ${stored}, configured ${configured}. The blocks below it stay and are served.`

const dateOf = (timestamp: number): string => new Date(timestamp * 1000).toISOString()

const byBlock = ({ chain, fromBlock = 0 }: Options, first: First): Effect.Effect<string | null, StartConflict> => {
  const stored = `block ${first.number}`
  if (fromBlock < first.number) {
    return Effect.fail(conflict(chain, stored, `block ${fromBlock}`, `Set "fromBlock" to ${first.number}`))
  }
  return Effect.succeed(fromBlock > first.number ? above(stored, `block ${fromBlock}`) : null)
}

/** The first block at or after a date: the one before it is older. A block that the node has pruned counts as older. */
const byDate = Effect.fnUntraced(function* (
  node: Pick<Node, "header">,
  chain: string,
  timestamp: number,
  first: First,
): Effect.fn.Return<string | null, StartConflict | NodeError> {
  const stored = `block ${first.number} of ${dateOf(first.timestamp)}`
  if (first.timestamp < timestamp) return above(stored, dateOf(timestamp))
  const before = first.number === 0 ? null : yield* node.header(first.number - 1)
  if ((before?.timestamp ?? 0) < timestamp) return null
  const date = dateOf(first.timestamp)
  return yield* conflict(chain, stored, dateOf(timestamp), `Set "fromDate" to ${date}`)
})

/**
 * Checks an index that has blocks; gives a sentence for the operator where it begins before the configured start, else `null`.
 *
 * **Errors**
 * - `StartConflict`: the configured start lies before the first block.
 * - `NodeFailed`, `WrongChain`: a date could not be compared.
 */
export const run = (
  node: Pick<Node, "header">,
  options: Options,
  first: First,
): Effect.Effect<string | null, StartConflict | NodeError> =>
  options.fromTimestamp === undefined
    ? byBlock(options, first)
    : byDate(node, options.chain, options.fromTimestamp, first)
