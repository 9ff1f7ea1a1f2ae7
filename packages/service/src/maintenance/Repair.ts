/**
 * Repairs the findings of a verification: refetches blocks with issues from the node, verifies them, and replaces the stored rows. Removes
 * appearances without a document, damaged rows that will be derived again, and rows of blocks outside the index. A block that is not on the
 * node's chain cannot be repaired this way.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { shellWord } from "../supervision/ShellWord.ts"
import type * as BlockAssembler from "../fetch/BlockAssembler.ts"
import * as BlockFetcher from "../fetch/BlockFetcher.ts"
import type { Node } from "../node/Node.ts"
import type { Audit } from "../store/Audit.ts"
import type { BlockRows } from "../block/BlockRows.ts"
import type { StoreError } from "../store/StoreError.ts"
import type { Verified } from "./Verify.ts"
import * as KeptRows from "../fetch/KeptRows.ts"

/** The result of a repair. */
export interface Repaired {
  /** Blocks that were replaced. */
  readonly blocks: ReadonlyArray<number>
  /** Blocks that were left unchanged, and why. */
  readonly failed: ReadonlyArray<{ readonly block: number; readonly why: string }>
  /** Number of removed appearances. */
  readonly orphaned: number
  /** Number of removed rows: damaged ones that will be derived again, and those of blocks outside the index. */
  readonly removed: number
}

const otherChain = (block: number, chain: string | undefined) => {
  const which = chain === undefined ? "" : ` --chain ${shellWord(chain)}`
  return `the node has another block ${block}; run "daybook reindex --from ${block}${which}", or with a lower number`
}

/** A refetched block, including stored data that cannot be fetched now. */
const fetchAgain = Effect.fnUntraced(function* (
  audit: Audit,
  node: Node,
  number: number,
  options: BlockAssembler.Options,
): Effect.fn.Return<Result.Result<BlockRows, string>, StoreError> {
  const range = yield* audit.range(number, number)
  const [stored] = range.blocks
  const selection = KeptRows.withStored(range, number)
  const fetched = yield* Effect.result(BlockFetcher.block(node, number, { ...options, ...selection }))
  if (Result.isFailure(fetched)) return Result.fail(fetched.failure.message)
  const lost = KeptRows.lost(stored, fetched.success) ?? KeptRows.lostTrace(stored, fetched.success)
  if (lost !== null) return Result.fail(lost)
  return Result.succeed(KeptRows.keepTraces(stored, fetched.success))
})

/**
 * Repairs the findings of `Verify.run`.
 *
 * **Errors**
 * - `StoreError`: the store cannot be written.
 */
export const run = Effect.fn("Repair.run")(function* (
  audit: Audit,
  node: Node,
  verified: Verified,
  /** How to assemble rows, and the chain's name for messages. */
  options: BlockAssembler.Options & { readonly chain?: string },
): Effect.fn.Return<Repaired, StoreError, Scope.Scope> {
  const repairer = yield* audit.repairer
  const numbers = new Set(verified.issues.flatMap(({ block }) => (block === null ? [] : [block])))
  const blocks: Array<number> = []
  const failed: Array<Repaired["failed"][number]> = []
  const replace = Effect.fnUntraced(function* (number: number, rows: Result.Result<BlockRows, string>) {
    if (Result.isFailure(rows)) failed.push({ block: number, why: rows.failure })
    else if (yield* repairer.replace(rows.success)) blocks.push(number)
    else failed.push({ block: number, why: otherChain(number, options.chain) })
  })
  yield* Stream.fromIterable([...numbers].toSorted((a, b) => a - b)).pipe(
    Stream.mapEffect(
      (number) => Effect.map(fetchAgain(audit, node, number, options), (rows) => [number, rows] as const),
      { concurrency: BlockFetcher.concurrency },
    ),
    Stream.runForEach(([number, rows]) => replace(number, rows)),
  )
  yield* repairer.removeOrphaned(verified.orphaned)
  yield* repairer.removeRows(verified.removable)
  return { blocks, failed, orphaned: verified.orphaned.length, removed: verified.removable.length }
}, Effect.scoped)
