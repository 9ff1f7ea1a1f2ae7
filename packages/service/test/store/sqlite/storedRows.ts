/** Changes the rows of a chain's file as the store itself would write them: with checksums that hold. */
import * as Blocks from "../../../src/store/sqlite/Blocks.ts"
import * as Checkpoints from "../../../src/store/sqlite/Checkpoints.ts"
import * as Checksum from "../../../src/store/rows/Checksum.ts"
import * as Connection from "../../../src/store/sqlite/Connection.ts"
import type * as DocumentRow from "../../../src/store/rows/DocumentRow.ts"
import * as Documents from "../../../src/store/sqlite/Documents.ts"
import * as DocumentStatements from "../../../src/store/sqlite/DocumentStatements.ts"
import type * as FactsRow from "../../../src/store/rows/FactsRow.ts"
import * as OldRows from "../../../src/store/sqlite/OldRows.ts"
import * as RowId from "../../../src/store/rows/RowId.ts"
import * as Rows from "../../../src/store/sqlite/Rows.ts"

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

const soundRows = (connection: Connection.Connection) =>
  Rows.listUnsafe(connection, 0, Number.MAX_SAFE_INTEGER, 0).flatMap(([id, row]) =>
    "body" in row ? [[id, row] as const] : [],
  )

/** A transaction by its block and index. */
export const rowOf = (file: string, block: number, index: number): DocumentRow.StoredRow =>
  withFile(file, (connection) => soundRows(connection).find(([id]) => id === block * 1_048_576 + index)![1])

/** Replaces a transaction's row; the histories are unchanged. */
export const rewrite = (file: string, block: number, row: DocumentRow.StoredRow): void =>
  withFile(file, (connection) => {
    connection.rowsUnsafe("DELETE FROM document WHERE id = ?", [block * 1_048_576 + row.index])
    Documents.insertUnsafe(connection, block, [row], "zstd")
  })

/** Changes a block's row and renews its checksum. */
export const rewriteBlock = (file: string, chain: number, number: number, assignment: string): void =>
  withFile(file, (connection) => {
    connection.scriptUnsafe(`UPDATE block SET ${assignment}, checksum = NULL WHERE number = ${number}`)
    Blocks.sealUnsafe(connection, chain, number, number)
  })

/** Replaces the frame of a block's facts; the checksums hold. */
export const rewriteFacts = (file: string, chain: number, number: number, frame: Uint8Array): void =>
  withFile(file, (connection) => {
    connection.rowsUnsafe("UPDATE facts SET frame = ? WHERE block = ?", [frame, number])
    const columns = connection.valuesUnsafe<FactsRow.Columns>("SELECT * FROM facts WHERE block = ?", [number])[0]!
    connection.rowsUnsafe("UPDATE block SET facts = ?, checksum = NULL WHERE number = ?", [
      Checksum.of(columns),
      number,
    ])
    Blocks.sealUnsafe(connection, chain, number, number)
  })

/** Replaces the frame of a transaction's row; the checksum holds. */
export const rewriteFrame = (file: string, block: number, index: number, frame: Uint8Array): void =>
  withFile(file, (connection) => {
    const id = RowId.of(block, index)
    const columns = connection.valuesUnsafe<DocumentRow.Columns>(DocumentStatements.documents, [id, id + 1])[0]!
    const own = [...columns.slice(0, 7), frame]
    connection.rowsUnsafe("DELETE FROM document WHERE id = ?", [id])
    connection.rowsUnsafe(DocumentStatements.insertDocument, [...own, Checksum.of(own)])
  })

/** Moves every row into the layout of version 5, as an earlier version of the program wrote it. */
export const downgrade = (file: string, chain: number): void =>
  withFile(file, (connection) => {
    for (const [id, row] of soundRows(connection)) {
      OldRows.insertUnsafe(connection, chain, Math.floor(id / 1_048_576), [row])
      OldRows.insertAppearancesUnsafe(connection, chain, id, row.addresses)
    }
    for (const table of ["document", "large_document", "large_internal", "history", "history_copy"]) {
      connection.scriptUnsafe(`DELETE FROM ${table}`)
    }
    connection.scriptUnsafe(`UPDATE block SET checksum = NULL; UPDATE checkpoint SET layout_from = number + 1`)
    Checkpoints.sealUnsafe(connection, chain)
  })
