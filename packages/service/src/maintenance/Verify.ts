/**
 * Walks a chain's store from its first block to its head and tells everything that is not as the indexer writes it. It reads a
 * part at a time, each of one state, so it may run beside an indexer and does not take a reorganisation for a flaw.
 */
import * as Effect from "effect/Effect"
import type { Appearance, Audit, StoredBlock } from "../store/Audit.ts"
import type { Checkpoint, StoreError } from "../store/Store.ts"
import * as IntegrityIssue from "./IntegrityIssue.ts"

/** What a walk found. */
export interface Verified {
  readonly blocks: number
  readonly transactions: number
  readonly issues: ReadonlyArray<IntegrityIssue.IntegrityIssue>
  /** Entries of histories without a document. */
  readonly strays: ReadonlyArray<Appearance>
}

/** How to walk. */
export interface Options {
  /** First block to look at. Default: the first of the index. */
  readonly from?: number
  /** Told of the last block that was looked at and the head. */
  readonly onProgress?: (number: number, head: number) => Effect.Effect<void>
}

const blocksAtOnce = 200
const appearancesAtOnce = 20_000

const watchOf = (checkpoint: Checkpoint) => (checkpoint.watch === undefined ? null : new Set(checkpoint.watch))

const headFlaws = (
  checkpoint: Checkpoint,
  blocks: ReadonlyArray<StoredBlock>,
): ReadonlyArray<IntegrityIssue.IntegrityIssue> => {
  const last = blocks.find(({ number }) => number === checkpoint.head.number)
  if (last === undefined) return [{ block: checkpoint.head.number, what: "it is the head, and not stored" }]
  return last.hash === checkpoint.head.hash
    ? []
    : [{ block: last.number, what: `the checkpoint names ${checkpoint.head.hash}, stored is ${last.hash}` }]
}

/** Looks at blocks one after the other. */
const walkBlocks = Effect.fnUntraced(function* (
  audit: Audit,
  options: Options,
): Effect.fn.Return<Omit<Verified, "strays">, StoreError> {
  const issues: Array<IntegrityIssue.IntegrityIssue> = []
  let blocks = 0
  let transactions = 0
  let next = options.from ?? 0
  for (;;) {
    const { checkpoint } = yield* audit.part(next, next - 1)
    if (checkpoint === null || next > checkpoint.head.number) break
    const from = Math.max(next, checkpoint.first)
    // The block before is read along, so that the link to it is of the same state.
    const part = yield* audit.part(from - 1, from + blocksAtOnce - 1)
    if (part.checkpoint === null) break
    const { first, head } = part.checkpoint
    const to = Math.min(from + blocksAtOnce - 1, head.number)
    const byNumber = new Map(part.blocks.map((block) => [block.number, block]))
    for (let number = from; number <= to; number++) {
      const block = byNumber.get(number)
      if (block === undefined) {
        issues.push({ block: number, what: "it is not stored" })
        continue
      }
      blocks++
      transactions += block.transactions.length
      // A block that is missing was told already.
      const previous = number === first ? undefined : byNumber.get(number - 1)
      issues.push(...IntegrityIssue.ofBlock(block, previous, watchOf(part.checkpoint)))
    }
    if (to === head.number) issues.push(...headFlaws(part.checkpoint, part.blocks))
    if (options.onProgress !== undefined) yield* options.onProgress(to, head.number)
    next = to + 1
    yield* Effect.yieldNow
  }
  return { blocks, transactions, issues }
})

/** Looks at the entries of every wallet's history. */
const walkAppearances = Effect.fnUntraced(function* (
  audit: Audit,
): Effect.fn.Return<ReadonlyArray<Appearance>, StoreError> {
  const all: Array<Appearance> = []
  let after: Appearance | null = null
  do {
    const found: Effect.Success<ReturnType<Audit["strays"]>> = yield* audit.strays(after, appearancesAtOnce)
    all.push(...found.strays)
    after = found.last
    yield* Effect.yieldNow
  } while (after !== null)
  return all
})

/**
 * Walks the store of a chain.
 *
 * **Errors**
 * - `StoreError`: the store cannot be read.
 */
export const run = Effect.fn("Verify.run")(function* (
  audit: Audit,
  options: Options = {},
): Effect.fn.Return<Verified, StoreError> {
  const engine = (yield* audit.engine).map((what): IntegrityIssue.IntegrityIssue => ({ block: null, what }))
  const walked = yield* walkBlocks(audit, options)
  return { ...walked, issues: [...engine, ...walked.issues], strays: yield* walkAppearances(audit) }
})
