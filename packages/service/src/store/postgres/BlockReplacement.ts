/**
 * Replaces the rows of a stored block by those of the same block after it was refetched.
 */
import * as Effect from "effect/Effect"
import type { LedgerProjection } from "../../block/Projection.ts"
import * as WalletTransactions from "../../projection/WalletTransactions.ts"
import type { BlockRows } from "../../block/BlockRows.ts"
import type * as Frame from "../rows/Frame.ts"
import * as RowId from "../rows/RowId.ts"
import * as WritePlan from "../rows/WritePlan.ts"
import type { StoreError } from "../StoreError.ts"
import * as Appearances from "./Appearances.ts"
import * as Blocks from "./Blocks.ts"
import type { At } from "./Chain.ts"
import * as CheckpointRow from "../rows/CheckpointRow.ts"
import type * as Checkpoints from "./Checkpoints.ts"
import * as Journal from "./Journal.ts"
import * as Projections from "./Projections.ts"
import * as Proofs from "./Proofs.ts"
import * as Rows from "./Rows.ts"

/**
 * Replaces the rows of a block, even if none is stored; the checkpoint is locked. Returns false, and changes nothing, if the stored block
 * has another hash or the rows do not link to its neighbours.
 */
export const replace = Effect.fnUntraced(function* (
  at: At,
  locked: Checkpoints.Locked,
  ledger: LedgerProjection,
  rows: BlockRows,
  codec: Frame.Codec,
): Effect.fn.Return<boolean, StoreError> {
  const { number } = rows
  const near = yield* Blocks.range(at, number - 1, number + 1)
  if (!WritePlan.fits(CheckpointRow.toCheckpoint(locked.columns), near, rows)) return false
  yield* Appearances.removeRange(at, number, number)
  const own = rows.transactions.flatMap(({ addresses, index }) =>
    Appearances.entriesOf(RowId.make(number, index), addresses),
  )
  yield* Appearances.remove(at, own)
  yield* Rows.remove(at, number, number)
  yield* Rows.insert(at, [rows], codec)
  yield* Projections.replace(at, WalletTransactions.projection, ledger, rows, codec)
  // The previous rows were compared with the chain, not these.
  yield* Proofs.unwind(at, number, false)
  yield* Journal.record(at, locked, "rewrite", number, number)
  return true
})
