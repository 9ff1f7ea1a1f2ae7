/**
 * Searches the ledger of an account for one transaction, in turns: each step reads some positions in its own snapshot, and all of them see
 * the same state of the chain.
 *
 * Source: decision 0070.
 */
import * as Effect from "effect/Effect"
import type { Checkpoint } from "../block/BlockRows.ts"
import * as WalletLedger from "../projection/WalletLedger.ts"
import type { Position, Snapshot } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as CompleteRange from "./CompleteRange.ts"
import * as Coverage from "./Coverage.ts"
import type { IndexedChain } from "./IndexedChain.ts"
import * as PinnedReader from "./PinnedReader.ts"
import type { NotWatched, NotDerived } from "./QueryError.ts"
import * as TransactionParts from "./TransactionParts.ts"

/** Why it is unknown whether there is a transaction. */
export type SearchError = CompleteRange.Incomplete | NotWatched | NotDerived | StoreError

/** Result of a step: the end of the search, with `null` if nothing was found, or where the next step continues. */
export type Step<A, State> =
  | { readonly _tag: "Ended"; readonly found: A | null }
  | { readonly _tag: "Next"; readonly state: State }

/** What to search. */
export interface Query {
  readonly chain: IndexedChain
  /** Lower case. */
  readonly wallet: string
  readonly inTurn: PinnedReader.InTurn
}

/** How to search. */
export interface Options<A, State> extends Pick<CompleteRange.Checked, "needs"> {
  readonly begin: (checkpoint: Checkpoint) => State
  readonly step: (
    snapshot: Snapshot,
    state: State,
  ) => Effect.Effect<Step<A, State>, StoreError | CompleteRange.Incomplete>
}

const projection = { id: WalletLedger.id, kind: "ledger", revision: WalletLedger.revision } as const

/** Coverage of the wallet by the index. */
const coverageIn = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  { chain, wallet }: Query,
): Effect.fn.Return<Coverage.Coverage, SearchError> {
  const stored = yield* snapshot.checkpoint
  yield* Coverage.checkWallet(chain, stored, wallet)
  const coverage = yield* Coverage.ofWallet(snapshot, stored, yield* snapshot.gapCounts, wallet)
  if (coverage.checkpoint !== null) {
    yield* Coverage.checkDerived(projection, snapshot, chain.name, coverage.checkpoint)
  }
  return coverage
})

const steps = Effect.fnUntraced(function* <A, State>(query: Query, { begin, step }: Options<A, State>) {
  const read = PinnedReader.make(query.chain, query.inTurn)
  const first = Effect.fnUntraced(function* (snapshot: Snapshot) {
    const coverage = yield* coverageIn(snapshot, query)
    const { checkpoint } = coverage
    const result: Step<A, State> =
      checkpoint === null ? { _tag: "Ended", found: null } : yield* step(snapshot, begin(checkpoint))
    return { coverage, result }
  })
  const beginning = yield* read(first)
  let { result } = beginning
  while (result._tag === "Next") {
    const { state } = result
    result = yield* read((snapshot) => step(snapshot, state))
  }
  return { coverage: beginning.coverage, found: result.found }
})

/**
 * Searches a ledger; `null` if nothing is found.
 *
 * **Errors**
 * - `Incomplete`: nothing was found, and blocks, transactions or other required data are not indexed.
 * - `NotWatched`, `NotDerived`, `StoreError`: as for pages.
 */
export const run = Effect.fnUntraced(function* <A, State>(
  query: Query,
  options: Options<A, State>,
): Effect.fn.Return<A | null, SearchError> {
  const { coverage, found } = yield* PinnedReader.restarting(steps(query, options))
  if (found !== null) return found
  yield* CompleteRange.check(query.chain, coverage, { from: 0, to: Number.MAX_SAFE_INTEGER }, options)
  return null
})

/** Transaction at a position of a ledger, with internal transactions if requested. */
export const documentAt = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  key: string,
  { block, index }: Position,
  internal: boolean,
) {
  const after = { block, index: index - 1 }
  const query = { key, from: block, to: block, order: "ASC", after, limit: 1, internal } as const
  const [row] = (yield* snapshot.page(projection, query)).rows
  return row === undefined ? null : TransactionParts.documentOf(row)
})
