/**
 * Puts right what a walk found: blocks are fetched again from the node, with all checks, and put in place of what lies there, and
 * entries without a document are removed. A block that the node's chain does not have cannot be mended this way.
 */
import * as Effect from "effect/Effect"
import type * as BlockAssembler from "../indexer/BlockAssembler.ts"
import * as BlockFetcher from "../indexer/BlockFetcher.ts"
import type { Node } from "../node/Node.ts"
import type { Audit } from "../store/Audit.ts"
import { shellWord } from "../config/ShellWord.ts"
import type { StoreError } from "../store/Store.ts"
import type { Verified } from "./Verify.ts"

/** What became of the flaws. */
export interface Mended {
  readonly blocks: ReadonlyArray<number>
  /** Blocks that are as they were, and why. */
  readonly failed: ReadonlyArray<{ readonly block: number; readonly why: string }>
  readonly strays: number
}

/** Tells where the chain has to be indexed again from, for a block that is not the node's. */
const otherChain = (block: number, chain: string | undefined) => {
  const which = chain === undefined ? "" : ` --chain ${shellWord(chain)}`
  return `the node's block ${block} is another one; run "daybook reindex --from ${block}${which}", or a lower one`
}

/**
 * Mends what `Verify.run` found.
 *
 * **Errors**
 * - `StoreError`: the store cannot be written.
 */
export const run = Effect.fn("Mend.run")(function* (
  audit: Audit,
  node: Node,
  verified: Verified,
  /** How rows are made, and the chain's name for what is told. */
  options: BlockAssembler.Options & { readonly chain?: string },
): Effect.fn.Return<Mended, StoreError> {
  const numbers = new Set(verified.issues.flatMap(({ block }) => (block === null ? [] : [block])))
  const blocks: Array<number> = []
  const failed: Array<Mended["failed"][number]> = []
  for (const number of [...numbers].toSorted((a, b) => a - b)) {
    const rows = yield* Effect.result(BlockFetcher.block(node, number, options))
    if (rows._tag === "Failure") failed.push({ block: number, why: rows.failure.message })
    else if (yield* audit.replace(rows.success)) blocks.push(number)
    else failed.push({ block: number, why: otherChain(number, options.chain) })
  }
  yield* audit.dropStrays(verified.strays)
  return { blocks, failed, strays: verified.strays.length }
})
