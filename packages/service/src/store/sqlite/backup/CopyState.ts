/**
 * What a chain's file holds besides its blocks, as a backup reads it from the original and writes it to the copy. Functions named
 * `Unsafe` throw what SQLite throws; call them inside a transaction.
 */
import * as WalletTransactions from "../../../projection/WalletTransactions.ts"
import type { Checkpoint } from "../../../block/BlockRows.ts"
import type { ChainFile } from "../ChainFile.ts"
import * as Checkpoints from "../Checkpoints.ts"
import type { Connection, Params } from "../Connection.ts"
import * as CheckpointRow from "../../rows/CheckpointRow.ts"
import type * as ProjectionRow from "../../rows/ProjectionRow.ts"
import * as ProjectionCheckpoints from "../ProjectionCheckpoints.ts"
import * as Statements from "./CopyStatements.ts"
import * as JournalStatements from "../JournalStatements.ts"

/** An unfinished copy. */
export interface Copying {
  /** Block at which the copy is complete. */
  readonly goal: number
  /** True if the histories of wallets are copied after the blocks. */
  readonly hasHistories: boolean
}

/** State of a file. */
export interface CopyState {
  readonly checkpoint: Checkpoint | null
  readonly serial: number
  /** Number of the newest change. */
  readonly change: number
  readonly watch: string | null
  /** How many times a lease was taken. */
  readonly leases: number
  readonly leaseUntil: number | null
  readonly status: string | null
  readonly projections: ReadonlyArray<ProjectionRow.StoredCheckpoint>
  /** Used bytes. */
  readonly bytes: number
  /** `null` unless the file is an unfinished copy. */
  readonly copying: Copying | null
}

const pragma = (connection: Connection, name: "page_size" | "page_count" | "freelist_count") =>
  connection.valuesUnsafe<readonly [number]>(`PRAGMA ${name}`, [])[0]![0]

type Row = readonly [leases: number, leaseUntil: number | null, status: string | null]

/** Reads the state of a file. */
export const readUnsafe = (connection: Connection, chain: number): CopyState => {
  const columns = Checkpoints.readUnsafe(connection, chain)
  const [row] = connection.valuesUnsafe<Row>(Statements.state, [chain])
  const [leases, leaseUntil, status] = row ?? [0, null, null]
  const [copying] = connection.valuesUnsafe<readonly [goal: number, histories: number]>(Statements.copying, [])
  return {
    checkpoint: CheckpointRow.toCheckpoint(columns),
    serial: columns.serial,
    change: columns.change,
    watch: columns.watch,
    leases,
    leaseUntil,
    status,
    projections: ProjectionCheckpoints.listUnsafe(connection),
    bytes: (pragma(connection, "page_count") - pragma(connection, "freelist_count")) * pragma(connection, "page_size"),
    copying: copying === undefined ? null : { goal: copying[0], hasHistories: copying[1] === 1 },
  }
}

/** The first block whose transactions are not in the histories of wallets yet. */
export const historiesEnd = ({ projections }: CopyState): number =>
  projections.find(({ id }) => id === WalletTransactions.projection.id)?.next ?? 0

/** What is written to a copy. */
export interface Written {
  readonly state: CopyState
  /** The newest change that the copy has. */
  readonly newest: Pick<CopyState, "serial" | "change">
  /** First and last block of the copy; `null` if it has none yet. */
  readonly range: readonly [first: number, head: number] | null
  readonly copying: Copying | null
  readonly message: string
  readonly nowMillis: number
}

const writeProjections = ({ connection }: ChainFile, { copying, range, state }: Written): void => {
  connection.rowsUnsafe(Statements.deleteProjections, [])
  const nextOf = ({ id, next }: ProjectionRow.StoredCheckpoint): number | null => {
    if (range === null || next === null) return null
    const [first, head] = range
    const isMissing = copying?.hasHistories === true && id === WalletTransactions.projection.id
    return isMissing ? first : Math.min(next, head + 1)
  }
  const copied = state.projections.map((checkpoint) => ({ ...checkpoint, next: nextOf(checkpoint) }))
  ProjectionCheckpoints.writeUnsafe(connection, copied)
}

/** Writes the state of the original to a copy that has some of its blocks. */
export const writeUnsafe = (file: ChainFile, written: Written): void => {
  const { connection, ref } = file
  const { copying, message, newest, nowMillis, range, state } = written
  const [first = null, head = null] = range ?? []
  const [block] = connection.valuesUnsafe<readonly [hash: Uint8Array, timestamp: number]>(Statements.block, [
    ref.id,
    head,
  ])
  const [hash = null, timestamp = null] = block ?? []
  const { checkpoint, watch } = state
  const final = checkpoint?.finalized ?? null
  const finalized = final === null || head === null ? null : Math.min(final, head)
  const columns = {
    first,
    number: head,
    hash,
    timestamp,
    finalized,
    watch,
    serial: newest.serial,
    change: newest.change,
  }
  Checkpoints.writeUnsafe(connection, ref.id, columns)
  writeProjections(file, written)
  connection.rowsUnsafe(Statements.deleteCopying, [])
  if (copying !== null) {
    connection.rowsUnsafe(Statements.insertCopying, [copying.goal, copying.hasHistories ? 1 : 0])
  }
  connection.rowsUnsafe(Statements.writeStatus, [state.status, state.status, message, nowMillis, ref.id])
}

/** Removed blocks as remembered by the original. */
export type Removed = ReadonlyArray<Params>

/** Reads the removed blocks that a file remembers. */
export const removedUnsafe = (connection: Connection): Removed =>
  connection.valuesUnsafe<ReadonlyArray<number | Uint8Array>>(JournalStatements.removed, [])

/** Replaces the removed blocks that a copy remembers. */
export const writeRemovedUnsafe = ({ connection }: ChainFile, removed: Removed): void => {
  connection.rowsUnsafe(JournalStatements.deleteRemoved, [])
  connection.manyUnsafe(JournalStatements.insertRemoved, removed)
}
