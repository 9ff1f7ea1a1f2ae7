/**
 * Opening balances of wallets before the first indexed block, in a chain's file: one row per wallet and holding that was read, even if the
 * amount is 0. Rows read for another first block, and damaged rows, are ignored. Functions named `Unsafe` throw what SQLite throws.
 *
 * Source: decision 0050.
 */
import type { LedgerQuery, LedgerRows } from "../ChainReader.ts"
import type { OpeningBalance, WalletOpening } from "../Proofs.ts"
import { fromHex } from "../rows/Bytes.ts"
import * as OpeningRow from "../rows/OpeningRow.ts"
import type { Connection } from "./Connection.ts"
import { limit } from "./Limit.ts"

/** Tables of a chain's file, including that of proofs. */
export const tables = `CREATE TABLE opening (
    wallet BLOB NOT NULL,
    holding BLOB NOT NULL,
    first INTEGER NOT NULL,
    amount BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (wallet, holding)
  ) WITHOUT ROWID;
  CREATE TABLE opening_progress (id INTEGER PRIMARY KEY, first INTEGER NOT NULL, next INTEGER NOT NULL);
  CREATE TABLE proof (
    wallet BLOB PRIMARY KEY,
    first INTEGER NOT NULL,
    block INTEGER NOT NULL,
    hash BLOB NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) WITHOUT ROWID;`

/** Parameters: wallet, holding, first, amount, checksum. */
const insert = `INSERT OR REPLACE INTO opening (wallet, holding, first, amount, checksum) VALUES (?, ?, ?, ?, ?)`

/** Parameters: wallet, first, limit. */
const select = `SELECT holding, amount, checksum FROM opening WHERE wallet = ? AND first = ? ${limit}`

/** Inserts openings, replacing earlier ones. */
export const insertUnsafe = (connection: Connection, first: number, openings: ReadonlyArray<WalletOpening>): void =>
  connection.manyUnsafe(insert, OpeningRow.make(first, openings))

/** Openings of a wallet that were read for an index with this first block. */
export const readUnsafe = (connection: Connection, wallet: string, first: number): ReadonlyArray<OpeningBalance> => {
  const bytes = fromHex(wallet)
  const rows = connection.valuesUnsafe<OpeningRow.ReadColumns>(select, [bytes, first, OpeningRow.maxHoldings])
  return OpeningRow.read(bytes, first, rows)
}

/** Removes all openings. */
export const clearUnsafe = (connection: Connection): void => {
  for (const table of ["opening", "opening_progress"]) connection.rowsUnsafe(`DELETE FROM ${table}`, [])
}

/** Rows of a ledger page with the wallet's holdings before the first block; `found` are the rows of the query. */
export const addUnsafe = (connection: Connection, query: LedgerQuery, first: number, found: LedgerRows): LedgerRows =>
  OpeningRow.isWithin(query, first, found)
    ? { ...found, rows: OpeningRow.add(query, first, found, readUnsafe(connection, query.wallet, first)) }
    : found
