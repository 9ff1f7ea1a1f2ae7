/**
 * Checkpoints of projections in a chain's file, each with its checksum. Functions named `Unsafe` throw what SQLite throws, and a
 * `StoreError` for a damaged row.
 *
 * Source: decision 0034.
 */
import type { Projection } from "../../block/Projection.ts"
import * as ProjectionPlan from "../rows/ProjectionPlan.ts"
import * as ProjectionRow from "../rows/ProjectionRow.ts"
import { StoreError } from "../StoreError.ts"
import type { Connection } from "./Connection.ts"
import * as Statements from "./Statements.ts"

/** The checkpoint in a row that was read. */
export const fromColumnsUnsafe = (
  connection: Connection,
  columns: ProjectionRow.Columns,
): ProjectionRow.StoredCheckpoint => {
  const checkpoint = ProjectionRow.read(columns)
  if (checkpoint !== null) return checkpoint
  throw new StoreError({
    message: `Stored checkpoint damaged: projection ${columns[1]} of ${connection.name}. Stop the service and restore a backup, or move the file away.`,
    isRetryable: false,
    cause: undefined,
  })
}

/** The checkpoint of a projection; null if it was never registered. */
export const readUnsafe = (connection: Connection, id: string): ProjectionRow.StoredCheckpoint | null => {
  const [columns] = connection.valuesUnsafe<ProjectionRow.Columns>(Statements.projection, [id])
  return columns === undefined ? null : fromColumnsUnsafe(connection, columns)
}

/** The checkpoints of all projections. */
export const listUnsafe = (connection: Connection): ReadonlyArray<ProjectionRow.StoredCheckpoint> =>
  connection
    .valuesUnsafe<ProjectionRow.Columns>(Statements.allProjections, [])
    .map((columns) => fromColumnsUnsafe(connection, columns))

/** Writes checkpoints. */
export const writeUnsafe = (connection: Connection, checkpoints: ReadonlyArray<ProjectionRow.StoredCheckpoint>): void =>
  connection.manyUnsafe(Statements.writeProjection, checkpoints.map(ProjectionRow.make))

/** Registers projections in an index with this first block; a projection with another revision is derived again from that block on. */
export const registerUnsafe = (
  connection: Connection,
  first: number | null,
  projections: ReadonlyArray<Projection>,
): void => writeUnsafe(connection, ProjectionPlan.register(listUnsafe(connection), first, projections))
