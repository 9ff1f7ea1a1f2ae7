/**
 * Verifies the stored blocks of a chain from the first to the head. Reads one range at a time, each from one committed state, so that it
 * can run concurrently with an indexer and does not report a reorg as an issue.
 */
import * as Effect from "effect/Effect"
import type { Appearance, Audit, RemovableRow, StoredBlock } from "../store/Audit.ts"
import type { Checkpoint } from "../block/BlockRows.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as WatchList from "../store/WatchList.ts"
import * as IntegrityIssue from "./IntegrityIssue.ts"

/** The result of a verification. */
export interface Verified {
  readonly blocks: number
  readonly transactions: number
  readonly issues: ReadonlyArray<IntegrityIssue.IntegrityIssue>
  /** Appearances without a document. */
  readonly orphaned: ReadonlyArray<Appearance>
  /** Damaged rows that will be derived again, and rows of blocks outside the index. */
  readonly removable: ReadonlyArray<RemovableRow>
}

/** How to verify. */
export interface Options {
  /** First block to verify. Default: the first of the index. */
  readonly from?: number | undefined
  /** Receives the last verified block and the head after each range. */
  readonly onProgress?: ((number: number, head: number) => Effect.Effect<void>) | undefined
  /** Number of blocks read at a time. Default 200. */
  readonly blocksAtOnce?: number
  /** Number of appearances read at a time. Default 20,000. */
  readonly appearancesAtOnce?: number
}

const defaultBlocksAtOnce = 200
const defaultAppearancesAtOnce = 20_000

const headIssues = (
  checkpoint: Checkpoint,
  blocks: ReadonlyArray<StoredBlock>,
): ReadonlyArray<IntegrityIssue.IntegrityIssue> => {
  const last = blocks.find(({ number }) => number === checkpoint.head.number)
  if (last === undefined) return [{ block: checkpoint.head.number, what: "the head is not stored" }]
  return last.hash === checkpoint.head.hash
    ? []
    : [{ block: last.number, what: `the checkpoint has hash ${checkpoint.head.hash}, the stored block ${last.hash}` }]
}

/** Verifies blocks in ascending order. */
const verifyBlocks = Effect.fnUntraced(function* (
  audit: Audit,
  options: Options,
): Effect.fn.Return<Omit<Verified, "orphaned" | "removable">, StoreError> {
  const { blocksAtOnce = defaultBlocksAtOnce } = options
  const issues: Array<IntegrityIssue.IntegrityIssue> = []
  let blocks = 0
  let transactions = 0
  let next = options.from ?? 0
  for (;;) {
    const { checkpoint } = yield* audit.range(next, next - 1)
    if (checkpoint === null || next > checkpoint.head.number) break
    const from = Math.max(next, checkpoint.first)
    // Includes the previous block, so that the link to it belongs to the same state.
    const range = yield* audit.range(from - 1, from + blocksAtOnce - 1)
    if (range.checkpoint === null) break
    const { first, head } = range.checkpoint
    const to = Math.min(from + blocksAtOnce - 1, head.number)
    const byNumber = new Map(range.blocks.map((block) => [block.number, block]))
    for (let number = from; number <= to; number++) {
      const block = byNumber.get(number)
      if (block === undefined) {
        issues.push({ block: number, what: "the block is not stored" })
        continue
      }
      blocks++
      transactions += block.transactions.length + block.damagedTransactions.length
      // A missing block has already been reported.
      const previous = number === first ? undefined : byNumber.get(number - 1)
      issues.push(...IntegrityIssue.ofBlock(block, previous, WatchList.walletsAt(range.checkpoint, number)))
    }
    if (to === head.number) issues.push(...headIssues(range.checkpoint, range.blocks))
    if (options.onProgress !== undefined) yield* options.onProgress(to, head.number)
    next = to + 1
    yield* Effect.yieldNow
  }
  return { blocks, transactions, issues }
})

/** Finds the appearances without a document. */
const findOrphaned = Effect.fnUntraced(function* (
  audit: Audit,
  limit: number,
): Effect.fn.Return<ReadonlyArray<Appearance>, StoreError> {
  const all: Array<Appearance> = []
  let after: Appearance | null = null
  do {
    const found: Effect.Success<ReturnType<Audit["orphanedAppearances"]>> = yield* audit.orphanedAppearances(
      after,
      limit,
    )
    all.push(...found.orphaned)
    after = found.last
    yield* Effect.yieldNow
  } while (after !== null)
  return all
})

/** Finds the rows that can be removed. */
const findRemovable = Effect.fnUntraced(function* (
  audit: Audit,
  limit: number,
): Effect.fn.Return<ReadonlyArray<RemovableRow>, StoreError> {
  const all: Array<RemovableRow> = []
  let after: Parameters<Audit["removableRows"]>[0] = null
  do {
    const next: Effect.Success<ReturnType<Audit["removableRows"]>> = yield* audit.removableRows(after, limit)
    all.push(...next.found)
    after = next.last
    yield* Effect.yieldNow
  } while (after !== null)
  return all
})

/**
 * Verifies the store of a chain.
 *
 * **Errors**
 * - `StoreError`: the store cannot be read.
 */
export const run = Effect.fn("Verify.run")(function* (
  audit: Audit,
  options: Options = {},
): Effect.fn.Return<Verified, StoreError> {
  const { appearancesAtOnce = defaultAppearancesAtOnce } = options
  const engine = (yield* audit.engineIssues).map((what): IntegrityIssue.IntegrityIssue => ({ block: null, what }))
  const verified = yield* verifyBlocks(audit, options)
  return {
    ...verified,
    issues: [...engine, ...verified.issues],
    orphaned: yield* findOrphaned(audit, appearancesAtOnce),
    removable: yield* findRemovable(audit, appearancesAtOnce),
  }
})
