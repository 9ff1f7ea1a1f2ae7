/**
 * Completes stored blocks: fetches each block with a gap again, verifies it as the indexer does, and replaces its rows where the nodes
 * give more than they did. A block of another hash, or that lacks as much as before, is left unchanged.
 *
 * Source: decision 0035.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as BlockFetcher from "./BlockFetcher.ts"
import type { Node } from "../node/Node.ts"
import * as TraceFailure from "../node/TraceFailure.ts"
import type { Audit, Repairer } from "../store/Audit.ts"
import type { Gap } from "../block/BlockRows.ts"
import type { ChainReader } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as KeptRows from "./KeptRows.ts"

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
  readonly from?: number | undefined
  /** Last block. Default: the last of the index. */
  readonly to?: number | undefined
}

/** Gaps that are read at once. */
const gapsAtOnce = 500
/** Blocks that are reported. */
const maxFailed = 50

/** A block with its number of gaps. */
interface Incomplete {
  readonly block: number
  readonly gaps: number
}

/** Number of gaps that were filled, and why others were not. */
interface Attempt {
  readonly filled: number
  readonly why: string | null
}

/** Fetches a block again, and replaces its rows where it lacks less than the stored one. */
const fillBlock = Effect.fnUntraced(function* (
  node: Node,
  store: Pick<Repairer, "replace"> & { readonly audit: Audit },
  { block, gaps: before }: Incomplete,
  assembling: BlockFetcher.Options,
): Effect.fn.Return<Attempt, StoreError> {
  // Nothing is tried again later: what a node cannot give now remains a gap.
  const range = yield* store.audit.range(block, block)
  const [stored] = range.blocks
  const options = { ...assembling, ...KeptRows.withStored(range, block), failures: TraceFailure.maxFailures }
  const fetched = yield* Effect.result(BlockFetcher.block(node, block, options))
  if (fetched._tag === "Failure") return { filled: 0, why: fetched.failure.message }
  const lost = KeptRows.lost(stored, fetched.success)
  if (lost !== null) return { filled: 0, why: lost }
  const rows = KeptRows.keepTraces(stored, fetched.success)
  const { gaps = [] } = rows
  const left = gaps.length
  const why = gaps[0]?.reason ?? null
  if (left >= before) return { filled: 0, why }
  return (yield* store.replace(rows))
    ? { filled: before - left, why }
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

/** The next block at or above a number that has a gap; `null` after the last one. */
export const nextOf = Effect.fnUntraced(function* (
  reader: ChainReader,
  from: number,
  to: number,
): Effect.fn.Return<Incomplete | null, StoreError> {
  const gaps = yield* gapsOfNext(reader, from, to)
  const [first] = gaps
  return first === undefined ? null : { block: first.block, gaps: gaps.length }
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
    const incomplete: Incomplete | null = yield* nextOf(store.reader, next, to)
    if (incomplete === null) break
    const attempt = yield* fillBlock(node, { audit: store.audit, ...repairer }, incomplete, options.assembling)
    filled += attempt.filled
    remaining += incomplete.gaps - attempt.filled
    if (attempt.why !== null && failed.length < maxFailed) failed.push({ block: incomplete.block, why: attempt.why })
    next = incomplete.block + 1
  }
  return { filled, remaining, failed }
}, Effect.scoped)
