/**
 * Replaces the rows of a stored block by those of the same block after it was refetched. Functions named `Unsafe` throw what SQLite throws;
 * call them inside a transaction.
 */
import type { BlockRows } from "../../block/BlockRows.ts"
import type { LedgerProjection } from "../../block/Projection.ts"
import * as WalletTransactions from "../../projection/WalletTransactions.ts"
import * as WritePlan from "../rows/WritePlan.ts"
import * as Blocks from "./Blocks.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Facts from "./Facts.ts"
import * as Gaps from "./Gaps.ts"
import * as Histories from "./Histories.ts"
import * as Journal from "./Journal.ts"
import * as Projections from "./Projections.ts"
import * as Proofs from "./Proofs.ts"
import * as RowId from "../rows/RowId.ts"
import * as Rows from "./Rows.ts"
import * as Statements from "./Statements.ts"

/**
 * Replaces the rows of a block, even if none is stored. Returns false, and changes nothing, if the stored block has another hash or the
 * rows do not link to its neighbours.
 */
export const replaceUnsafe = (file: ChainFile, ledger: LedgerProjection, rows: BlockRows): boolean => {
  const { connection, ref } = file
  const { number } = rows
  const near = Blocks.rangeUnsafe(connection, ref.id, number - 1, number + 1)
  if (!WritePlan.fits(Checkpoints.checkpointUnsafe(connection, ref.id), near, rows)) return false
  Rows.removeHistoriesUnsafe(connection, number, number)
  for (const { addresses, index } of rows.transactions) {
    Histories.removeUnsafe(connection, Histories.entriesOf(RowId.make(number, index), addresses))
  }
  Rows.deleteTransactionsUnsafe(connection, number, number)
  connection.rowsUnsafe(Statements.deleteBlock, [ref.id, number])
  Gaps.deleteUnsafe(connection, number, number)
  Facts.deleteUnsafe(connection, number, number)
  Rows.insertUnsafe(file, rows)
  Projections.replaceUnsafe(file, WalletTransactions.projection, ledger, rows)
  // The previous rows were compared with the chain, not these.
  Proofs.unwindUnsafe(connection, number, false)
  Journal.recordUnsafe(file, "rewrite", number, number)
  return true
}
