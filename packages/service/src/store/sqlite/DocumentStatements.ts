/**
 * Statements on the rows of transactions and on the histories of wallets. Each names its parameters in order.
 */
import { limit } from "./Limit.ts"

const columns = (row: string) =>
  ["revision", "form", "size", "internal_size", "hash", "addresses", "frame", "checksum"]
    .map((column) => `${row}.${column}`)
    .join(", ")

/** Parameters: row id, revision, form, size, size of internal transactions, hash, addresses, frame, checksum. */
export const insertDocument = `INSERT INTO document
  (id, revision, form, size, internal_size, hash, addresses, frame, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Parameters: row id, frame, checksum. */
export const insertLargeDocument = `INSERT INTO large_document (id, frame, checksum) VALUES (?, ?, ?)`

/** Parameters: row id, frame, checksum. */
export const insertLargeInternal = `INSERT INTO large_internal (id, frame, checksum) VALUES (?, ?, ?)`

/** Parameters: row id. */
export const largeDocument = `SELECT frame, checksum FROM large_document WHERE id = ?`

/** Parameters: row id. */
export const largeInternal = `SELECT frame, checksum FROM large_internal WHERE id = ?`

/** Rows of a range. Parameters: first row id, row id after the last. */
export const documents = `SELECT d.id, ${columns("d")} FROM document d WHERE d.id >= ? AND d.id < ? ORDER BY d.id`

/** Parameters: row ids as JSON. */
export const documentsOf = `SELECT d.id, ${columns("d")} FROM json_each(?) wanted CROSS JOIN document d ON d.id = wanted.value`

/** One row when a document of a range has another revision. Parameters: first row id, row id after the last, revision. */
export const staleDocuments = `SELECT 1 FROM document WHERE id >= ? AND id < ? AND revision <> ? LIMIT 1`

/** Tables with rows of transactions. */
export const documentTables = ["document", "large_document", "large_internal"] as const

/** Parameters: first row id, row id after the last. */
export const deleteDocuments = (table: (typeof documentTables)[number]) =>
  `DELETE FROM ${table} WHERE id >= ? AND id < ?`

/** Both copies of the histories. */
export const historyTables = ["history", "history_copy"] as const

export type HistoryTable = (typeof historyTables)[number]

/** Parameters: key, row id. */
export const insertHistory = (table: HistoryTable) => `INSERT INTO ${table} (key, id) VALUES (?, ?)`

/** Parameters: key, row id. */
export const deleteHistory = (table: HistoryTable) => `DELETE FROM ${table} WHERE key = ? AND id = ?`

/** Searches a whole copy. Parameters: first row id, row id after the last. */
export const deleteHistoryOf = (table: HistoryTable) => `DELETE FROM ${table} WHERE id >= ? AND id < ?`

/** Parameters: key, row id. */
export const findHistory = (table: HistoryTable) => `SELECT 1 FROM ${table} WHERE key = ? AND id = ?`

/** Entries after one. Parameters: key, row id, limit. */
export const historyAfter = (table: HistoryTable) =>
  `SELECT key, id FROM ${table} WHERE (key, id) > (?, ?) ORDER BY key, id LIMIT ?`

const up = `AND h.id >= ? AND h.id <= ? ORDER BY h.id ${limit}`
const down = `AND h.id >= ? AND h.id <= ? ORDER BY h.id DESC ${limit}`

const page = `SELECT h.id, ${columns("d")} FROM history h LEFT JOIN document d ON d.id = h.id WHERE h.key = ?`
const copy = `SELECT h.id FROM history_copy h WHERE h.key = ?`

/** Entries of a key with their rows. Parameters: key, first row id, last row id, limit. */
export const pageRows = { ASC: `${page} ${up}`, DESC: `${page} ${down}` } as const

const skipped = `SELECT h.id FROM history h WHERE h.key = ? AND h.id >= ? AND h.id <= ?`

/** The entry behind a number of others. Parameters: key, first row id, last row id, number of the others. */
export const skip = {
  ASC: `${skipped} ORDER BY h.id LIMIT 1 OFFSET ? + 0`,
  DESC: `${skipped} ORDER BY h.id DESC LIMIT 1 OFFSET ? + 0`,
} as const

/** Entries of a key in the copy. Parameters: key, first row id, last row id, limit. */
export const pageCopy = { ASC: `${copy} ${up}`, DESC: `${copy} ${down}` } as const
