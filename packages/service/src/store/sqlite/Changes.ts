/**
 * The log of changes of a chain's file: which blocks each write appended, removed or rewrote. A copy of the file holds the changes that
 * it has, so that a later backup copies what changed since. Functions named `Unsafe` throw what SQLite throws; call them inside a
 * transaction.
 *
 * Each change has a number chosen at random: two files that have the same change under one serial have the same changes before it.
 *
 * Source: decision 0045.
 */
import { randomInt } from "node:crypto"
import * as Checkpoints from "./Checkpoints.ts"
import * as Checksum from "../rows/Checksum.ts"
import type * as WritePlan from "../rows/WritePlan.ts"
import type { ChainRef } from "../ChainRef.ts"
import type { Connection } from "./Connection.ts"
import * as Statements from "./Statements.ts"
import { StoreError } from "../StoreError.ts"

/** A change of blocks in the log. */
export interface Change extends WritePlan.Change {
  readonly serial: number
  readonly mark: number
}

const kinds: ReadonlyArray<WritePlan.ChangeKind> = ["appended", "removed", "rewritten", "cleared"]

type Columns = readonly [serial: number, kind: number, lowest: number, highest: number, mark: number, checksum: number]

/** The log of changes, and the state of an unfinished copy. */
export const tables = `CREATE TABLE change (
    serial INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    lowest INTEGER NOT NULL,
    highest INTEGER NOT NULL,
    mark INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  );
  CREATE TABLE copying (goal INTEGER NOT NULL, histories INTEGER NOT NULL);`

/** Changes that are kept: those of a year at a block every six seconds, in 180 MB. */
const kept = 5_000_000

const maxMark = 2 ** 47

/** The file that a change belongs to. */
interface Target {
  readonly connection: Connection
  readonly ref: ChainRef
}

/** Adds the change of a write under the next serial, and writes the checkpoint after it. */
export const advanceUnsafe = ({ connection, ref }: Target, { change, columns }: WritePlan.Write): void => {
  const serial = columns.serial + 1
  const { highest, kind, lowest } = change
  const row = [serial, kinds.indexOf(kind), lowest, highest, randomInt(maxMark)]
  connection.rowsUnsafe(Statements.insertChange, [...row, Checksum.of(row)])
  connection.rowsUnsafe(Statements.forgetChanges, [serial - kept])
  Checkpoints.writeUnsafe(connection, ref.id, { ...columns, serial })
}

/** Adds a change that leaves the head and the first block as they are. */
export const recordUnsafe = (file: Target, change: WritePlan.Change): void =>
  advanceUnsafe(file, { change, columns: Checkpoints.readUnsafe(file.connection, file.ref.id) })

const fromColumns = (connection: Connection, columns: Columns): Change => {
  const [serial, kindNumber, lowest, highest, mark, checksum] = columns
  const kind = kinds[kindNumber]
  if (kind !== undefined && Checksum.of(columns.slice(0, -1)) === checksum)
    return { serial, kind, lowest, highest, mark }
  throw new StoreError({
    message: `Log of changes damaged: ${connection.name}, change ${serial}. Restore a backup, or copy the database to an empty folder.`,
    isRetryable: false,
    cause: undefined,
  })
}

/** Changes after a serial, oldest first. */
export const afterUnsafe = (connection: Connection, serial: number, limit: number): ReadonlyArray<Change> =>
  connection.valuesUnsafe<Columns>(Statements.changesAfter, [serial, limit]).map((row) => fromColumns(connection, row))

/** The lowest block that was removed after a serial; `null` where none was. */
export const lowestRemovedUnsafe = (connection: Connection, serial: number): number | null =>
  connection.valuesUnsafe<readonly [number | null]>(Statements.lowestRemoved, [serial, kinds.indexOf("removed")])[0]![0]

/** The newest changes, newest first. */
export const newestUnsafe = (connection: Connection, limit: number): ReadonlyArray<Change> =>
  connection.valuesUnsafe<Columns>(Statements.newestChanges, [limit]).map((row) => fromColumns(connection, row))

/** The newest change; `null` where there is none. */
export const lastUnsafe = (connection: Connection): Change | null => newestUnsafe(connection, 1)[0] ?? null

/** Whether a file has a change. */
export const hasUnsafe = (connection: Connection, { mark, serial }: Change): boolean =>
  connection.valuesUnsafe<readonly [number]>(Statements.changeMark, [serial])[0]?.[0] === mark

/** Adds changes of the file of which this one is a copy. */
export const copyUnsafe = (connection: Connection, changes: ReadonlyArray<Change>): void =>
  connection.manyUnsafe(
    Statements.insertChange,
    changes.map(({ highest, kind, lowest, mark, serial }) => {
      const columns = [serial, kinds.indexOf(kind), lowest, highest, mark]
      return [...columns, Checksum.of(columns)]
    }),
  )

/** Removes the changes after a serial. */
export const removeAfterUnsafe = (connection: Connection, serial: number): void =>
  void connection.rowsUnsafe(Statements.deleteChangesAfter, [serial])
