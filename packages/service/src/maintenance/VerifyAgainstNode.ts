/**
 * Compares stored blocks with a node: all of them, or a sample. Each is fetched and verified as the indexer does, and must yield the stored
 * rows. Runs concurrently with an indexer.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as BlockFetcher from "../fetch/BlockFetcher.ts"
import type { Node } from "../node/Node.ts"
import type { Audit, StoredBlock } from "../store/Audit.ts"
import type { BlockRows } from "../block/BlockRows.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as WatchList from "../store/WatchList.ts"
import type { IntegrityIssue } from "./IntegrityIssue.ts"
import * as NodeComparison from "./NodeComparison.ts"
import * as TraceComparison from "./TraceComparison.ts"
import * as KeptRows from "../fetch/KeptRows.ts"

/** The result of a comparison. */
export interface Compared {
  /** Blocks that were compared. */
  readonly blocks: number
  /** Transactions that were compared. */
  readonly transactions: number
  /** Number of transactions not compared because none of their wallets is currently watched. */
  readonly unwatched: number
  /** Blocks whose internal transactions were not compared. */
  readonly untraced: ReadonlyArray<TraceComparison.Untraced>
  /** Number of stored blocks. */
  readonly ofBlocks: number
  readonly issues: ReadonlyArray<IntegrityIssue>
  /** Blocks that no node returned, and why. */
  readonly failed: ReadonlyArray<{ readonly block: number; readonly why: string }>
}

/** What to compare. */
export interface Options {
  /** How to assemble rows; the wallets are those of the index. */
  readonly assembling: BlockFetcher.Options
  /** Number of blocks to compare, spread over the index. Default: all. */
  readonly sample?: number | undefined
  /** First block to compare. Default: the first of the index. */
  readonly from?: number | undefined
  /** Receives the last compared block and the head after each group. */
  readonly onProgress?: (number: number, head: number) => Effect.Effect<void>
}

const groupBlocks = 64
/** Number of consecutive failures after which the node is given up. */
const maxFailures = 16

/**
 * Numbers of a sample: one at random from each of several equal parts of the range, and the last block.
 */
export const sampleOf = Effect.fnUntraced(function* (
  first: number,
  last: number,
  count: number,
): Effect.fn.Return<ReadonlyArray<number>> {
  const blocks = last - first + 1
  if (count >= blocks) return Array.from({ length: blocks }, (_, at) => first + at)
  const numbers = new Set<number>([last])
  const parts = count - 1
  const start = (part: number) => first + Math.floor((part * (blocks - 1)) / parts)
  for (let part = 0; part < parts; part++) {
    numbers.add(yield* Random.nextIntBetween(start(part), start(part + 1) - 1))
  }
  return [...numbers].toSorted((a, b) => a - b)
})

/** The comparison of one block. */
interface ComparedBlock {
  readonly issues: ReadonlyArray<IntegrityIssue>
  readonly unwatched: number
  /** `undefined` if the block has no internal transactions to compare. */
  readonly untraced: TraceComparison.Reason | null | undefined
}

type Outcome = Result.Result<ComparedBlock, string>

const nothing: ComparedBlock = { issues: [], unwatched: 0, untraced: undefined }

const comparedWith = (stored: StoredBlock, remote: BlockRows, watch: KeptRows.Watch): ComparedBlock => ({
  issues: NodeComparison.ofBlock(stored, remote, watch),
  unwatched: KeptRows.unwatched(stored, watch),
  untraced: TraceComparison.ofBlock(stored, remote, watch),
})

/** A block of the node, including stored transactions that do not concern watched wallets. */
const fetchRows = (node: Node, { number, transactions }: StoredBlock, options: BlockFetcher.Options) =>
  BlockFetcher.block(node, number, { ...options, kept: new Set(transactions.map(({ hash }) => hash)) })

const storedAt = Effect.fnUntraced(function* (
  audit: Audit,
  number: number,
): Effect.fn.Return<StoredBlock | null, StoreError> {
  const { blocks } = yield* audit.range(number, number)
  return blocks.find((block) => block.number === number) ?? null
})

/** Compares a block. One that differs is read again from the store, because an indexer may have replaced it meanwhile. */
const compareOne = Effect.fnUntraced(function* (
  audit: Audit,
  node: Node,
  stored: StoredBlock,
  options: BlockFetcher.Options,
): Effect.fn.Return<Outcome, StoreError> {
  const fetched = yield* Effect.result(fetchRows(node, stored, options))
  if (Result.isFailure(fetched)) return Result.fail(fetched.failure.message)
  const { watch } = options
  const compared = comparedWith(stored, fetched.success, watch)
  if (compared.issues.length === 0) return Result.succeed(compared)
  const now = yield* storedAt(audit, stored.number)
  // Removed by a reorg.
  if (now === null) return Result.succeed(nothing)
  return Result.succeed(now.hash === stored.hash ? compared : comparedWith(now, fetched.success, watch))
})

const groupsOf = (numbers: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: Math.ceil(numbers.length / groupBlocks) }, (_, at) =>
    numbers.slice(at * groupBlocks, (at + 1) * groupBlocks),
  )

/** Stored blocks of ascending numbers; consecutive ones are read together. */
const storedBlocks = Effect.fnUntraced(function* (audit: Audit, numbers: ReadonlyArray<number>) {
  const [first = 0, last = 0] = [numbers[0], numbers.at(-1)]
  if (last - first + 1 === numbers.length) return (yield* audit.range(first, last)).blocks
  const found = yield* Effect.forEach(numbers, (number) => storedAt(audit, number))
  return found.filter((block) => block !== null)
})

/**
 * Compares stored blocks with a node.
 *
 * **Errors**
 * - `StoreError`: the store cannot be read.
 */
export const run = Effect.fn("VerifyAgainstNode.run")(function* (
  audit: Audit,
  node: Node,
  options: Options,
): Effect.fn.Return<Compared, StoreError> {
  const { checkpoint } = yield* audit.range(0, -1)
  if (checkpoint === null) {
    return { blocks: 0, transactions: 0, unwatched: 0, untraced: [], ofBlocks: 0, issues: [], failed: [] }
  }
  const first = Math.max(options.from ?? 0, checkpoint.first)
  const { number: head } = checkpoint.head
  const numbers = yield* sampleOf(first, head, options.sample ?? Number.POSITIVE_INFINITY)
  const assemblingOf = ({ number }: StoredBlock) => ({
    ...options.assembling,
    watch: WatchList.walletsAt(checkpoint, number),
  })
  const issues: Array<IntegrityIssue> = []
  const failed: Array<Compared["failed"][number]> = []
  const traced: Array<Parameters<typeof TraceComparison.ranges>[0][number]> = []
  let [blocks, transactions, unwatched, inRow] = [0, 0, 0, 0]
  for (const group of groupsOf(numbers)) {
    const stored = yield* storedBlocks(audit, group)
    const outcomes = yield* Effect.forEach(stored, (block) => compareOne(audit, node, block, assemblingOf(block)), {
      concurrency: BlockFetcher.concurrency,
    })
    for (const [at, outcome] of outcomes.entries()) {
      const block = stored[at]!
      inRow = Result.isFailure(outcome) ? inRow + 1 : 0
      if (Result.isFailure(outcome)) failed.push({ block: block.number, why: outcome.failure })
      else {
        blocks += 1
        const { issues: found, untraced, unwatched: skipped } = outcome.success
        transactions += block.transactions.length - skipped
        unwatched += skipped
        issues.push(...found)
        if (untraced !== undefined) traced.push({ block: block.number, reason: untraced })
      }
    }
    if (options.onProgress !== undefined) yield* options.onProgress(group.at(-1) ?? head, head)
    if (inRow >= maxFailures) break
  }
  const untraced = TraceComparison.ranges(traced).map((range) =>
    range.reason === "the node has no tracer" && !node.wantsTraces
      ? { ...range, reason: "traces are off" as const }
      : range,
  )
  return { blocks, transactions, unwatched, untraced, ofBlocks: Math.max(0, head - first + 1), issues, failed }
})
