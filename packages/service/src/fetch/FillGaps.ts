/**
 * Completes stored blocks: refetches each block with a gap, verifies it like the indexer, and replaces its rows if the nodes return more
 * than before. A block with a different hash, or with no fewer gaps, is left unchanged. Several blocks are fetched concurrently.
 *
 * Source: decision 0035.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as BlockFetcher from "./BlockFetcher.ts"
import type { Node } from "../node/Node.ts"
import * as TraceFailure from "../node/TraceFailure.ts"
import type { Audit } from "../store/Audit.ts"
import type { BlockRows, Gap } from "../block/BlockRows.ts"
import type { ChainReader } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as KeptRows from "./KeptRows.ts"

/** The result of filling. */
export interface Filled {
  /** Number of gaps filled. */
  readonly filled: number
  /** Number of gaps that remain. */
  readonly remaining: number
  /** The first blocks with remaining gaps, and why. */
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

/** Number of gaps read at once. */
const gapsAtOnce = 500
/** Maximum number of reported blocks. */
const maxFailed = 50

/** A block with its number of gaps. */
interface Incomplete {
  readonly block: number
  readonly gaps: number
}

/** A refetched block. */
interface Fetched extends Incomplete {
  /** Rows with fewer gaps than the stored ones; `null` for none. */
  readonly rows: BlockRows | null
  /** Why it still has gaps; `null` if it is complete. */
  readonly why: string | null
}

/** Refetches a block, keeping what is stored of it. */
const fetchBlock = Effect.fnUntraced(function* (
  audit: Audit,
  node: Node,
  incomplete: Incomplete,
  assembling: BlockFetcher.Options,
): Effect.fn.Return<Fetched, StoreError> {
  const { block } = incomplete
  // There is no later retry: what a node cannot return now remains a gap.
  const range = yield* audit.range(block, block)
  const [stored] = range.blocks
  const options = { ...assembling, ...KeptRows.withStored(range, block), failures: TraceFailure.maxFailures }
  const fetched = yield* Effect.result(BlockFetcher.block(node, block, options))
  if (fetched._tag === "Failure") return { ...incomplete, rows: null, why: fetched.failure.message }
  const lost = KeptRows.lost(stored, fetched.success)
  if (lost !== null) return { ...incomplete, rows: null, why: lost }
  const rows = KeptRows.keepTraces(stored, fetched.success)
  const { gaps = [] } = rows
  return { ...incomplete, rows: gaps.length < incomplete.gaps ? rows : null, why: gaps[0]?.reason ?? null }
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

/** The next block with a gap, at or above a number; `null` after the last one. */
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
  const incompleteFrom = (number: number) =>
    Effect.map(nextOf(store.reader, number, to), (found) =>
      found === null ? undefined : ([found, found.block + 1] as const),
    )
  const replace = Effect.fnUntraced(function* ({ block, gaps, rows, why }: Fetched) {
    const isReplaced = rows !== null && (yield* repairer.replace(rows))
    const left = isReplaced ? (rows.gaps?.length ?? 0) : gaps
    filled += gaps - left
    remaining += left
    const reason = rows === null || isReplaced ? why : "the node has a different block with this number"
    if (reason !== null && failed.length < maxFailed) failed.push({ block, why: reason })
  })
  yield* Stream.unfold(from, incompleteFrom).pipe(
    Stream.mapEffect((incomplete) => fetchBlock(store.audit, node, incomplete, options.assembling), {
      concurrency: BlockFetcher.concurrency,
    }),
    Stream.runForEach(replace),
  )
  return { filled, remaining, failed }
}, Effect.scoped)
