/** Changes rows of a chain's file as the store writes them, with valid checksums. */
import type * as BlockRow from "../../../src/store/rows/BlockRow.ts"
import * as Checksum from "../../../src/store/rows/Checksum.ts"
import * as Connection from "../../../src/store/sqlite/Connection.ts"
import type * as DocumentRow from "../../../src/store/rows/DocumentRow.ts"
import * as Documents from "../../../src/store/sqlite/Documents.ts"
import * as DocumentStatements from "../../../src/store/sqlite/DocumentStatements.ts"
import type * as FactsRow from "../../../src/store/rows/FactsRow.ts"
import * as RowId from "../../../src/store/rows/RowId.ts"
import * as Rows from "../../../src/store/sqlite/Rows.ts"
import * as Statements from "../../../src/store/sqlite/Statements.ts"

const withFile = <A>(file: string, work: (connection: Connection.Connection) => A): A => {
  const connection = Connection.connectUnsafe({ file, readOnly: false })
  try {
    connection.scriptUnsafe("BEGIN")
    const result = work(connection)
    connection.scriptUnsafe("COMMIT")
    return result
  } finally {
    connection.close()
  }
}

const decodedRows = (connection: Connection.Connection) =>
  Rows.listUnsafe(connection, 0, Number.MAX_SAFE_INTEGER).flatMap(([id, row]) =>
    "body" in row ? [[id, row] as const] : [],
  )

/** The transactions of all blocks. */
export const rowsOf = (file: string): ReadonlyArray<DocumentRow.StoredRow> =>
  withFile(file, (connection) => decodedRows(connection).map(([, row]) => row))

/** The transaction with a block number and an index. */
export const rowOf = (file: string, block: number, index: number): DocumentRow.StoredRow =>
  withFile(file, (connection) => decodedRows(connection).find(([id]) => id === block * 1_048_576 + index)![1])

/** Replaces the row of a transaction; the histories are unchanged. */
export const rewrite = (file: string, block: number, row: DocumentRow.StoredRow): void =>
  withFile(file, (connection) => {
    connection.rowsUnsafe("DELETE FROM document WHERE id = ?", [block * 1_048_576 + row.index])
    Documents.insertUnsafe(connection, block, [row], "zstd")
  })

const sealBlock = (connection: Connection.Connection, chain: number, number: number): void => {
  const [columns] = connection.valuesUnsafe<BlockRow.Columns>(Statements.blocks, [chain, number, number])
  const checksum = Checksum.fromValues(columns!.slice(0, -1))
  connection.rowsUnsafe("UPDATE block SET checksum = ? WHERE number = ?", [checksum, number])
}

/** Changes the row of a block and updates its checksum. */
export const rewriteBlock = (file: string, chain: number, number: number, assignment: string): void =>
  withFile(file, (connection) => {
    connection.scriptUnsafe(`UPDATE block SET ${assignment} WHERE number = ${number}`)
    sealBlock(connection, chain, number)
  })

/** Replaces the frame of a block's facts and updates the checksums. */
export const rewriteFacts = (file: string, chain: number, number: number, frame: Uint8Array): void =>
  withFile(file, (connection) => {
    connection.rowsUnsafe("UPDATE facts SET frame = ? WHERE block = ?", [frame, number])
    const columns = connection.valuesUnsafe<FactsRow.Columns>("SELECT * FROM facts WHERE block = ?", [number])[0]!
    connection.rowsUnsafe("UPDATE block SET facts = ? WHERE number = ?", [Checksum.fromValues(columns), number])
    sealBlock(connection, chain, number)
  })

/** Replaces the frame of a transaction's row and updates the checksum. */
export const rewriteFrame = (file: string, block: number, index: number, frame: Uint8Array): void =>
  withFile(file, (connection) => {
    const id = RowId.make(block, index)
    const columns = connection.valuesUnsafe<DocumentRow.Columns>(DocumentStatements.documents, [id, id + 1])[0]!
    const values = [...columns.slice(0, 7), frame]
    connection.rowsUnsafe("DELETE FROM document WHERE id = ?", [id])
    connection.rowsUnsafe(DocumentStatements.insertDocument, [...values, Checksum.fromValues(values)])
  })
