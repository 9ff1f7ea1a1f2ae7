/**
 * Statements on the rows of transactions and on the histories of wallets. Each names its parameters in order.
 */
import * as KeyRangeStatements from "./KeyRangeStatements.ts"
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

const between = `SELECT d.id, ${columns("d")} FROM document d WHERE d.id >= ? AND d.id <= ? ORDER BY d.id`

/** Rows of a range, up to a limit. Parameters: first row id, last row id, limit. */
export const documentsIn = { ASC: `${between} ${limit}`, DESC: `${between} DESC ${limit}` } as const

/** Row ids of a range. Parameters: first row id, row id after the last. */
export const documentIds = `SELECT id FROM document WHERE id >= ? AND id < ?`

/** Parameters: row ids as JSON. */
export const documentsOf = `SELECT d.id, ${columns("d")} FROM json_each(?) wanted CROSS JOIN document d ON d.id = wanted.value`

/** One row if a document of a range has another revision. Parameters: first row id, row id after the last, revision. */
export const staleDocuments = `SELECT 1 FROM document WHERE id >= ? AND id < ? AND revision <> ? LIMIT 1`

/** Tables with rows of transactions. */
export const documentTables = ["document", "large_document", "large_internal"] as const

/** Parameters: first row id, row id after the last. */
export const deleteDocuments = (table: (typeof documentTables)[number]) =>
  `DELETE FROM ${table} WHERE id >= ? AND id < ?`

/** Both copies of the histories. */
export const historyTables = ["history", "history_copy"] as const

export type HistoryTable = (typeof historyTables)[number]

/** Parameters: range, key, row id. */
export const insertHistory = (table: HistoryTable) => `INSERT INTO ${table} (range, key, id) VALUES (?, ?, ?)`

/** Parameters: two ranges, key, row id. */
export const deleteHistory = (table: HistoryTable) =>
  `DELETE FROM ${table} WHERE range IN (?, ?) AND key = ? AND id = ?`

/** Searches a whole copy. Parameters: first row id, row id after the last. */
export const deleteHistoryOf = (table: HistoryTable) => `DELETE FROM ${table} WHERE id >= ? AND id < ?`

/** Parameters: two ranges, key, row id. */
export const findHistory = (table: HistoryTable) =>
  `SELECT 1 FROM ${table} WHERE range IN (?, ?) AND key = ? AND id = ?`

/** Entries of all ranges after one, in the order of the table. Parameters: range, key, row id, limit. */
export const historyAfter = (table: HistoryTable) =>
  `SELECT key, id, range FROM ${table} WHERE (range, key, id) > (?, ?, ?) ORDER BY range, key, id LIMIT ?`

/** Parameters: range, key, row id. */
export const deleteHistoryAt = (table: HistoryTable) => `DELETE FROM ${table} WHERE range = ? AND key = ? AND id = ?`

/** Entries after one in the order of their keys. Parameters: for each range its number, key, row id; limit. */
export const historyByKey = (table: HistoryTable) =>
  KeyRangeStatements.kept(
    (ranges) =>
      `${KeyRangeStatements.repeated(ranges, `SELECT key, id FROM ${table} WHERE range = ? AND (key, id) > (?, ?)`)} ORDER BY key, id LIMIT ?`,
  )

const up = `AND h.id >= ? AND h.id <= ? ORDER BY h.id ${limit}`
const down = `AND h.id >= ? AND h.id <= ? ORDER BY h.id DESC ${limit}`

const page = `SELECT h.id, ${columns("d")} FROM history h LEFT JOIN document d ON d.id = h.id WHERE h.range = ? AND h.key = ?`
const copy = `SELECT h.id FROM history_copy h WHERE h.range = ? AND h.key = ?`
const entries = `SELECT h.id FROM history h WHERE h.range = ? AND h.key = ?`

const inOrder = (rows: string) =>
  ({ ASC: KeyRangeStatements.ofParts(`${rows} ${up}`), DESC: KeyRangeStatements.ofParts(`${rows} ${down}`) }) as const

/** Entries of a key with their rows. Parameters: for each part the range, key, first row id, last row id, limit; limit. */
export const pageRows = inOrder(page)

/** Entries of a key in the copy. Parameters: those of `pageRows`. */
export const pageCopy = inOrder(copy)

/** The entry after a number of others. Parameters: those of `pageRows` for each part; number of the others. */
export const skip = {
  ASC: KeyRangeStatements.behind(`${entries} ${up}`),
  DESC: KeyRangeStatements.behind(`${entries} ${down}`),
} as const
