/**
 * Fetches blocks that an earlier version stored without facts again, one after another, while the index is at the head of the node. Each
 * is verified, and replaces the stored rows with its facts; its ledger is derived again. Pauses after each block for as long as it took.
 *
 * Source: decisions 0044 and 0048.
 */
import * as Effect from "effect/Effect"
import * as FillGaps from "../fetch/FillGaps.ts"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type { Node } from "../node/Node.ts"
import type { Audit } from "../store/Audit.ts"
import type { ChainSession } from "../store/ChainSession.ts"
import type { WriteError } from "../store/ChainWriter.ts"
import type * as HashRules from "../verification/HashRules.ts"
import type * as BlockFetcher from "../fetch/BlockFetcher.ts"

/** Fetches missing facts. */
export interface FactsFetcher {
  /** Fetches for so long, and waits for the rest of it. */
  readonly during: (millis: number, rules: HashRules.HashRules) => Effect.Effect<void, WriteError>
}

/** What a fetcher works with. */
export interface Options {
  readonly node: Node
  readonly store: ChainSession
  readonly audit: Audit
  readonly assembling: BlockFetcher.Options
}

/** Blocks that are searched at once: the thread does nothing else meanwhile. */
const searchedAtOnce = 20_000

/** Makes a fetcher, which begins with the lowest block. A block whose facts no node gives is left until the next start. */
export const make = ({ assembling, audit, node, store }: Options): FactsFetcher => {
  /** Where the search goes on; `null` after the last block. */
  let next: number | null = 0
  let fetched = 0

  const nextBlock = Effect.fnUntraced(function* (from: number) {
    const { checkpoint, missing } = yield* store.snapshot((snapshot) =>
      Effect.all({ checkpoint: snapshot.checkpoint, missing: snapshot.blocksWithoutFacts }),
    )
    const [first, head] = checkpoint === null || missing === 0 ? [0, -1] : [checkpoint.first, checkpoint.head.number]
    for (let low = Math.max(from, first); low <= head; low += searchedAtOnce) {
      const [block] = yield* store.blocksWithoutFacts({ from: low, to: low + searchedAtOnce - 1, limit: 1 })
      if (block !== undefined) return block
      yield* Effect.yieldNow
    }
    next = null
    if (fetched > 0)
      yield* Effect.annotateLogs(Effect.logInfo("Fetched the facts of stored blocks"), { blocks: fetched })
    return null
  })

  /** Fetches one block; false where nothing is left to do for now. */
  const fetchOne = Effect.fnUntraced(function* (rules: HashRules.HashRules) {
    const block = next === null ? null : yield* nextBlock(next)
    if (block === null) return false
    const gaps = yield* store.gaps({ from: block, to: block, limit: 10_000 })
    const incomplete = { block, gaps: gaps.length, hasFacts: false }
    const { filled } = yield* FillGaps.fillBlock(node, { audit, replace: store.replace }, incomplete, {
      ...assembling,
      rules,
    })
    next = block + 1
    if (filled > 0) fetched++
    return filled > 0
  })

  return {
    during: Effect.fnUntraced(function* (millis, rules) {
      const until = (yield* MonotonicClock.millis) + millis
      for (let now = until - millis; now < until; now = yield* MonotonicClock.millis) {
        if (!(yield* fetchOne(rules))) return yield* Effect.sleep(until - now)
        yield* Effect.sleep((yield* MonotonicClock.millis) - now)
      }
    }),
  }
}
