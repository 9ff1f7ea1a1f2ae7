/**
 * Projections in a chain's file: derives, inserts and removes their rows, and advances their checkpoints. Functions named `Unsafe` throw
 * what SQLite throws; call them inside a transaction.
 */
import type { BlockRows } from "../../block/BlockRows.ts"
import type { LedgerProjection, Projection } from "../../block/Projection.ts"
import type { Filled } from "../ChainWriter.ts"
import * as ProjectionPlan from "../rows/ProjectionPlan.ts"
import * as RowId from "../rows/RowId.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Histories from "./Histories.ts"
import * as Journal from "./Journal.ts"
import * as Ledgers from "./Ledgers.ts"
import * as ProjectionCheckpoints from "./ProjectionCheckpoints.ts"
import * as Proofs from "./Proofs.ts"
import * as Rows from "./Rows.ts"
import * as Statements from "./Statements.ts"

const packedUnsafe = (projection: LedgerProjection, blocks: ReadonlyArray<BlockRows>) =>
  blocks.map((block) => [block.number, ProjectionPlan.ledgerUnsafe(projection, block)] as const)

/** Inserts the rows of blocks that have none of this projection yet. */
const insertUnsafe = (file: ChainFile, { blocks, number, projection }: ProjectionPlan.Derivation): void => {
  const { connection } = file
  switch (projection.kind) {
    case "ledger":
      return Ledgers.insertUnsafe(connection, packedUnsafe(projection, blocks))
    case "appearances":
      return Histories.insertUnsafe(
        connection,
        blocks.flatMap((block) =>
          ProjectionPlan.appearancesUnsafe(projection, block).flatMap(([id, addresses]) =>
            Histories.entriesOf(id, addresses),
          ),
        ),
      )
    case "documents":
      for (const block of blocks) {
        for (const row of ProjectionPlan.documentsUnsafe(projection, block)) {
          Rows.replaceDocumentUnsafe(file, block.number, row)
        }
      }
      return
    case "entries":
      for (const block of blocks) {
        connection.manyUnsafe(Statements.insertEntry, ProjectionPlan.entriesUnsafe(projection, number, block))
      }
  }
}

const applyUnsafe = (file: ChainFile, { checkpoints, derivations }: ProjectionPlan.Update): void => {
  for (const derivation of derivations) insertUnsafe(file, derivation)
  ProjectionCheckpoints.writeUnsafe(file.connection, checkpoints)
}

/** Applies the projections that are at the head to appended blocks. `from` is the block after the head, or `null` for an empty index. */
export const appendUnsafe = (
  file: ChainFile,
  projections: ReadonlyArray<Projection>,
  from: number | null,
  blocks: ReadonlyArray<BlockRows>,
): void => {
  const stored = ProjectionCheckpoints.listUnsafe(file.connection)
  applyUnsafe(file, ProjectionPlan.append(stored, projections, from, blocks))
}

/** Applies projections to blocks that were added below the first one. */
export const prependUnsafe = (
  file: ChainFile,
  projections: ReadonlyArray<Projection>,
  blocks: ReadonlyArray<BlockRows>,
): void => {
  const stored = ProjectionCheckpoints.listUnsafe(file.connection)
  applyUnsafe(file, ProjectionPlan.prepend(stored, projections, blocks))
}

/** Removes the rows of all projections from a block on. `isEmpty`: no block is left. */
export const unwindUnsafe = ({ connection }: ChainFile, lowest: number, isEmpty: boolean): void => {
  connection.rowsUnsafe(Statements.deleteEntries, [RowId.make(lowest, 0)])
  const stored = ProjectionCheckpoints.listUnsafe(connection)
  ProjectionCheckpoints.writeUnsafe(connection, ProjectionPlan.unwind(stored, lowest, isEmpty))
}

/** Inserts the appearances and the ledger of a replaced block; entries are derived again from it on. */
export const replaceUnsafe = (
  file: ChainFile,
  appearances: Projection,
  ledger: LedgerProjection,
  block: BlockRows,
): void => {
  const { connection } = file
  insertUnsafe(file, { projection: appearances, number: 0, blocks: [block] })
  const stored = ProjectionCheckpoints.listUnsafe(connection)
  const checkpoint = stored.find(({ id }) => id === ledger.id) ?? null
  if (ProjectionPlan.isDerived(checkpoint, ledger, block.number)) {
    Ledgers.replaceUnsafe(connection, packedUnsafe(ledger, [block]))
  } else Ledgers.removeUnsafe(connection, block.number, block.number)
  ProjectionCheckpoints.writeUnsafe(connection, ProjectionPlan.replace(stored, block.number))
}

/** Removes the results of an earlier derivation in a range of blocks. */
const clearUnsafe = (
  { connection }: ChainFile,
  { kind }: Projection,
  number: number,
  from: number,
  to: number,
): void => {
  const [first, end] = RowId.range(from, to)
  if (kind === "entries") connection.rowsUnsafe(Statements.deleteEntriesOf, [number, first, end])
  if (kind === "ledger") Proofs.unwindUnsafe(connection, from, false)
  if (kind === "appearances") Rows.removeHistoriesUnsafe(connection, from, to)
}

/** Derives the rows of the next blocks; returns how many transactions were read, and whether the projection is at the head. */
export const fillUnsafe = (file: ChainFile, projection: Projection, maxTransactions: number): Filled => {
  const { connection, ref } = file
  const index = Checkpoints.readUnsafe(connection, ref.id)
  ProjectionCheckpoints.registerUnsafe(connection, index.first, [projection])
  // Sound: it was registered.
  const checkpoint = ProjectionCheckpoints.readUnsafe(connection, projection.id)!
  const from = ProjectionPlan.fillFrom(checkpoint, index)
  if (from === null) return { transactions: 0, isDone: true }
  const counts = connection.valuesUnsafe<readonly [number: number, count: number]>(Statements.blockCounts, [
    ref.id,
    from,
    ProjectionPlan.maxFilledBlocks,
  ])
  const { to, transactions } = ProjectionPlan.fillTo(counts, from, maxTransactions)
  const isCurrent = projection.kind === "documents" && !Rows.hasStaleUnsafe(connection, from, to, projection.revision)
  if (!isCurrent) {
    clearUnsafe(file, projection, checkpoint.number, from, to)
    const blocks = Rows.readUnsafe(connection, ref.id, from, to, ProjectionPlan.wantsFacts(projection))
    if (projection.kind === "ledger") Ledgers.replaceUnsafe(connection, packedUnsafe(projection, blocks))
    else insertUnsafe(file, { projection, number: checkpoint.number, blocks })
    Journal.recordUnsafe(file, "rewrite", from, to)
  }
  ProjectionCheckpoints.writeUnsafe(connection, [{ ...checkpoint, next: to + 1 }])
  return { transactions: isCurrent ? 0 : transactions, isDone: to === index.number }
}
