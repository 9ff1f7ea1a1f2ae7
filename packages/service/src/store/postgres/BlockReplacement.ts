/**
 * Replaces the rows of a stored block by those of the same block fetched again.
 */
import * as Effect from "effect/Effect"
import type { LedgerProjection } from "../../block/Projection.ts"
import * as WalletTransactions from "../../projection/WalletTransactions.ts"
import type { BlockRows } from "../../block/BlockRows.ts"
import type * as BlockRow from "../rows/BlockRow.ts"
import type * as Frame from "../rows/Frame.ts"
import * as RowId from "../rows/RowId.ts"
import type { StoreError } from "../StoreError.ts"
import * as Appearances from "./Appearances.ts"
import * as Blocks from "./Blocks.ts"
import type { At } from "./Chain.ts"
import * as CheckpointRow from "../rows/CheckpointRow.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Projections from "./Projections.ts"
import * as Proofs from "./Proofs.ts"
import * as Rows from "./Rows.ts"

const intact = (block: BlockRow.StoredHeader | undefined): BlockRow.StoredHeader | undefined =>
  block?.isDamaged === true ? undefined : block

/** Whether rows may be stored under their number: in place of the same block, or in a gap between blocks that they link. */
const fits = Effect.fnUntraced(function* (
  at: At,
  { columns }: Checkpoints.Locked,
  { hash, number, parentHash }: BlockRows,
): Effect.fn.Return<boolean, StoreError> {
  const checkpoint = CheckpointRow.toCheckpoint(columns)
  if (checkpoint === null || number < checkpoint.first || number > checkpoint.head.number) return false
  const near = yield* Blocks.range(at, number - 1, number + 1)
  const storedAt = (wanted: number) => intact(near.find((block) => block.number === wanted))
  const stored = storedAt(number)
  if (stored !== undefined) return stored.hash === hash
  if (number === checkpoint.head.number && hash !== checkpoint.head.hash) return false
  const below = storedAt(number - 1)?.hash ?? parentHash
  return below === parentHash && (storedAt(number + 1)?.parentHash ?? hash) === hash
})

/**
 * Replaces the rows of a block, also where none is stored; the checkpoint is locked. False where the stored block has another hash, or
 * where the rows do not link to its neighbours: nothing was changed then.
 */
export const replace = Effect.fnUntraced(function* (
  at: At,
  locked: Checkpoints.Locked,
  ledger: LedgerProjection,
  rows: BlockRows,
  codec: Frame.Codec,
): Effect.fn.Return<boolean, StoreError> {
  if (!(yield* fits(at, locked, rows))) return false
  const { number } = rows
  yield* Appearances.removeRange(at, number, number)
  const own = rows.transactions.flatMap(({ addresses, index }) =>
    Appearances.entriesOf(RowId.of(number, index), addresses),
  )
  yield* Appearances.remove(at, own)
  yield* Rows.remove(at, number, number)
  yield* Rows.insert(at, [rows], codec)
  yield* Projections.replace(at, WalletTransactions.projection, ledger, rows, codec)
  // What was compared with the chain were the rows before.
  yield* Proofs.unwind(at, number, false)
  yield* Checkpoints.advance(at, locked, {})
  return true
})
