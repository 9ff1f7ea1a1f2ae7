/**
 * Fills a projection from stored blocks, a few per step.
 */
import * as Effect from "effect/Effect"
import type { Projection } from "../../block/Projection.ts"
import type { Filled } from "../ChainWriter.ts"
import type * as Frame from "../rows/Frame.ts"
import * as ProjectionPlan from "../rows/ProjectionPlan.ts"
import * as RowId from "../rows/RowId.ts"
import type { StoreError } from "../StoreError.ts"
import * as Appearances from "./Appearances.ts"
import type { At } from "./Chain.ts"
import type * as Checkpoints from "./Checkpoints.ts"
import * as Documents from "./Documents.ts"
import * as Journal from "./Journal.ts"
import * as Ledgers from "./Ledgers.ts"
import * as ProjectionCheckpoints from "./ProjectionCheckpoints.ts"
import * as Projections from "./Projections.ts"
import * as Proofs from "./Proofs.ts"
import * as Rows from "./Rows.ts"
import * as Values from "./Values.ts"

/** Removes the results of an earlier derivation in a range of blocks. */
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
  const { columns } = locked
  yield* ProjectionCheckpoints.register(at, columns.first, [projection])
  // Sound: it was registered.
  const checkpoint = (yield* ProjectionCheckpoints.read(at, projection.id))!
  const from = ProjectionPlan.fillFrom(checkpoint, columns)
  if (from === null) return { transactions: 0, isDone: true }
  const { chain, session } = at
  const counts = yield* session.rows<readonly [number: number, count: number]>(chain.sql.blockCounts, [
    Values.big(from),
    Values.big(ProjectionPlan.maxFilledBlocks),
  ])
  const { to, transactions } = ProjectionPlan.fillTo(counts, from, maxTransactions)
  const isCurrent = projection.kind === "documents" && !(yield* Documents.hasStale(at, from, to, projection.revision))
  if (!isCurrent) {
    const { number } = checkpoint
    yield* clear(at, projection, number, from, to)
    const blocks = yield* Rows.read(at, from, to, ProjectionPlan.wantsFacts(projection))
    yield* Projections.insert(at, { projection, number, blocks }, codec)
    yield* Journal.record(at, locked, "rewrite", from, to)
  }
  yield* ProjectionCheckpoints.write(at, [{ ...checkpoint, next: to + 1 }])
  return { transactions: isCurrent ? 0 : transactions, isDone: to === columns.number }
})
