/**
 * The journal of a chain's file, and the hashes of removed blocks. A copy of the file contains the changes that it has, so that a later
 * backup copies what has changed since. Functions named `Unsafe` throw what SQLite throws; call them inside a transaction.
 *
 * Source: decisions 0045 and 0073.
 */
import { randomInt } from "node:crypto"
import type { BlockRef } from "../../block/BlockRows.ts"
import type { ChangesRead } from "../ChainReader.ts"
import type { ChainRef } from "../ChainRef.ts"
import { fromHex, toHex } from "../rows/Bytes.ts"
import type * as CheckpointRow from "../rows/CheckpointRow.ts"
import * as Journal from "../Journal.ts"
import * as JournalRow from "../rows/JournalRow.ts"
import type * as WritePlan from "../rows/WritePlan.ts"
import * as Checkpoints from "./Checkpoints.ts"
import type { Connection } from "./Connection.ts"
import * as Statements from "./JournalStatements.ts"

/** The journal, the removed blocks that it remembers, and the state of an unfinished copy. */
export const tables = `CREATE TABLE change (
    change INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    lowest INTEGER NOT NULL,
    highest INTEGER NOT NULL,
    hash BLOB,
    serial INTEGER NOT NULL,
    mark INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  );
  CREATE INDEX change_removed ON change (change, lowest) WHERE kind = ${JournalRow.removeKind};
  CREATE TABLE removed (
    number INTEGER NOT NULL,
    hash BLOB NOT NULL,
    change INTEGER NOT NULL,
    PRIMARY KEY (number, hash, change)
  ) WITHOUT ROWID;
  CREATE INDEX removed_change ON removed (change, number);
  CREATE TABLE copying (goal INTEGER NOT NULL, histories INTEGER NOT NULL);`

/** The file to which a change belongs. */
interface Target {
  readonly connection: Connection
  readonly ref: ChainRef
}

/** Adds the change of a write with the next number, and writes the checkpoint after it. */
export const advanceUnsafe = ({ connection, ref }: Target, write: WritePlan.Write): void => {
  const { columns, row } = JournalRow.advance(write, write.columns.serial + 1, randomInt(Journal.maxMark))
  connection.rowsUnsafe(Statements.insertChange, row)
  const forgotten = columns.change - JournalRow.keptChanges
  if (forgotten > 0) {
    connection.rowsUnsafe(Statements.forgetChanges, [forgotten])
    connection.rowsUnsafe(Statements.forgetRemovedBefore, [forgotten])
  }
  Checkpoints.writeUnsafe(connection, ref.id, columns)
}

/** Adds a change that leaves the head and the first block unchanged. */
export const recordUnsafe = (file: Target, kind: "rewrite" | "clear", lowest: number, highest: number): void => {
  const { connection, ref } = file
  const [hash = null] =
    connection.valuesUnsafe<readonly [hash: Uint8Array]>(Statements.hashOf, [ref.id, highest])[0] ?? []
  advanceUnsafe(file, {
    change: { kind, lowest, highest, hash },
    columns: Checkpoints.readUnsafe(connection, ref.id),
  })
}

/**
 * Remembers the blocks from `lowest` on, which the change after the checkpoint removes, and forgets the lowest ones beyond the limit.
 */
export const rememberUnsafe = (
  { connection, ref }: Target,
  { change }: CheckpointRow.Columns,
  lowest: number,
  limit: number,
): void => {
  connection.rowsUnsafe(Statements.rememberRemoved, [change + 1, ref.id, lowest, limit])
  connection.rowsUnsafe(Statements.forgetRemoved, [limit])
}

const readRows = (connection: Connection, sql: string, params: ReadonlyArray<number>): ReadonlyArray<Journal.Change> =>
  connection.valuesUnsafe<JournalRow.Columns>(sql, params).map((row) => JournalRow.fromColumns(connection.name, row))

/** Changes after one, oldest first. */
export const afterUnsafe = (connection: Connection, change: number, limit: number): ReadonlyArray<Journal.Change> =>
  readRows(connection, Statements.changesAfter, [change, limit])

/** The lowest block that was removed after a change; `null` if there is none. */
export const lowestRemovedUnsafe = (connection: Connection, change: number): number | null =>
  connection.valuesUnsafe<readonly [number | null]>(Statements.lowestRemoved, [change])[0]![0]

/** The lowest block that was removed since a given block was, including that block; `null` if the removal is not remembered. */
export const lowestReorgedUnsafe = (connection: Connection, { hash, number }: BlockRef): number | null =>
  connection.valuesUnsafe<readonly [number | null]>(Statements.lowestReorgedBlock, [number, fromHex(hash)])[0]![0]

/** The newest changes, newest first. */
export const newestUnsafe = (connection: Connection, limit: number): ReadonlyArray<Journal.Change> =>
  readRows(connection, Statements.newestChanges, [limit])

/** The newest change; `null` if there is none. */
export const lastUnsafe = (connection: Connection): Journal.Change | null => newestUnsafe(connection, 1)[0] ?? null

const markOf = (connection: Connection, change: number): number | null =>
  connection.valuesUnsafe<readonly [number]>(Statements.changeMark, [change])[0]?.[0] ?? null

/** Whether a file has a change. */
export const hasUnsafe = (connection: Connection, { change, mark }: Journal.Position): boolean =>
  markOf(connection, change) === mark

/** Changes after a position, oldest first; `null` starts at the oldest that are kept. */
export const readUnsafe = (
  connection: Connection,
  newest: number,
  after: Journal.Position | null,
  limit: number,
): ChangesRead => {
  const [oldest] = connection.valuesUnsafe<readonly [number | null]>(Statements.oldestChange, [])[0]!
  const kept = {
    oldest: oldest ?? 1,
    newest: newest === 0 ? Journal.start : { change: newest, mark: markOf(connection, newest) ?? 0 },
  }
  const state =
    after === null
      ? "kept"
      : JournalRow.locate(after, { oldest: kept.oldest, newest, mark: markOf(connection, after.change) })
  const changes = state === "kept" ? afterUnsafe(connection, after?.change ?? 0, limit) : []
  return { ...kept, isLost: state === "lost", changes }
}

/** Blocks that a change removed, highest first. */
export const removedUnsafe = (
  connection: Connection,
  change: number,
  below: number,
  limit: number,
): ReadonlyArray<BlockRef> =>
  connection
    .valuesUnsafe<readonly [number: number, hash: Uint8Array]>(Statements.removedBy, [change, below, limit])
    .map(([number, hash]) => ({ number, hash: toHex(hash) }))

/** Adds changes of the original to its copy. */
export const copyUnsafe = (connection: Connection, changes: ReadonlyArray<Journal.Change>): void =>
  connection.manyUnsafe(
    Statements.insertChange,
    changes.map((change) => JournalRow.toColumns(change, change.hash === null ? null : fromHex(change.hash))),
  )

/** Removes the changes after one. */
export const removeAfterUnsafe = (connection: Connection, change: number): void =>
  void connection.rowsUnsafe(Statements.deleteChangesAfter, [change])
