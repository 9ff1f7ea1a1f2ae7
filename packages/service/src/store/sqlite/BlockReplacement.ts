/**
 * Replaces the rows of a stored block by those of the same block fetched again. Functions named `Unsafe` throw what SQLite throws; call
 * them inside a transaction.
 */
import type { BlockRows } from "../../block/BlockRows.ts"
import type { LedgerProjection } from "../../block/Projection.ts"
import * as WalletTransactions from "../../projection/WalletTransactions.ts"
import type * as BlockRow from "../rows/BlockRow.ts"
import * as Blocks from "./Blocks.ts"
import * as Changes from "./Changes.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Facts from "./Facts.ts"
import * as Gaps from "./Gaps.ts"
import * as Histories from "./Histories.ts"
import * as Projections from "./Projections.ts"
import * as Proofs from "./Proofs.ts"
import * as RowId from "../rows/RowId.ts"
import * as Rows from "./Rows.ts"
import * as Statements from "./Statements.ts"

const intact = (block: BlockRow.StoredHeader | undefined): BlockRow.StoredHeader | undefined =>
  block?.isDamaged === true ? undefined : block

/** Whether rows may be stored under their number: in place of the same block, or in a gap between blocks that they link. */
const fitsUnsafe = ({ connection, ref }: ChainFile, { hash, number, parentHash }: BlockRows): boolean => {
  const { checkpoint } = Checkpoints.readUnsafe(connection, ref.id)
  if (checkpoint === null || number < checkpoint.first || number > checkpoint.head.number) return false
  const near = Blocks.rangeUnsafe(connection, ref.id, number - 1, number + 1)
  const at = (wanted: number) => intact(near.find((block) => block.number === wanted))
  const stored = at(number)
  if (stored !== undefined) return stored.hash === hash
  if (number === checkpoint.head.number && hash !== checkpoint.head.hash) return false
  const below = at(number - 1)?.hash ?? parentHash
  return below === parentHash && (at(number + 1)?.parentHash ?? hash) === hash
}

/**
 * Replaces the rows of a block, also where none is stored. False where the stored block has another hash, or where the rows do not link to
 * its neighbours: nothing was changed then.
 */
export const replaceUnsafe = (file: ChainFile, ledger: LedgerProjection, rows: BlockRows): boolean => {
  const { connection, ref } = file
  const { number } = rows
  if (!fitsUnsafe(file, rows)) return false
  Rows.removeHistoriesUnsafe(connection, number, number)
  for (const { addresses, index } of rows.transactions) {
    Histories.removeUnsafe(connection, Histories.entriesOf(RowId.of(number, index), addresses))
  }
  Rows.deleteTransactionsUnsafe(connection, number, number)
  connection.rowsUnsafe(Statements.deleteBlock, [ref.id, number])
  Gaps.deleteUnsafe(connection, number, number)
  Facts.deleteUnsafe(connection, number, number)
  Rows.insertUnsafe(file, rows)
  Projections.replaceUnsafe(file, WalletTransactions.projection, ledger, rows)
  // What was compared with the chain were the rows before.
  Proofs.unwindUnsafe(connection, number, false)
  Changes.recordUnsafe(connection, ref.id, { kind: "rewritten", lowest: number, highest: number })
  return true
}
