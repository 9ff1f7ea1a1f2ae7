/**
 * Fills a projection from stored blocks, some of them in each step.
 */
import * as Effect from "effect/Effect"
import type { Projection } from "../../block/Projection.ts"
import type { Filled } from "../ChainWriter.ts"
import type * as Frame from "../rows/Frame.ts"
import * as RowId from "../rows/RowId.ts"
import type { StoreError } from "../StoreError.ts"
import * as Appearances from "./Appearances.ts"
import type { At } from "./Chain.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Documents from "./Documents.ts"
import * as Ledgers from "./Ledgers.ts"
import * as ProjectionCheckpoints from "./ProjectionCheckpoints.ts"
import * as Projections from "./Projections.ts"
import * as Proofs from "./Proofs.ts"
import * as Rows from "./Rows.ts"
import * as Values from "./Values.ts"

/** Blocks that one step reads at most. */
const maxBlocks = 500

/** The last block of a step, and its number of transactions. */
const range = Effect.fnUntraced(function* ({ chain: { sql }, session }: At, from: number, maxTransactions: number) {
  let to = from
  let transactions = 0
  const rows = yield* session.rows<readonly [number: number, count: number]>(sql.blockCounts, [
    Values.big(from),
    Values.big(maxBlocks),
  ])
  for (const [number, count] of rows) {
    if (number > from && transactions + count > maxTransactions) break
    to = number
    transactions += count
  }
  return { to, transactions }
})

/** Removes what an earlier derivation left in a range of blocks. */
const clear = (at: At, { kind }: Projection, number: number, from: number, to: number) => {
  if (kind === "ledger") return Effect.andThen(Proofs.unwind(at, from, false), Ledgers.remove(at, from, to))
  if (kind === "appearances") return Appearances.removeRange(at, from, to)
  if (kind === "documents") return Effect.void
  const [first, end] = RowId.range(from, to)
  const params = [Values.int(number), Values.big(first), Values.big(end - 1)]
  return Effect.asVoid(at.session.rows(at.chain.sql.deleteEntriesOf, params))
}

/** Derives the rows of the next blocks; runs in a transaction that holds the checkpoint. */
export const step = Effect.fnUntraced(function* (
  at: At,
  locked: Checkpoints.Locked,
  projection: Projection,
  maxTransactions: number,
  codec: Frame.Codec,
): Effect.fn.Return<Filled, StoreError> {
  const { first, number: head } = locked.columns
  yield* ProjectionCheckpoints.register(at, first, [projection])
  // Sound: it was registered.
  const state = (yield* ProjectionCheckpoints.read(at, projection.id))!
  if (first === null || head === null) return { transactions: 0, isDone: true }
  // An index that was emptied may have grown again without this projection.
  const from = state.next ?? first
  if (from > head) return { transactions: 0, isDone: true }
  const { to, transactions } = yield* range(at, from, maxTransactions)
  const isCurrent = projection.kind === "documents" && !(yield* Documents.hasStale(at, from, to, projection.revision))
  if (!isCurrent) {
    yield* clear(at, projection, state.number, from, to)
    // Documents and appearances are made of transactions alone: damaged facts do not keep them from the head.
    const wantsFacts = projection.kind === "entries" || projection.kind === "ledger"
    const blocks = yield* Rows.read(at, from, to, wantsFacts)
    yield* Projections.insert(at, projection, state.number, blocks, codec)
    yield* Checkpoints.advance(at, locked, {})
  }
  yield* ProjectionCheckpoints.write(at, { ...state, next: to + 1 })
  return { transactions: isCurrent ? 0 : transactions, isDone: to === head }
})
