/**
 * Opening balances of wallets before the first indexed block, in a chain's file: one row per wallet and holding that was read, even if the
 * amount is 0. Rows read for another first block, and damaged rows, are ignored. Functions named `Unsafe` throw what SQLite throws.
 *
 * Source: decision 0050.
 */
import type { OpeningQuery, OpeningRows, OpeningSlice, WalletOpening } from "../Proofs.ts"
import { fromHex } from "../rows/Bytes.ts"
import * as OpeningRow from "../rows/OpeningRow.ts"
import { maxOpenings } from "../WalletOpenings.ts"
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
const select = `SELECT holding, amount, checksum FROM opening WHERE wallet = ? AND first = ? ORDER BY holding ${limit}`

/** Parameters: wallet, first, key, limit. */
const selectSlice = `SELECT holding, amount, checksum FROM opening
  WHERE wallet = ? AND first = ? AND holding > ? ORDER BY holding ${limit}`

const isMovement = OpeningRow.isMovement((hex) => `x'${hex}'`)

/** Parameters: wallet, first, limit of all, limit, offset. */
const selectRange = `SELECT holding, amount, checksum FROM (${select}) WHERE ${isMovement} ORDER BY holding ${limit} OFFSET ? + 0`

/** Parameters: wallet, first, limit of all. */
const count = `SELECT count(*) FROM (${select}) WHERE ${isMovement}`

/** Inserts openings, replacing earlier ones. */
export const insertUnsafe = (connection: Connection, first: number, openings: ReadonlyArray<WalletOpening>): void =>
  connection.manyUnsafe(insert, OpeningRow.make(first, openings))

/** Openings of a wallet after a key that were read for an index with this first block. */
export const readUnsafe = (
  connection: Connection,
  wallet: string,
  first: number,
  after: Uint8Array = new Uint8Array(),
): OpeningSlice => {
  const bytes = fromHex(wallet)
  const rows = connection.valuesUnsafe<OpeningRow.ReadColumns>(selectSlice, [bytes, first, after, OpeningRow.sliceRows])
  return OpeningRow.read(bytes, first, rows)
}

/** A range of the openings of a wallet that are movements. */
export const rangeUnsafe = (connection: Connection, query: OpeningQuery, first: number): OpeningRows => {
  const all = [fromHex(query.wallet), first, maxOpenings]
  const isCounted = query.order === "DESC" && query.after === undefined
  // Sound: a count has one row.
  const total = isCounted ? connection.valuesUnsafe<readonly [number]>(count, all)[0]![0] : 0
  const numbers = OpeningRow.numbersOf(query, total)
  const values = [...all, numbers.count, numbers.from]
  const rows = numbers.count === 0 ? [] : connection.valuesUnsafe<OpeningRow.ReadColumns>(selectRange, values)
  return OpeningRow.rangeOf(query, first, numbers, rows)
}

/** Removes all openings. */
export const clearUnsafe = (connection: Connection): void => {
  for (const table of ["opening", "opening_progress"]) connection.rowsUnsafe(`DELETE FROM ${table}`, [])
}
