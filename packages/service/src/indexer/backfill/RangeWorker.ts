/**
 * What a thread of a backfill does: fetches a range over a connection of its own, assembles its rows and prepares them for the store.
 *
 * A range is an optimisation: what a thread cannot fetch is left out of its response, and the indexer fetches it over its own
 * connection, which decides what the failure means.
 *
 * Source: decision 0026.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { BlockRows } from "../../block/BlockRows.ts"
import type * as Deviation from "../../block/Deviation.ts"
import type * as HashRules from "../../verification/HashRules.ts"
import type { BlockSource } from "../job/BlockSource.ts"
import * as RangeFetcher from "./RangeFetcher.ts"

/**
 * A range to fetch.
 */
export interface Request extends RangeFetcher.BlockRange {
  /** What can be computed of its blocks. */
  readonly rules: HashRules.HashRules
  /** The indexer has found a tracer: a thread that has not, or that has while the indexer has not, fetches nothing. */
  readonly isTraced: boolean
  /** Wallets whose transactions are wanted, which may be others than at the start of the thread; `null` for all. */
  readonly watch: ReadonlySet<string> | null
  /** Whether rows of ledgers are made. */
  readonly hasLedger: boolean
}

/**
 * Rows of the first blocks of a range.
 */
export interface Response {
  readonly rows: ReadonlyArray<BlockRows>
  /** Blocks that the nodes take at once by now; `null` where the thread cannot fetch the range. */
  readonly size: number | null
  /** What was accepted of the blocks although it deviates. The indexer reports it, once for all threads. */
  readonly deviations: ReadonlyArray<Deviation.OfBlock>
}

/**
 * Fetches ranges. Never fails: what is not expected is logged, and the range left to the indexer.
 */
export type RangeWorker = (request: Request) => Effect.Effect<Response>

/** The response of a thread that cannot fetch a range. */
export const declined: Response = { rows: [], size: null, deviations: [] }

/**
 * Makes the worker of a source of blocks.
 *
 * @param prepare - Makes what the engine stores of a block: see `Engine.preparer`.
 */
export const make = ({ assembling, node }: BlockSource, prepare: (block: BlockRows) => BlockRows): RangeWorker => {
  const inTurn = { ...assembling, assembly: Semaphore.makeUnsafe(1) }
  const { ledger: _, ...withoutLedger } = inTurn
  const fetch: RangeWorker = Effect.fnUntraced(function* ({
    from,
    hasLedger,
    isTraced,
    rules,
    to,
    watch,
  }): Effect.fn.Return<Response> {
    // Far below the head of every node, blocks are fetched from all nodes in turn.
    if (!node.isSettled(to)) yield* Effect.ignore(node.head)
    const source = yield* Effect.orElseSucceed(node.traceSource, () => null)
    if (source === null || (source !== "off") !== isTraced) {
      yield* node.forgetMissingTracer
      return declined
    }
    const deviations: Array<Deviation.OfBlock> = []
    const onDeviation: Deviation.Reporter = (block, found) =>
      Effect.sync(() => void deviations.push({ block, deviations: found }))
    const { rows, size } = yield* RangeFetcher.run(
      node,
      { from, to },
      { ...(hasLedger ? inTurn : withoutLedger), rules, watch, onDeviation },
    )
    return { rows: rows.map(prepare), size, deviations }
  })
  return (request) =>
    Effect.catchDefect(
      Effect.suspend(() => fetch(request)),
      (defect) =>
        Effect.as(
          Effect.annotateLogs(Effect.logError("A thread cannot fetch a range"), {
            from: request.from,
            cause: defect instanceof Error ? defect.message : String(defect),
          }),
          declined,
        ),
    )
}
