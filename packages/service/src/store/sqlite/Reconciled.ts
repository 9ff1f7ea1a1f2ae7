/**
 * Last proved block of wallets, in a chain's file: what pages report about a proof, which itself may be long. A damaged row counts as
 * missing. Functions named `Unsafe` throw what SQLite throws.
 *
 * Source: decision 0050.
 */
import { fromHex } from "../rows/Bytes.ts"
import * as ReconciledRow from "../rows/ReconciledRow.ts"
import type { Connection } from "./Connection.ts"

/** The table of a chain's file. */
export const table = `CREATE TABLE reconciled (
    wallet BLOB PRIMARY KEY,
    first INTEGER NOT NULL,
    compared INTEGER NOT NULL,
    block INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) WITHOUT ROWID;`

/** Parameters: wallet, first, compared block, proved block, checksum. */
const insert = `INSERT OR REPLACE INTO reconciled (wallet, first, compared, block, checksum) VALUES (?, ?, ?, ?, ?)`

/** Parameters: wallet, first. */
const select = `SELECT wallet, first, compared, block, checksum FROM reconciled WHERE wallet = ? AND first = ?`

/** Parameters: wallet. */
const remove = `DELETE FROM reconciled WHERE wallet = ?`

/** Parameters: lowest removed block. */
const unwind = `DELETE FROM reconciled WHERE compared >= ?`

/** `provedBlock` of a wallet's last comparison, for an index with this first block; `null` if there is none. */
export const readUnsafe = (connection: Connection, wallet: string, first: number): number | null => {
  const [row] = connection.valuesUnsafe<ReconciledRow.Columns>(select, [fromHex(wallet), first])
  return row === undefined ? null : ReconciledRow.read(row)
}

/** Writes the row of a comparison, replacing an earlier one. */
export const writeUnsafe = (connection: Connection, proof: Parameters<typeof ReconciledRow.make>[0]): void => {
  const row = ReconciledRow.make(proof)
  if (row === null) connection.rowsUnsafe(remove, [fromHex(proof.wallet)])
  else connection.rowsUnsafe(insert, row)
}

/** Removes the rows of comparisons at blocks from `lowest` on. */
export const unwindUnsafe = (connection: Connection, lowest: number): void =>
  void connection.rowsUnsafe(unwind, [lowest])
