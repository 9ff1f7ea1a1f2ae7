/**
 * The journal of a chain: one row for each write of blocks, which says what the write changed. Numbers of changes ascend by one and are
 * never used again. Each change has a number chosen at random too, its mark: two stores that have the same change with the same mark
 * have the same changes before it, so that a position of another store, or of one that lost its last writes, is recognised. Pure.
 *
 * Source: decision 0073.
 */
import * as Result from "effect/Result"
import { StoreError } from "../StoreError.ts"
import { toHex } from "./Bytes.ts"
import type * as CheckpointRow from "./CheckpointRow.ts"
import * as Checksum from "./Checksum.ts"

/**
 * What a write did to blocks: `remove` took all from the lowest up, `final` raised the finalized mark, `rewrite` derived the rows of
 * stored blocks anew, and `clear` removed entries of histories alone.
 */
export type Kind = "append" | "remove" | "final" | "rewrite" | "clear"

/** A place in the journal: after this change. */
export interface Position {
  readonly change: number
  readonly mark: number
}

/** The blocks that a write changed, both ends inclusive. */
export interface Range {
  readonly kind: Kind
  readonly lowest: number
  readonly highest: number
  /** Hash of the highest block; `null` where it is not stored. */
  readonly hash: Uint8Array | null
}

/** A change of blocks. */
export interface Change extends Position, Omit<Range, "hash"> {
  readonly hash: string | null
  /** Serial of the index after the write. Rows that are read under a higher serial are newer. */
  readonly serial: number
}

/** The columns of a change, in the order of the statements. */
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

const kinds: ReadonlyArray<Kind> = ["append", "remove", "final", "rewrite", "clear"]

/** The number that stands for removals in the statements. */
export const removeKind = kinds.indexOf("remove")

/** Changes that are kept: those of half a year at a block every six seconds, in 400 MB. */
export const keptChanges = 5_000_000

/** Marks are below this number. */
export const maxMark = 2 ** 47

/** The channel of PostgreSQL that writes notify. */
export const channel = "daybook_change"

/** Before the first change. */
export const start: Position = { change: 0, mark: 0 }

/** The row of a change, and the checkpoint after it. */
export interface Advanced {
  readonly columns: CheckpointRow.Columns
  readonly row: Columns
}

/** Plans the row of a write under the next number, and the checkpoint after it. A change of finality alone keeps the serial. */
export const advance = (
  { change, columns }: { readonly change: Range; readonly columns: CheckpointRow.Columns },
  nextSerial: number,
  mark: number,
): Advanced => {
  const { hash, highest, kind, lowest } = change
  const serial = kind === "final" ? columns.serial : nextSerial
  const number = columns.change + 1
  const row = [number, kinds.indexOf(kind), lowest, highest, hash, serial, mark] as const
  return { columns: { ...columns, serial, change: number }, row: [...row, Checksum.of(row)] }
}

/** Reads a row; `name` names the store in the error of a damaged one, which is thrown. */
export const fromColumns = (name: string, columns: Columns): Change => {
  const [change, kindNumber, lowest, highest, hash, serial, mark, checksum] = columns
  const kind = kinds[kindNumber]
  if (kind !== undefined && Checksum.of(columns.slice(0, -1)) === checksum) {
    return { change, kind, lowest, highest, hash: hash === null ? null : toHex(hash), serial, mark }
  }
  throw new StoreError({
    message: `Journal damaged: ${name}, change ${change}. Restore a backup, or copy the database to an empty folder.`,
    isRetryable: false,
    cause: undefined,
  })
}

/** The columns of a change that was read. */
export const toColumns = (
  { change, highest, kind, lowest, mark, serial }: Change,
  hash: Uint8Array | null,
): Columns => {
  const row = [change, kinds.indexOf(kind), lowest, highest, hash, serial, mark] as const
  return [...row, Checksum.of(row)]
}

/**
 * Where a position lies: `ahead` of the newest change, as one that a lagging replica has not reached, or `lost`, where the journal does
 * not have it any more or never had it. `mark` is that of the change under its number, null for none.
 */
export const placeOf = (
  { change, mark }: Position,
  stored: { readonly oldest: number; readonly newest: number; readonly mark: number | null },
): "ahead" | "kept" | "lost" => {
  if (change > stored.newest) return "ahead"
  if (change === start.change) return mark === start.mark && stored.oldest <= 1 ? "kept" : "lost"
  return stored.mark === mark ? "kept" : "lost"
}

const positionPattern = /^([0-9]{1,15})-([0-9a-z]{1,10})$/
const markRadix = 36

/** A position as text. */
export const formatPosition = ({ change, mark }: Position): string => `${change}-${mark.toString(markRadix)}`

/** Reads the text of a position; fails with what is expected. */
export const parsePosition = (text: string): Result.Result<Position, string> => {
  const [, change, mark] = positionPattern.exec(text) ?? []
  const position = { change: Number(change), mark: Number.parseInt(mark ?? "", markRadix) }
  return position.mark < maxMark && formatPosition(position) === text
    ? Result.succeed(position)
    : Result.fail("a position of the journal, as it was received")
}
