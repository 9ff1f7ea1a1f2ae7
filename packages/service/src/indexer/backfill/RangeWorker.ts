/**
 * Work of a backfill thread: fetches a range over its own connection, assembles its rows and prepares them for the store.
 *
 * This is only an optimisation: what a thread cannot fetch is omitted from its response, and the indexer fetches it over its own connection
 * and decides what the failure means.
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
  /** What can be computed from its blocks. */
  readonly rules: HashRules.HashRules
  /** Whether the indexer has found a tracer. A thread that disagrees fetches nothing. */
  readonly isTraced: boolean
  /** Wallets whose transactions are wanted, which may have changed since the thread started; `null` for all. */
  readonly watch: ReadonlySet<string> | null
  /** Whether to make the rows of ledgers. */
  readonly hasLedger: boolean
}

/**
 * Rows of the first blocks of a range.
 */
export interface Response {
  readonly rows: ReadonlyArray<BlockRows>
  /** Number of blocks that the nodes currently accept at once; `null` if the thread cannot fetch the range. */
  readonly size: number | null
  /** Accepted deviations of the blocks. The indexer reports them, once for all threads. */
  readonly deviations: ReadonlyArray<Deviation.OfBlock>
}

/**
 * Fetches ranges. Never fails: unexpected failures are logged, and the range is left to the indexer.
 */
export type RangeWorker = (request: Request) => Effect.Effect<Response>

/** The response of a thread that cannot fetch a range. */
export const declined: Response = { rows: [], size: null, deviations: [] }

/**
 * Makes the worker of a block source.
 *
 * @param prepare - Makes what the engine stores for a block: see `Engine.preparer`.
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
