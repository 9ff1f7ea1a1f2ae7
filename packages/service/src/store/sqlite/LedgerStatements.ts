/**
 * Statements on the ledgers of wallets. Each names its parameters in order.
 */
import * as Movement from "../../ledger/Movement.ts"
import * as RowId from "../rows/RowId.ts"
import { limit } from "./Limit.ts"

/** Parameters: wallet, row id, body, checksum. */
export const insert = `INSERT INTO ledger (wallet, id, body, checksum) VALUES (?, ?, ?, ?)`

/** Parameters: wallet, row id, body, checksum. */
export const replace = `INSERT OR REPLACE INTO ledger (wallet, id, body, checksum) VALUES (?, ?, ?, ?)`

/** Parameters: wallet, row id. */
export const remove = `DELETE FROM ledger WHERE wallet = ? AND id = ?`

/** Searches the whole table. Parameters: first row id, row id after the last. */
export const removeRange = `DELETE FROM ledger WHERE id >= ? AND id < ?`

/** Parameters: wallet, row id. */
export const find = `SELECT wallet, id, body, checksum FROM ledger WHERE wallet = ? AND id = ?`

/** Parameters: block, places, checksum. */
export const insertPlaces = `INSERT INTO ledger_block (block, places, checksum) VALUES (?, ?, ?)`

/** Parameters: block, places, checksum. */
export const replacePlaces = `INSERT OR REPLACE INTO ledger_block (block, places, checksum) VALUES (?, ?, ?)`

/** Rows of all wallets in the order of the table. Parameters: wallet, row id, limit. */
export const after = `SELECT wallet, id, body, checksum FROM ledger WHERE (wallet, id) > (?, ?) ORDER BY wallet, id LIMIT ?`

/** Parameters: block, limit. */
export const placesAfter = `SELECT block FROM ledger_block WHERE block > ? ORDER BY block LIMIT ?`

/** Parameters: from, to. */
export const places = `SELECT block, places, checksum FROM ledger_block WHERE block BETWEEN ? AND ? ORDER BY block`

/** Parameters: from, to. */
export const deletePlaces = `DELETE FROM ledger_block WHERE block BETWEEN ? AND ?`

/** Parameters: wallet, row id. */
export const size = `SELECT octet_length(body) FROM ledger WHERE wallet = ? AND id = ?`

const ofWallet = `FROM ledger WHERE wallet = ? AND id >= ? AND id <= ?`

/** Without its wallet, which a query names: each column of bytes takes as long as the rest of a row. */
const rows = `SELECT id, iif(octet_length(body) <= ?, body, NULL), checksum ${ofWallet}`

/** Rows of a wallet; `NULL` for a longer body. Parameters: bytes of a body, wallet, first row id, last row id, limit. */
export const page = {
  ASC: `${rows} ORDER BY id ${limit}`,
  DESC: `${rows} ORDER BY id DESC ${limit}`,
} as const

const ofTransactions = `${ofWallet} AND id % ${RowId.perBlock} <> ${Movement.blockLevelIndex}`
const transactions = `SELECT id, body, checksum ${ofTransactions}`

/** The row of a transaction behind a number of others. Parameters: wallet, first row id, last row id, number of the others. */
export const skip = {
  ASC: `SELECT id ${ofTransactions} ORDER BY id LIMIT 1 OFFSET ? + 0`,
  DESC: `SELECT id ${ofTransactions} ORDER BY id DESC LIMIT 1 OFFSET ? + 0`,
} as const

/** Rows of a wallet that belong to transactions. Parameters: wallet, first row id, last row id, limit. */
export const transactionPage = {
  ASC: `${transactions} ORDER BY id ${limit}`,
  DESC: `${transactions} ORDER BY id DESC ${limit}`,
} as const
