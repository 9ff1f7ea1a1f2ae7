/**
 * The rows of transactions in a chain's file. Functions named `Unsafe` throw what SQLite throws, and a `StoreError` for a damaged row.
 *
 * Source: decisions 0033 and 0034.
 */
import * as DocumentRow from "../rows/DocumentRow.ts"
import type * as Frame from "../rows/Frame.ts"
import type { Connection } from "./Connection.ts"
import * as Statements from "./DocumentStatements.ts"

/** Inserts prepared rows. */
export const insertPreparedUnsafe = (connection: Connection, prepared: ReadonlyArray<DocumentRow.Prepared>): void => {
  for (const { largeDocument, largeInternal } of prepared) {
    if (largeDocument !== null) connection.manyUnsafe(Statements.insertLargeDocument, [largeDocument])
    if (largeInternal !== null) connection.manyUnsafe(Statements.insertLargeInternal, [largeInternal])
  }
  connection.manyUnsafe(
    Statements.insertDocument,
    prepared.map(({ columns }) => columns),
  )
}

/** Inserts the transactions of a block. */
export const insertUnsafe = (
  connection: Connection,
  block: number,
  rows: ReadonlyArray<DocumentRow.StoredRow>,
  codec: Frame.Codec,
): void =>
  insertPreparedUnsafe(
    connection,
    rows.map((row) => DocumentRow.prepare(block, row, codec)),
  )

const apartOf =
  (connection: Connection, [id]: DocumentRow.Columns): DocumentRow.ReadApart =>
  (part) =>
    connection.valuesUnsafe<DocumentRow.Apart>(
      part === "document" ? Statements.largeDocument : Statements.largeInternal,
      [id],
    )[0]

/** Reads the texts of a transaction from its columns, with its internal transactions if requested. */
export const textsUnsafe = (
  connection: Connection,
  columns: DocumentRow.Columns,
  wantsInternal: boolean,
): DocumentRow.Texts => DocumentRow.textsUnsafe(connection.name, columns, wantsInternal, apartOf(connection, columns))

/** Columns of transactions by row id; those that are not stored are absent. */
export const byIdUnsafe = (
  connection: Connection,
  ids: ReadonlyArray<number>,
): ReadonlyMap<number, DocumentRow.Columns> =>
  new Map(
    ids.length === 0
      ? []
      : connection
          .valuesUnsafe<DocumentRow.Columns>(Statements.documentsOf, [JSON.stringify(ids)])
          .map((columns) => [columns[0], columns]),
  )

/** Reads the hash of a transaction from its columns. */
export const hashUnsafe = (connection: Connection, columns: DocumentRow.Columns): string =>
  DocumentRow.hashUnsafe(connection.name, columns, apartOf(connection, columns))

/** Reads the row of a transaction from its columns, with its internal transactions if requested. */
export const fromColumnsUnsafe = (
  connection: Connection,
  columns: DocumentRow.Columns,
  wantsInternal: boolean,
): DocumentRow.StoredRow =>
  DocumentRow.fromColumnsUnsafe(connection.name, columns, wantsInternal, apartOf(connection, columns))
