/**
 * Fetches all of a block from a node and makes its rows: block, receipts by the block's hash, traces; of one alone, or of several in
 * few requests. A block that changes between the calls is told apart from one that never fits.
 */
import * as Effect from "effect/Effect"
import type { HydratedBlock } from "@daybook/schema/Block"
import * as Result from "effect/Result"
import type { BatchFetcher } from "../node/BatchFetcher.ts"
import type { Node } from "../node/Node.ts"
import type { NodeError } from "../node/NodeError.ts"
import type { BlockRef, BlockRows } from "../store/BlockRows.ts"
import * as BlockAssembler from "./BlockAssembler.ts"
import { BlockNotFound } from "./BlockNotFound.ts"
import * as TrieRoot from "../verification/TrieRoot.ts"
import { InvalidBlock } from "../verification/InvalidBlock.ts"

const isEmpty = ({ transactions, transactionsRoot }: HydratedBlock): boolean =>
  transactions.length === 0 && transactionsRoot === TrieRoot.empty

/** The rows of a block that needs neither receipts nor traces. */
const bare = (found: HydratedBlock, options: BlockAssembler.Options): Result.Result<BlockRows, InvalidBlock> =>
  isEmpty(found)
    ? BlockAssembler.assemble({ block: found, receipts: [], traces: null }, options)
    : BlockAssembler.unconcerned(found, options)

/** The rows of a block by one node, or by several that take turns. */
const blockBy = Effect.fnUntraced(function* (
  node: Node,
  number: number,
  options: BlockAssembler.Options,
): Effect.fn.Return<BlockRows, BlockNotFound | InvalidBlock | NodeError> {
  const found = yield* node.block(number)
  if (found === null) return yield* new BlockNotFound({ block: number, what: "block" })
  const hash = found.hash ?? "no hash"
  if (found.number !== BigInt(number)) {
    return yield* new InvalidBlock({ block: number, hash, what: `the node answered with block ${found.number}` })
  }
  if (isEmpty(found) || !BlockAssembler.mayConcern(found, options.watch))
    return yield* Effect.fromResult(bare(found, options))
  const [receipts, traces] = yield* Effect.all([node.receipts({ number, hash }), node.traces({ number, hash })], {
    concurrency: 2,
  })
  if (receipts === null) return yield* new BlockNotFound({ block: number, what: "receipts" })
  return yield* Effect.fromResult(BlockAssembler.assemble({ block: found, receipts, traces }, options))
})

/**
 * The rows of the block of a number. What does not fit is asked again of each node alone, since one that lies or lags may stand
 * beside one that does not.
 *
 * **Errors**
 * - `Vanished`: the block, or its receipts, are not there now.
 * - `Mismatch`: no node's answers belong together.
 * - `NodeFailed`, `WrongChain`: no answer.
 */
export const block = (
  node: Node,
  number: number,
  options: BlockAssembler.Options,
): Effect.Effect<BlockRows, BlockNotFound | InvalidBlock | NodeError> =>
  Effect.catchTag(blockBy(node, number, options), "InvalidBlock", (mismatch) => {
    const others = (node.each ?? []).map((one) => Effect.mapError(blockBy(one, number, options), () => mismatch))
    return others.length === 0 ? Effect.fail(mismatch) : Effect.firstSuccessOf(others)
  })

/**
 * Rows of blocks one after another, and why they end before the last of them.
 */
export interface FetchedRange {
  readonly rows: ReadonlyArray<BlockRows>
  readonly failure: BlockNotFound | InvalidBlock | NodeError | null
}

/**
 * The rows of blocks one after another, with few requests. A block that does not come, or does not fit, is asked for alone: see
 * `block`.
 */
export const range = Effect.fnUntraced(function* (
  node: Node,
  bulk: BatchFetcher,
  numbers: ReadonlyArray<number>,
  options: BlockAssembler.Options,
): Effect.fn.Return<FetchedRange> {
  const blocks = yield* bulk.blocks(numbers)
  const fitting = blocks.map((found, at) => (found !== null && found.number === BigInt(numbers[at]!) ? found : null))
  const wanted = fitting.flatMap((found): ReadonlyArray<BlockRef> => {
    const isWanted =
      found !== null && found.hash !== null && !isEmpty(found) && BlockAssembler.mayConcern(found, options.watch)
    return isWanted ? [{ number: Number(found.number), hash: found.hash }] : []
  })
  const parts = yield* bulk.parts(wanted)
  const byHash = new Map(wanted.map(({ hash }, at) => [hash, parts[at] ?? null]))

  const rowsOf = (found: HydratedBlock | null): BlockRows | null => {
    if (found === null || found.hash === null) return null
    const own = byHash.get(found.hash)
    if (own === null) return null
    return Result.getOrElse(
      own === undefined ? bare(found, options) : BlockAssembler.assemble({ block: found, ...own }, options),
      () => null,
    )
  }
  const rows: Array<BlockRows> = []
  for (const [at, number] of numbers.entries()) {
    const outcome = rowsOf(fitting[at] ?? null) ?? (yield* Effect.result(block(node, number, options)))
    if (!("_tag" in outcome)) rows.push(outcome)
    else if (outcome._tag === "Success") rows.push(outcome.success)
    else return { rows, failure: outcome.failure }
  }
  return { rows, failure: null }
})
