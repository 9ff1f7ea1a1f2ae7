/**
 * Projections in a chain's file: their checkpoints, and how their rows are derived, appended and removed. Functions named `Unsafe`
 * throw what SQLite throws; call them inside a transaction.
 */
import type { BlockRows, Checkpoint } from "../../block/BlockRows.ts"
import type { Filled } from "../ChainWriter.ts"
import { StoreError } from "../StoreError.ts"
import type { LedgerProjection, Projection } from "../../block/Projection.ts"
import { fromHex } from "../rows/Bytes.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Changes from "./Changes.ts"
import * as Histories from "./Histories.ts"
import type { StoredRow } from "../rows/DocumentRow.ts"
import type { Params } from "./Connection.ts"
import * as Ledgers from "./Ledgers.ts"
import * as ProjectionCheckpoints from "./ProjectionCheckpoints.ts"
import * as Proofs from "./Proofs.ts"
import * as RowId from "../rows/RowId.ts"
import * as Rows from "./Rows.ts"
import * as Statements from "./Statements.ts"

/** Blocks that one filling step reads at most. */
const maxBlocks = 500

/** Registers projections; one with another revision is derived again from the first block on. */
export const registerUnsafe = ({ connection, ref }: ChainFile, projections: ReadonlyArray<Projection>): void =>
  ProjectionCheckpoints.registerUnsafe(connection, ref.id, projections)

const deriveUnsafe = <A>(derive: (block: BlockRows) => A, block: BlockRows): A => {
  try {
    return derive(block)
  } catch (cause) {
    throw new StoreError({
      message: `Stored block damaged: block ${block.number} has a document that cannot be read. Run "daybook repair".`,
      isRetryable: false,
      damagedBlock: block.number,
      cause,
    })
  }
}

const ledgerUnsafe = (projection: LedgerProjection, block: BlockRows): Uint8Array =>
  block.ledger ?? deriveUnsafe(projection.ledger, block)

/** Inserts the rows of a block that has none of this projection yet. */
const insertUnsafe = (file: ChainFile, projection: Projection, number: number, block: BlockRows): void => {
  const { connection } = file
  if (projection.kind === "ledger") {
    return Ledgers.insertUnsafe(connection, block.number, ledgerUnsafe(projection, block))
  }
  const rows = deriveUnsafe(projection.rows, block)
  switch (projection.kind) {
    case "appearances": {
      for (const { index, keys } of rows) {
        Histories.insertUnsafe(connection, Histories.entriesOf(RowId.of(block.number, index), keys))
      }
      return
    }
    case "documents": {
      const texts = new Map(rows.map(({ body, index }) => [index, body]))
      for (const row of block.transactions) {
        const body = texts.get(row.index)
        const { decoderRevision = block.decoderRevision } = row as Partial<StoredRow>
        if (body == null || decoderRevision === projection.revision) continue
        Rows.replaceDocumentUnsafe(file, block.number, { ...row, body, decoderRevision: projection.revision })
      }
      return
    }
    case "entries": {
      let position = 0
      const params = rows.flatMap(({ body, keys }) =>
        keys.map((key): Params => [number, RowId.of(block.number, position++), fromHex(key), body]),
      )
      return connection.manyUnsafe(Statements.insertEntry, params)
    }
  }
}

/** Inserts the rows of a block that is added with its documents, which may be decoded already. */
const deriveAddedUnsafe = (file: ChainFile, projection: Projection, number: number, block: BlockRows): void => {
  const isDerived = projection.kind === "documents" && block.decoderRevision === projection.revision
  if (!isDerived) insertUnsafe(file, projection, number, block)
}

/**
 * Applies the projections that are at the head to appended blocks. `from` is the block after the head, `null` for an empty index.
 */
export const appendUnsafe = (
  file: ChainFile,
  projections: ReadonlyArray<Projection>,
  from: number | null,
  blocks: ReadonlyArray<BlockRows>,
): void => {
  const { connection } = file
  const next = blocks.at(-1)!.number + 1
  for (const projection of projections) {
    const state = ProjectionCheckpoints.readUnsafe(connection, projection.id)
    if (state === null || state.revision !== projection.revision || state.next !== from) continue
    for (const block of blocks) deriveAddedUnsafe(file, projection, state.number, block)
    connection.rowsUnsafe(Statements.moveProjection, [next, state.number])
  }
  ProjectionCheckpoints.sealUnsafe(connection)
}

/**
 * Applies projections to blocks that were added below the first one. Those that are not derived with the present revision begin again
 * with the lowest block.
 */
export const prependUnsafe = (
  file: ChainFile,
  projections: ReadonlyArray<Projection>,
  blocks: ReadonlyArray<BlockRows>,
): void => {
  const { connection } = file
  for (const { id, number, revision } of ProjectionCheckpoints.listUnsafe(connection)) {
    const projection = projections.find((candidate) => candidate.id === id && candidate.revision === revision)
    if (projection === undefined) connection.rowsUnsafe(Statements.restartProjection, [blocks[0]!.number, number])
    else for (const block of blocks) deriveAddedUnsafe(file, projection, number, block)
  }
  ProjectionCheckpoints.sealUnsafe(connection)
}

/** Removes the rows of all projections from a block on. `isEmpty`: no block is left. */
export const unwindUnsafe = ({ connection }: ChainFile, lowest: number, isEmpty: boolean): void => {
  connection.rowsUnsafe(Statements.deleteEntries, [RowId.of(lowest, 0)])
  if (isEmpty) connection.rowsUnsafe(Statements.emptyProjections, [])
  else connection.rowsUnsafe(Statements.unwindProjections, [lowest, lowest])
  ProjectionCheckpoints.sealUnsafe(connection)
}

/** Inserts the appearances and the ledger of a block that was replaced; entries are derived again from it on. */
export const replaceUnsafe = (
  file: ChainFile,
  appearances: Projection,
  ledger: LedgerProjection,
  block: BlockRows,
): void => {
  insertUnsafe(file, appearances, 0, block)
  const state = ProjectionCheckpoints.readUnsafe(file.connection, ledger.id)
  const isDerived = state?.revision === ledger.revision && (state.next ?? 0) > block.number
  if (isDerived) Ledgers.replaceUnsafe(file.connection, block.number, ledgerUnsafe(ledger, block))
  else Ledgers.removeUnsafe(file.connection, block.number, block.number)
  file.connection.rowsUnsafe(Statements.rewindEntries, [block.number, block.number])
  ProjectionCheckpoints.sealUnsafe(file.connection)
}

/** The last block of a filling step, and its number of transactions. */
const stepUnsafe = ({ connection, ref }: ChainFile, from: number, maxTransactions: number) => {
  let to = from
  let transactions = 0
  for (const { count, number } of connection.rowsUnsafe<{ readonly number: number; readonly count: number }>(
    Statements.blockCounts,
    [ref.id, from, maxBlocks],
  )) {
    if (number > from && transactions + count > maxTransactions) break
    to = number
    transactions += count
  }
  return { to, transactions }
}

/** Derives the rows of the next blocks; gives how many transactions were read, and whether the projection is at the head. */
export const fillUnsafe = (
  file: ChainFile,
  projection: Projection,
  checkpoint: Checkpoint | null,
  maxTransactions: number,
): Filled => {
  const { connection } = file
  registerUnsafe(file, [projection])
  const state = ProjectionCheckpoints.readUnsafe(connection, projection.id)!
  if (checkpoint === null) return { transactions: 0, isDone: true }
  const head = checkpoint.head.number
  // An index that was emptied may have grown again without this projection.
  const from = state.next ?? checkpoint.first
  if (from > head) return { transactions: 0, isDone: true }
  const { to, transactions } = stepUnsafe(file, from, maxTransactions)
  const [first, end] = RowId.range(from, to)
  const isCurrent = projection.kind === "documents" && !Rows.hasStaleUnsafe(connection, from, to, projection.revision)
  if (projection.kind === "entries") connection.rowsUnsafe(Statements.deleteEntriesOf, [state.number, first, end])
  if (projection.kind === "ledger") Proofs.unwindUnsafe(connection, from, false)
  if (projection.kind === "appearances") Rows.removeHistoriesUnsafe(connection, from, to)
  // Documents and appearances are made of transactions alone: damaged facts do not keep them from the head.
  const wantsFacts = projection.kind === "entries" || projection.kind === "ledger"
  const blocks = isCurrent ? [] : Rows.readUnsafe(connection, file.ref.id, from, to, wantsFacts)
  for (const block of blocks) {
    if (projection.kind === "ledger") Ledgers.replaceUnsafe(connection, block.number, ledgerUnsafe(projection, block))
    else insertUnsafe(file, projection, state.number, block)
  }
  connection.rowsUnsafe(Statements.moveProjection, [to + 1, state.number])
  ProjectionCheckpoints.sealUnsafe(connection)
  if (!isCurrent) Changes.recordUnsafe(connection, file.ref.id, { kind: "rewritten", lowest: from, highest: to })
  return { transactions: isCurrent ? 0 : transactions, isDone: to === head }
}
