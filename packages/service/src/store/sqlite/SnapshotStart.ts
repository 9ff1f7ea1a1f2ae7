/**
 * The first statement of a snapshot: the checkpoint, plus what most pages read next. Functions named `Unsafe` throw what SQLite throws, and
 * a `StoreError` for a damaged row.
 */
import type { ExpectedReads, GapCounts } from "../ChainReader.ts"
import { fromHex } from "../rows/Bytes.ts"
import * as CheckpointRow from "../rows/CheckpointRow.ts"
import type * as ProjectionRow from "../rows/ProjectionRow.ts"
import * as ReconciledRow from "../rows/ReconciledRow.ts"
import * as BlockTimes from "./BlockTimes.ts"
import * as Checkpoints from "./Checkpoints.ts"
import type { Connection } from "./Connection.ts"
import * as Gaps from "./Gaps.ts"
import * as ProjectionCheckpoints from "./ProjectionCheckpoints.ts"
import * as Reconciled from "./Reconciled.ts"
import * as Statements from "./Statements.ts"

type Row = readonly [...CheckpointRow.Row, gaps: string, ...Array<unknown>]

const [gapsAt, reconciledAt, projectionAt] = [10, 11, 16] as const

/** Columns of a joined row; undefined if there is none. */
const joined = <Columns extends ReadonlyArray<unknown>>(
  row: Row | undefined,
  from: number,
  to?: number,
): Columns | undefined =>
  // Sound: the statement names these columns there.
  row === undefined || row[from] === null ? undefined : (row.slice(from, to) as unknown as Columns)

/** One committed state of a chain, and what is known about it. */
export interface State extends BlockTimes.State {
  readonly serial: number
  readonly change: number
  readonly gapCounts: GapCounts
  /** Wallet and projection whose rows were read, if they are stored. */
  readonly expected: ExpectedReads
  readonly reconciled: ReconciledRow.Columns | undefined
  readonly projection: ProjectionRow.Columns | undefined
}

const nothing: ExpectedReads = {}

/** Begins a snapshot: its statements see the state of this one. */
export const readUnsafe = (connection: Connection, chain: number, expected: ExpectedReads = nothing): State => {
  const { blocks: numbers, projection, wallet } = expected
  const [row] = connection.valuesUnsafe<Row>(Statements.snapshotStart, [
    wallet === undefined ? null : fromHex(wallet),
    projection ?? null,
    chain,
  ])
  const columns = Checkpoints.fromRowUnsafe(connection, row)
  const { change, serial } = columns
  const state: State = {
    connection,
    chain,
    serial,
    change,
    checkpoint: CheckpointRow.toCheckpoint(columns),
    gapCounts: Gaps.countsOf(row?.[gapsAt] ?? Gaps.noCounts),
    expected,
    reconciled: joined(row, reconciledAt, projectionAt),
    projection: joined(row, projectionAt),
    blocks: new Map(),
  }
  if (numbers !== undefined && numbers.length > 0) BlockTimes.knowUnsafe(state, numbers)
  return state
}

/** The last proved block of a wallet; `null` if there is none. */
export const reconciledToUnsafe = (
  { checkpoint, connection, expected, reconciled }: State,
  wallet: string,
): number | null => {
  if (checkpoint === null) return null
  if (expected.wallet !== wallet) return Reconciled.readUnsafe(connection, wallet, checkpoint.first)
  return reconciled === undefined ? null : ReconciledRow.read(reconciled)
}

/** The checkpoint of a projection; `null` if it was never registered. */
export const projectionUnsafe = ({ connection, expected, projection }: State, id: string) => {
  if (expected.projection !== id) return ProjectionCheckpoints.readUnsafe(connection, id)
  return projection === undefined ? null : ProjectionCheckpoints.fromColumnsUnsafe(connection, projection)
}
