/**
 * The last proved block of wallets, in a chain's file: what pages state of a proof, which may be long itself. A damaged one is as
 * good as none. Functions named `Unsafe` throw what SQLite throws.
 *
 * Source: decision 0050.
 */
import type { WalletProof } from "../Proofs.ts"
import { fromHex, toHex } from "../rows/Bytes.ts"
import * as Checksum from "../rows/Checksum.ts"
import * as ReconciledRow from "../rows/ReconciledRow.ts"
import type { Connection } from "./Connection.ts"

/** The step of the chain's schema that makes the table. */
export const migration = `CREATE TABLE reconciled (
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

/** Parameters: lowest block that is removed. */
const unwind = `DELETE FROM reconciled WHERE compared >= ?`

const proofs = `SELECT wallet, first, block, hash, body, checksum FROM proof`

type ProofColumns = readonly [
  ...[wallet: Uint8Array, first: number, block: number, hash: Uint8Array, body: string],
  checksum: number,
]

/** `provedBlock` of the last comparison of a wallet, of an index with this first block; `null` where there is none. */
export const readUnsafe = (connection: Connection, wallet: string, first: number): number | null => {
  const [row] = connection.valuesUnsafe<ReconciledRow.Columns>(select, [fromHex(wallet), first])
  return row === undefined ? null : ReconciledRow.read(row)
}

/** Writes the row of a comparison in place of an earlier one. */
export const writeUnsafe = (connection: Connection, proof: Parameters<typeof ReconciledRow.make>[0]): void => {
  const row = ReconciledRow.make(proof)
  if (row === null) connection.rowsUnsafe(remove, [fromHex(proof.wallet)])
  else connection.rowsUnsafe(insert, row)
}

/** Removes the rows of comparisons at blocks from `lowest` on. */
export const unwindUnsafe = (connection: Connection, lowest: number): void =>
  void connection.rowsUnsafe(unwind, [lowest])

/** Writes the rows of the proofs that a file has. A damaged proof gets none, until a new comparison replaces it. */
export const fillUnsafe = (connection: Connection): void => {
  for (const row of connection.valuesUnsafe<ProofColumns>(proofs, [])) {
    const [wallet, first, block, hash, body, checksum] = row
    if (Checksum.of(row.slice(0, -1)) !== checksum) continue
    // Sound: the checksum is that of a body which this program wrote.
    const { provedBlock } = JSON.parse(body) as Pick<WalletProof, "provedBlock">
    const compared = { number: block, hash: toHex(hash) }
    writeUnsafe(connection, { wallet: toHex(wallet), first, block: compared, provedBlock })
  }
}
