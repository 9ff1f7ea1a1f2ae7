/**
 * Rows of a chain's journal as stored by engines, and what a write adds to it. Pure.
 *
 * Source: decision 0073.
 */
import * as Journal from "../Journal.ts"
import { StoreError } from "../StoreError.ts"
import { toHex } from "./Bytes.ts"
import type * as CheckpointRow from "./CheckpointRow.ts"
import * as Checksum from "./Checksum.ts"

/** The blocks that a write changes. */
export interface Range extends Pick<Journal.Change, "kind" | "lowest" | "highest"> {
  /** Hash of the highest block; `null` if it is not stored. */
  readonly hash: Uint8Array | null
}

/** Columns of a change, in the order of the statements. */
export type Columns = readonly [
  change: number,
  kind: number,
  lowest: number,
  highest: number,
  hash: Uint8Array | null,
  serial: number,
  mark: number,
  checksum: number,
]

const kinds: ReadonlyArray<Journal.Kind> = ["append", "remove", "final", "rewrite", "clear"]

/** Number of the kind `remove` in the statements. */
export const removeKind = kinds.indexOf("remove")

/** Number of changes that are kept: half a year with a block every six seconds, in 400 MB. */
export const keptChanges = 5_000_000

/** PostgreSQL channel that writes notify. */
export const channel = "daybook_change"

/** The row of a change, and the checkpoint after it. */
export interface Advanced {
  readonly columns: CheckpointRow.Columns
  readonly row: Columns
}

/** Plans the row of a write with the next number, and the checkpoint after it. A change of finality alone keeps the serial. */
export const advance = (
  { change, columns }: { readonly change: Range; readonly columns: CheckpointRow.Columns },
  nextSerial: number,
  mark: number,
): Advanced => {
  const { hash, highest, kind, lowest } = change
  const serial = kind === "final" ? columns.serial : nextSerial
  const number = columns.change + 1
  const row = [number, kinds.indexOf(kind), lowest, highest, hash, serial, mark] as const
  return { columns: { ...columns, serial, change: number }, row: [...row, Checksum.fromValues(row)] }
}

/** Reads a row; throws an error that names the store `name` if the row is damaged. */
export const fromColumns = (name: string, columns: Columns): Journal.Change => {
  const [change, kindNumber, lowest, highest, hash, serial, mark, checksum] = columns
  const kind = kinds[kindNumber]
  if (kind !== undefined && Checksum.fromValues(columns.slice(0, -1)) === checksum) {
    return { change, kind, lowest, highest, hash: hash === null ? null : toHex(hash), serial, mark }
  }
  throw new StoreError({
    message: `Journal damaged: ${name}, change ${change}. Restore a backup, or copy the database to an empty folder.`,
    isRetryable: false,
    cause: undefined,
  })
}

/** Columns of a change that was read. */
export const toColumns = (
  { change, highest, kind, lowest, mark, serial }: Journal.Change,
  hash: Uint8Array | null,
): Columns => {
  const row = [change, kinds.indexOf(kind), lowest, highest, hash, serial, mark] as const
  return [...row, Checksum.fromValues(row)]
}

/**
 * Locates a position: `ahead` of the newest change, such as one that a lagging replica has not reached, or `lost` if the journal no longer
 * has it or never had it. `mark` belongs to the change with its number; null if there is none.
 */
export const locate = (
  { change, mark }: Journal.Position,
  stored: { readonly oldest: number; readonly newest: number; readonly mark: number | null },
): "ahead" | "kept" | "lost" => {
  if (change > stored.newest) return "ahead"
  if (change === Journal.start.change) return mark === Journal.start.mark && stored.oldest <= 1 ? "kept" : "lost"
  return stored.mark === mark ? "kept" : "lost"
}
