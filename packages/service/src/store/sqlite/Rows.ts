/**
 * Inserts, reads and removes the rows of blocks in a chain's file, in the layout of each block. Throws what SQLite throws: call it
 * inside a transaction.
 */
import { StoreError } from "../StoreError.ts"
import type { BlockRows } from "../../block/BlockRows.ts"
import * as Blocks from "./Blocks.ts"
import type { ChainFile } from "./ChainFile.ts"
import * as Checkpoints from "./Checkpoints.ts"
import type { Connection } from "./Connection.ts"
import type * as DocumentRow from "../rows/DocumentRow.ts"
import * as Documents from "./Documents.ts"
import * as DocumentStatements from "./DocumentStatements.ts"
import * as Facts from "./Facts.ts"
import * as FactsRow from "../rows/FactsRow.ts"
import * as Gaps from "./Gaps.ts"
import * as Histories from "./Histories.ts"
import * as OldRows from "./OldRows.ts"
import * as OldStatements from "./OldStatements.ts"
import * as PreparedBlock from "../rows/PreparedBlock.ts"
import * as RowId from "../rows/RowId.ts"

/** Inserts a block and its transactions; what projections derive of them is inserted apart. */
export const insertUnsafe = ({ codec, connection, ref }: ChainFile, block: BlockRows, layoutFrom: number): void => {
  const { number } = block
  Blocks.insertUnsafe(connection, ref.id, block, Facts.insertUnsafe(connection, PreparedBlock.factsOf(block, codec)))
  if (number < layoutFrom) OldRows.insertUnsafe(connection, ref.id, number, PreparedBlock.rowsOf(block))
  else Documents.insertPreparedUnsafe(connection, PreparedBlock.documentsOf(block, codec))
  Gaps.insertUnsafe(connection, block)
}

/** Puts a transaction into the histories of wallets. */
export const insertHistoryUnsafe = (
  { connection, ref }: ChainFile,
  id: number,
  addresses: ReadonlyArray<string>,
  layoutFrom: number,
): void => {
  if (RowId.toPosition(id).block < layoutFrom) OldRows.insertAppearancesUnsafe(connection, ref.id, id, addresses)
  else Histories.insertUnsafe(connection, Histories.entriesOf(id, addresses))
}

/** A stored transaction, or what is wrong with its row. */
export type Read = readonly [id: number, row: DocumentRow.StoredRow | StoreError]

const readPresent = (connection: Connection, columns: DocumentRow.Columns): Read => {
  try {
    return [columns[0], Documents.fromColumnsUnsafe(connection, columns, true)]
  } catch (cause) {
    if (cause instanceof StoreError && cause.damagedBlock !== undefined) return [columns[0], cause]
    throw cause
  }
}

/** The transactions of a range of blocks, inclusive, with those that are damaged. */
export const listUnsafe = (
  connection: Connection,
  from: number,
  to: number,
  layoutFrom: number,
): ReadonlyArray<Read> => {
  const [first, end] = RowId.range(from, to)
  const [start] = RowId.range(layoutFrom, layoutFrom)
  const old = from < layoutFrom ? OldRows.readUnsafe(connection, first, Math.min(end, start)) : []
  const columns = connection.valuesUnsafe<DocumentRow.Columns>(DocumentStatements.documents, [
    Math.max(first, start),
    end,
  ])
  return [...old, ...columns.map((row) => readPresent(connection, row))]
}

/** The stored transactions of a range of blocks, inclusive, by block; throws for one that is damaged. */
const transactionsUnsafe = (connection: Connection, from: number, to: number, layoutFrom: number) => {
  const byBlock = new Map<number, Array<DocumentRow.StoredRow>>()
  for (const [id, row] of listUnsafe(connection, from, to, layoutFrom)) {
    if (row instanceof StoreError) throw row
    const { block } = RowId.toPosition(id)
    const own = byBlock.get(block)
    if (own === undefined) byBlock.set(block, [row])
    else own.push(row)
  }
  return byBlock
}

/** The stored blocks of a range, inclusive, as they were appended; without their facts unless they are wanted. */
export const readUnsafe = (
  connection: Connection,
  chain: number,
  from: number,
  to: number,
  wantsFacts: boolean,
): ReadonlyArray<BlockRows> => {
  const layoutFrom = Checkpoints.layoutFromUnsafe(connection, chain)
  const transactions = transactionsUnsafe(connection, from, to, layoutFrom)
  const blocks = Blocks.rangeUnsafe(connection, chain, from, to, layoutFrom)
  const facts = Facts.rangeUnsafe(connection, wantsFacts ? blocks : [])
  return blocks.map(({ hash, number, parentHash, timestamp }): BlockRows => {
    const rows = transactions.get(number) ?? []
    const text = FactsRow.textUnsafe(facts.get(number))
    const own = text === null ? {} : { facts: text }
    const decoderRevision = rows[0]?.decoderRevision ?? 0
    return { number, hash, parentHash, timestamp, decoderRevision, transactions: rows, ...own }
  })
}

/** Removes what the documents of a range of blocks, inclusive, name from the histories of wallets. */
export const removeHistoriesUnsafe = (connection: Connection, chain: number, from: number, to: number): void => {
  const layoutFrom = Checkpoints.layoutFromUnsafe(connection, chain)
  for (const [id, row] of listUnsafe(connection, from, to, layoutFrom)) {
    if (row instanceof StoreError) Histories.removeRangeUnsafe(connection, id, id + 1)
    else if (RowId.toPosition(id).block < layoutFrom) {
      OldRows.removeAppearancesUnsafe(connection, chain, id, row.addresses)
    } else Histories.removeUnsafe(connection, Histories.entriesOf(id, row.addresses))
  }
}

const deletes = [
  ...DocumentStatements.documentTables.map(DocumentStatements.deleteDocuments),
  OldStatements.deleteTransactionsOf,
]

/** Removes the transactions of a range of blocks, inclusive. */
export const deleteTransactionsUnsafe = (connection: Connection, from: number, to: number): void => {
  for (const sql of deletes) connection.rowsUnsafe(sql, RowId.range(from, to))
}

/** Replaces the document of a transaction by one of another revision; its other columns are unchanged. */
export const replaceDocumentUnsafe = (
  { codec, connection }: ChainFile,
  block: number,
  row: DocumentRow.StoredRow,
  layoutFrom: number,
): void => {
  const id = RowId.of(block, row.index)
  if (block < layoutFrom) {
    connection.rowsUnsafe(OldStatements.updateDocument, [row.body, row.decoderRevision, id, row.decoderRevision])
    return
  }
  for (const sql of deletes.slice(0, -1)) connection.rowsUnsafe(sql, [id, id + 1])
  Documents.insertUnsafe(connection, block, [row], codec)
}

/** No document has this revision. */
const noRevision = -1

/** Whether a range of blocks, inclusive, has a transaction. */
export const hasTransactionsUnsafe = (connection: Connection, from: number, to: number): boolean =>
  hasStaleUnsafe(connection, from, to, noRevision)

/** Whether a document of a range of blocks, inclusive, has another revision. */
export const hasStaleUnsafe = (connection: Connection, from: number, to: number, revision: number): boolean =>
  [DocumentStatements.staleDocuments, OldStatements.staleDocuments].some(
    (sql) => connection.valuesUnsafe(sql, [...RowId.range(from, to), revision]).length > 0,
  )
