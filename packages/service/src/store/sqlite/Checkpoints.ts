/**
 * The checkpoint of a chain's file: reads it and compares it with its checksum, which every write of it renews in the same transaction.
 * Functions named `Unsafe` throw what SQLite throws, and a `StoreError` for a damaged row.
 *
 * Source: decision 0034.
 */
import type { Checkpoint } from "../../block/BlockRows.ts"
import { StoreError } from "../StoreError.ts"
import * as CheckpointRow from "../rows/CheckpointRow.ts"
import * as Checksum from "../rows/Checksum.ts"
import type { Connection } from "./Connection.ts"
import * as Statements from "./Statements.ts"

/** The columns that have a checksum; those of the lease and the status, which change all the time, do not. */
type Columns = readonly [
  first: number | null,
  number: number | null,
  hash: Uint8Array | null,
  timestamp: number | null,
  finalized: number | null,
  watch: string | null,
  serial: number,
]

type Row = readonly [...Columns, checksum: number]

const checksumOf = (chain: number, columns: ReadonlyArray<Checksum.Value>) => Checksum.of([chain, ...columns])

const damaged = (connection: Connection) =>
  new StoreError({
    message: `Stored checkpoint damaged: ${connection.name}. Stop the service and restore a backup, or move the file away.`,
    isRetryable: false,
    cause: undefined,
  })

/** Makes the checkpoint of an empty index, if the file has none. */
export const claimUnsafe = (connection: Connection, chain: number): void =>
  void connection.rowsUnsafe(Statements.claim, [chain, checksumOf(chain, [null, null, null, null, null, null, 0])])

/** Renews the checksum of the checkpoint, after a write of it. */
export const sealUnsafe = (connection: Connection, chain: number): void => {
  for (const row of connection.valuesUnsafe<Row>(Statements.checkpoint, [chain])) {
    connection.rowsUnsafe(Statements.sealCheckpoint, [checksumOf(chain, row.slice(0, -1) as unknown as Columns), chain])
  }
}

/** The checkpoint as it is stored. */
export interface Found {
  /** `null` while the index is empty. */
  readonly checkpoint: Checkpoint | null
  readonly serial: number
  /** The watched wallets, as `WatchedWallets` writes them; `null` for all. */
  readonly watch: string | null
}

/** Reads the checkpoint. */
export const readUnsafe = (connection: Connection, chain: number): Found => {
  const [row] = connection.valuesUnsafe<Row>(Statements.checkpoint, [chain])
  if (row === undefined) {
    if (connection.valuesUnsafe(Statements.anyBlock, []).length > 0) throw damaged(connection)
    return { checkpoint: null, serial: 0, watch: null }
  }
  const [first, number, hash, timestamp, finalized, watch, serial, checksum] = row
  const columns = [first, number, hash, timestamp, finalized, watch, serial]
  if (checksumOf(chain, columns) !== checksum) throw damaged(connection)
  const checkpoint = CheckpointRow.toCheckpoint({ first, number, hash, timestamp, finalized, watch })
  return { checkpoint, serial, watch }
}
