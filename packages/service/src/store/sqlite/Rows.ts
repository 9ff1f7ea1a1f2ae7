/**
 * Inserts, reads and removes the rows of blocks in a chain's file. Throws what SQLite throws, so call it inside a transaction.
 */
import { StoreError } from "../StoreError.ts"
import type { BlockRows } from "../../block/BlockRows.ts"
import * as Blocks from "./Blocks.ts"
import type { ChainFile } from "./ChainFile.ts"
import type { Connection } from "./Connection.ts"
import type * as DocumentRow from "../rows/DocumentRow.ts"
import * as Documents from "./Documents.ts"
import * as DocumentStatements from "./DocumentStatements.ts"
import * as Facts from "./Facts.ts"
import * as FactsRow from "../rows/FactsRow.ts"
import * as Gaps from "./Gaps.ts"
import * as Histories from "./Histories.ts"
import * as PreparedBlock from "../rows/PreparedBlock.ts"
import * as RowId from "../rows/RowId.ts"

/** Inserts a block and its transactions; what projections derive from them is inserted separately. */
export const insertUnsafe = ({ codec, connection, ref }: ChainFile, block: BlockRows): void => {
  Blocks.insertUnsafe(connection, ref.id, block, Facts.insertUnsafe(connection, PreparedBlock.factsOf(block, codec)))
  Documents.insertPreparedUnsafe(connection, PreparedBlock.documentsOf(block, codec))
  Gaps.insertUnsafe(connection, block)
}

/** A stored transaction, or the issue of its row. */
export type Read = readonly [id: number, row: DocumentRow.StoredRow | StoreError]

const readUnlessDamaged = (connection: Connection, columns: DocumentRow.Columns): Read => {
  try {
    return [columns[0], Documents.fromColumnsUnsafe(connection, columns, true)]
  } catch (cause) {
    if (cause instanceof StoreError && cause.damagedBlock !== undefined) return [columns[0], cause]
    throw cause
  }
}

/** Transactions in a range of blocks, inclusive, including damaged ones. */
export const listUnsafe = (connection: Connection, from: number, to: number): ReadonlyArray<Read> =>
  connection
    .valuesUnsafe<DocumentRow.Columns>(DocumentStatements.documents, RowId.range(from, to))
    .map((columns) => readUnlessDamaged(connection, columns))

/** Stored transactions in a range of blocks, inclusive, by block; throws if one is damaged. */
const transactionsUnsafe = (connection: Connection, from: number, to: number) => {
  const byBlock = new Map<number, Array<DocumentRow.StoredRow>>()
  for (const [id, row] of listUnsafe(connection, from, to)) {
    if (row instanceof StoreError) throw row
    const { block } = RowId.toPosition(id)
    const own = byBlock.get(block)
    if (own === undefined) byBlock.set(block, [row])
    else own.push(row)
  }
  return byBlock
}

/** Stored blocks of a range, inclusive, as appended; without their facts unless requested. */
export const readUnsafe = (
  connection: Connection,
  chain: number,
  from: number,
  to: number,
  wantsFacts: boolean,
): ReadonlyArray<BlockRows> => {
  const transactions = transactionsUnsafe(connection, from, to)
  const blocks = Blocks.rangeUnsafe(connection, chain, from, to)
  const facts = Facts.rangeUnsafe(connection, wantsFacts ? blocks : [])
  return blocks.map(({ hash, number, parentHash, timestamp }): BlockRows => {
    const rows = transactions.get(number) ?? []
    const text = FactsRow.textUnsafe(facts.get(number))
    const own = text === null ? {} : { facts: text }
    const decoderRevision = rows[0]?.decoderRevision ?? 0
    return { number, hash, parentHash, timestamp, decoderRevision, transactions: rows, ...own }
  })
}

/** Removes the history entries of wallets that the documents of a range of blocks, inclusive, name. */
export const removeHistoriesUnsafe = (connection: Connection, from: number, to: number): void => {
  for (const [id, row] of listUnsafe(connection, from, to)) {
    if (row instanceof StoreError) Histories.removeRangeUnsafe(connection, id, id + 1)
    else Histories.removeUnsafe(connection, Histories.entriesOf(id, row.addresses))
  }
}

const deletes = DocumentStatements.documentTables.map(DocumentStatements.deleteDocuments)

/** Removes the transactions of a range of blocks, inclusive. */
export const deleteTransactionsUnsafe = (connection: Connection, from: number, to: number): void => {
  for (const sql of deletes) connection.rowsUnsafe(sql, RowId.range(from, to))
}

/** Replaces the document of a transaction with one of another revision; its other columns are unchanged. */
export const replaceDocumentUnsafe = (
  { codec, connection }: ChainFile,
  block: number,
  row: DocumentRow.StoredRow,
): void => {
  const id = RowId.make(block, row.index)
  for (const sql of deletes) connection.rowsUnsafe(sql, [id, id + 1])
  Documents.insertUnsafe(connection, block, [row], codec)
}

/** No document has this revision. */
const noRevision = -1

/** Whether a range of blocks, inclusive, has a transaction. */
export const hasTransactionsUnsafe = (connection: Connection, from: number, to: number): boolean =>
  hasStaleUnsafe(connection, from, to, noRevision)

/** Whether a document of a range of blocks, inclusive, has another revision. */
export const hasStaleUnsafe = (connection: Connection, from: number, to: number, revision: number): boolean =>
  connection.valuesUnsafe(DocumentStatements.staleDocuments, [...RowId.range(from, to), revision]).length > 0
