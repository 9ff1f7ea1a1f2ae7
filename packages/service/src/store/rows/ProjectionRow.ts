/**
 * The row of a projection's checkpoint, with its checksum. Pure.
 *
 * Source: decision 0034.
 */
import type { ProjectionCheckpoint } from "../../block/Projection.ts"
import * as Checksum from "./Checksum.ts"

/** Columns in the order of the statements. */
export type Columns = readonly [
  number: number,
  id: string,
  kind: string,
  revision: number,
  next: number | null,
  checksum: number,
]

/** A stored checkpoint. */
export interface StoredCheckpoint extends ProjectionCheckpoint {
  /** Identifies the projection in its rows. */
  readonly number: number
  readonly id: string
  readonly kind: string
}

/** Makes the row of a checkpoint. */
export const make = ({ id, kind, next, number, revision }: StoredCheckpoint): Columns => {
  const row = [number, id, kind, revision, next] as const
  return [...row, Checksum.fromValues(row)]
}

/** Reads a row; `null` if it does not match its checksum. */
export const read = (columns: Columns): StoredCheckpoint | null => {
  const [number, id, kind, revision, next, checksum] = columns
  return Checksum.fromValues(columns.slice(0, -1)) === checksum ? { number, id, kind, revision, next } : null
}
