/**
 * The checkpoint of a chain's file: reads it and compares it with its checksum, which every write updates together with it. Functions named
 * `Unsafe` throw what SQLite throws, and a `StoreError` for a damaged row.
 *
 * Source: decision 0034.
 */
import type { Checkpoint } from "../../block/BlockRows.ts"
import * as CheckpointRow from "../rows/CheckpointRow.ts"
import { StoreError } from "../StoreError.ts"
import type { Connection } from "./Connection.ts"
import * as Statements from "./Statements.ts"

const damaged = (connection: Connection) =>
  new StoreError({
    message: `Stored checkpoint damaged: ${connection.name}. Stop the service and restore a backup, or move the file away.`,
    isRetryable: false,
    cause: undefined,
  })

/** Creates the checkpoint of an empty index if the file has none. */
export const claimUnsafe = (connection: Connection, chain: number): void => {
  connection.rowsUnsafe(Statements.claim, CheckpointRow.make(chain, CheckpointRow.empty))
}

/** Reads the columns of the checkpoint. */
export const readUnsafe = (connection: Connection, chain: number): CheckpointRow.Columns => {
  const [row] = connection.valuesUnsafe<CheckpointRow.Row>(Statements.checkpoint, [chain])
  return fromRowUnsafe(connection, row)
}

/** Columns of a row that was read; those of an empty index if there is none. */
export const fromRowUnsafe = (
  connection: Connection,
  row: readonly [...CheckpointRow.Row, ...Array<unknown>] | undefined,
): CheckpointRow.Columns => {
  if (row === undefined) {
    if (connection.valuesUnsafe(Statements.anyBlock, []).length > 0) throw damaged(connection)
    return CheckpointRow.empty
  }
  const columns = CheckpointRow.read(row)
  if (columns === null) throw damaged(connection)
  return columns
}

/** The checkpoint; `null` if the index is empty. */
export const checkpointUnsafe = (connection: Connection, chain: number): Checkpoint | null =>
  CheckpointRow.toCheckpoint(readUnsafe(connection, chain))

/** Writes the columns of the checkpoint. */
export const writeUnsafe = (connection: Connection, chain: number, columns: CheckpointRow.Columns): void => {
  const [, ...written] = CheckpointRow.make(chain, columns)
  connection.rowsUnsafe(Statements.writeCheckpoint, [...written, chain])
}
