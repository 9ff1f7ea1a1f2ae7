/**
 * Fills the gaps of stored blocks: fetches each block with a gap again, verifies it as the indexer does, and replaces its rows where
 * the nodes give more than they did. A block of another hash, or with as many gaps as before, is left unchanged.
 *
 * Source: decision 0035.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as BlockFetcher from "../indexer/BlockFetcher.ts"
import type { Node } from "../node/Node.ts"
import * as TraceFailure from "../node/TraceFailure.ts"
import type { Audit, Repairer } from "../store/Audit.ts"
import type { Gap } from "../store/BlockRows.ts"
import type { ChainReader } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as Watched from "./Watched.ts"

/** The result of filling. */
export interface Filled {
  /** Gaps that were filled. */
  readonly filled: number
  /** Gaps that remain. */
  readonly remaining: number
  /** The first blocks with gaps that remain, and why. */
  readonly failed: ReadonlyArray<{ readonly block: number; readonly why: string }>
}

/** Which gaps to fill, and how. */
export interface Options {
  /** How rows are made. */
  readonly assembling: BlockFetcher.Options
  /** First block. Default 0. */
  readonly from?: number
  /** Last block. Default: the last of the index. */
  readonly to?: number
}

/** Gaps that are read at once. */
const gapsAtOnce = 500
/** Blocks that are reported. */
const maxFailed = 50

/** Number of gaps that were filled, and why others were not. */
interface Attempt {
  readonly filled: number
  readonly why: string | null
}

const fillBlock = Effect.fnUntraced(function* (
  node: Node,
  { audit, repairer }: { readonly audit: Audit; readonly repairer: Repairer },
  gaps: ReadonlyArray<Gap>,
  { assembling }: Options,
): Effect.fn.Return<Attempt, StoreError> {
  const [first] = gaps
  if (first === undefined) return { filled: 0, why: null }
  // Nothing is tried again later: what a node cannot give now remains a gap.
  const [stored] = (yield* audit.range(first.block, first.block)).blocks
  const options = {
    ...assembling,
    watch: Watched.withStored(stored, assembling.watch),
    failures: TraceFailure.patience,
  }
  const fetched = yield* Effect.result(BlockFetcher.block(node, first.block, options))
  if (fetched._tag === "Failure") return { filled: 0, why: fetched.failure.message }
  const lost = Watched.lost(stored, fetched.success)
  if (lost !== null) return { filled: 0, why: lost }
  const rows = Watched.keepTraces(stored, fetched.success)
  const left = rows.gaps ?? []
  const why = left[0]?.reason ?? null
  if (left.length >= gaps.length) return { filled: 0, why }
  return (yield* repairer.replace(rows))
    ? { filled: gaps.length - left.length, why }
    : { filled: 0, why: "the node has another block of this number" }
})

/** The gaps of the next block at or above a number; empty after the last one. */
const gapsOfNext = Effect.fnUntraced(function* (
  reader: ChainReader,
  from: number,
  to: number,
): Effect.fn.Return<ReadonlyArray<Gap>, StoreError> {
  const [next] = yield* reader.gaps({ from, to, limit: 1 })
  if (next === undefined) return []
  for (let limit = gapsAtOnce; ; limit *= 10) {
    const found = yield* reader.gaps({ from: next.block, to: next.block, limit })
    if (found.length < limit) return found
  }
})

/**
 * Fills the gaps of a range of blocks.
 *
 * **Errors**
 * - `StoreError`: the store cannot be read or written.
 */
export const run = Effect.fn("FillGaps.run")(function* (
  store: { readonly reader: ChainReader; readonly audit: Audit },
  node: Node,
  options: Options,
): Effect.fn.Return<Filled, StoreError, Scope.Scope> {
  const { from = 0, to = Number.MAX_SAFE_INTEGER } = options
  const repairer = yield* store.audit.repairer
  const failed: Array<Filled["failed"][number]> = []
  let filled = 0
  let remaining = 0
  for (let next = from; next <= to;) {
    const gaps = yield* gapsOfNext(store.reader, next, to)
    const [first] = gaps
    if (first === undefined) break
    const attempt = yield* fillBlock(node, { audit: store.audit, repairer }, gaps, options)
    filled += attempt.filled
    remaining += gaps.length - attempt.filled
    if (attempt.why !== null && failed.length < maxFailed) failed.push({ block: first.block, why: attempt.why })
    next = first.block + 1
  }
  return { filled, remaining, failed }
}, Effect.scoped)
