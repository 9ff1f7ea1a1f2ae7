/**
 * Statements on the ledgers of wallets. Each names its parameters in order.
 */
import * as Movement from "../../ledger/Movement.ts"
import * as RowId from "../rows/RowId.ts"
import * as BlobLiteral from "./BlobLiteral.ts"
import * as KeyRangeStatements from "./KeyRangeStatements.ts"
import { limit } from "./Limit.ts"

/** Parameters: range, wallet, row id, body, checksum. */
export const insert = `INSERT INTO ledger (range, wallet, id, body, checksum) VALUES (?, ?, ?, ?, ?)`

/** Parameters: range, wallet, row id, body, checksum. */
export const replace = `INSERT OR REPLACE INTO ledger (range, wallet, id, body, checksum) VALUES (?, ?, ?, ?, ?)`

/** Parameters: two ranges, wallet, row id. */
export const remove = `DELETE FROM ledger WHERE range IN (?, ?) AND wallet = ? AND id = ?`

/** Parameters: range, wallet, row id. */
export const removeAt = `DELETE FROM ledger WHERE range = ? AND wallet = ? AND id = ?`

/** Searches the whole table. Parameters: first row id, row id after the last. */
export const removeRange = `DELETE FROM ledger WHERE id >= ? AND id < ?`

/** Parameters: two ranges, wallet, row id. */
export const find = `SELECT wallet, id, body, checksum FROM ledger WHERE range IN (?, ?) AND wallet = ? AND id = ?`

/** Parameters: block, places, checksum. */
export const insertPlaces = `INSERT INTO ledger_block (block, places, checksum) VALUES (?, ?, ?)`

/** Parameters: block, places, checksum. */
export const replacePlaces = `INSERT OR REPLACE INTO ledger_block (block, places, checksum) VALUES (?, ?, ?)`

/** Rows of all wallets in the order of the table. Parameters: range, wallet, row id, limit. */
export const after = `SELECT wallet, id, body, checksum, range FROM ledger WHERE (range, wallet, id) > (?, ?, ?)
  ORDER BY range, wallet, id LIMIT ?`

/** Parameters: block, limit. */
export const placesAfter = `SELECT block FROM ledger_block WHERE block > ? ORDER BY block LIMIT ?`

/** Parameters: from, to. */
export const places = `SELECT block, places, checksum FROM ledger_block WHERE block BETWEEN ? AND ? ORDER BY block`

/** Parameters: from, to. */
export const deletePlaces = `DELETE FROM ledger_block WHERE block BETWEEN ? AND ?`

/** Parameters: two ranges, wallet, row id. */
export const size = `SELECT octet_length(body) FROM ledger WHERE range IN (?, ?) AND wallet = ? AND id = ?`

const ofWallet = `FROM ledger WHERE range = ? AND wallet = ? AND id >= ? AND id <= ?`

/** Without its wallet, which a query names. The body of a row without movements is read as a literal. */
const rows = `SELECT id, ${BlobLiteral.orBytes("body")}, checksum ${ofWallet}`

const inOrder = (selected: string) =>
  ({
    ASC: KeyRangeStatements.ofParts(`${selected} ORDER BY id ${limit}`),
    DESC: KeyRangeStatements.ofParts(`${selected} ORDER BY id DESC ${limit}`),
  }) as const

/**
 * Rows of a wallet; a literal for a short body, and `NULL` for a long one. Parameters: for each part the bytes of a body, range, wallet,
 * first row id, last row id, limit; limit.
 */
export const page = inOrder(rows)

const ofTransactions = `${ofWallet} AND id % ${RowId.perBlock} <> ${Movement.blockLevelIndex}`
const transactions = `SELECT id, body, checksum ${ofTransactions}`

/**
 * The row of a transaction after a number of others. Parameters: for each part the range, wallet, first row id, last row id, limit; number
 * of the others.
 */
export const skip = {
  ASC: KeyRangeStatements.behind(`SELECT id ${ofTransactions} ORDER BY id ${limit}`),
  DESC: KeyRangeStatements.behind(`SELECT id ${ofTransactions} ORDER BY id DESC ${limit}`),
} as const

/** Rows of a wallet that belong to transactions. Parameters: for each part the range, wallet, first row id, last row id, limit; limit. */
export const transactionPage = inOrder(transactions)
