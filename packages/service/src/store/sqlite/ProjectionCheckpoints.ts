/**
 * The checkpoints of projections in a chain's file, each with its checksum. Functions named `Unsafe` throw what SQLite throws, and a
 * `StoreError` for a damaged row.
 *
 * Source: decision 0034.
 */
import { StoreError } from "../StoreError.ts"
import type { Projection, ProjectionCheckpoint } from "../../block/Projection.ts"
import * as Checksum from "../rows/Checksum.ts"
import type { Connection } from "./Connection.ts"
import * as Statements from "./Statements.ts"

type Columns = readonly [
  number: number,
  id: string,
  kind: string,
  revision: number,
  next: number | null,
  checksum: number | null,
]

/** A checkpoint as it is stored. */
export interface StoredCheckpoint extends ProjectionCheckpoint {
  /** Names the projection in its rows. */
  readonly number: number
  readonly id: string
}

const checksumOf = ([number, id, kind, revision, next]: Columns): number =>
  Checksum.of([number, id, kind, revision, next])

/** Renews the checksums, after a write of checkpoints. */
export const sealUnsafe = (connection: Connection): void => {
  for (const row of connection.valuesUnsafe<Columns>(Statements.allProjections, [])) {
    const checksum = checksumOf(row)
    if (checksum !== row[5]) connection.rowsUnsafe(Statements.sealProjection, [checksum, row[0]])
  }
}

const fromColumns = (connection: Connection, row: Columns): StoredCheckpoint => {
  const [number, id, , revision, next, checksum] = row
  if (checksumOf(row) === checksum) return { number, id, revision, next }
  throw new StoreError({
    message: `Stored checkpoint damaged: projection ${id} of ${connection.name}. Stop the service and restore a backup, or move the file away.`,
    isRetryable: false,
    cause: undefined,
  })
}

/** The checkpoint of a projection; null when it was never registered. */
export const readUnsafe = (connection: Connection, id: string): StoredCheckpoint | null => {
  const [row] = connection.valuesUnsafe<Columns>(Statements.projection, [id])
  return row === undefined ? null : fromColumns(connection, row)
}

/** The checkpoints of all projections. */
export const listUnsafe = (connection: Connection): ReadonlyArray<StoredCheckpoint> =>
  connection.valuesUnsafe<Columns>(Statements.allProjections, []).map((row) => fromColumns(connection, row))

/** Registers projections; one with another revision is derived again from the first block on. */
export const registerUnsafe = (connection: Connection, chain: number, projections: ReadonlyArray<Projection>): void => {
  for (const { id, kind, revision } of projections) {
    connection.rowsUnsafe(Statements.registerProjection, [id, kind, revision, chain])
  }
  sealUnsafe(connection)
}
