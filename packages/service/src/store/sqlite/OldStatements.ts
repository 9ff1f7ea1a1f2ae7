/**
 * Statements on the rows of blocks that are still in the layout of version 5 and earlier. Each names its parameters in order.
 */
import * as RowId from "../rows/RowId.ts"

const bodyBytes = `octet_length(t.body)`
const allBytes = `octet_length(t.body) + ifnull(octet_length(t.internal), 0)`

const page = (bytes: string, internal: string) => `SELECT a.block, a.tx_index,
  CASE WHEN ${bytes} <= ? THEN t.body END, t.decoder_revision, ${internal}, ${bytes}
  FROM appearance a
  JOIN "transaction" t ON t.id = a.block * ${RowId.perBlock} + a.tx_index
  WHERE a.chain = ? AND a.address = ?`

const withoutInternal = page(bodyBytes, "NULL")
const withInternal = page(allBytes, `CASE WHEN ${allBytes} <= ? THEN t.internal END`)

const up = `AND (a.block, a.tx_index) > (?, ?) AND a.block <= ? ORDER BY a.block, a.tx_index LIMIT ?`
const down = `AND (a.block, a.tx_index) < (?, ?) AND a.block >= ? ORDER BY a.block DESC, a.tx_index DESC LIMIT ?`

/**
 * Rows of a wallet above a position, up to a block, with their bytes; the texts of a row larger than the inline bound are NULL.
 * Parameters: inline bound, chain, address, position (block, index), last block, limit.
 */
export const pageUp = `${withoutInternal} ${up}`

/** Rows of a wallet below a position, down to a block, in the form of `pageUp`. Parameters: as `pageUp`, first block for last. */
export const pageDown = `${withoutInternal} ${down}`

/** `pageUp` with internal transactions. Parameters: inline bound, then as `pageUp`. */
export const pageUpInternal = `${withInternal} ${up}`

/** `pageDown` with internal transactions. Parameters: inline bound, then as `pageDown`. */
export const pageDownInternal = `${withInternal} ${down}`

/** Parameters: row id. */
export const documentTexts = `SELECT body, internal FROM "transaction" WHERE id = ?`

/** Parameters: body, revision, row id, revision. */
export const updateDocument = `UPDATE "transaction" SET body = ?, decoder_revision = ? WHERE id = ? AND decoder_revision <> ?`

/** One row when a document of a range has another revision. Parameters: first row id, row id after the last, revision. */
export const staleDocuments = `SELECT 1 FROM "transaction" WHERE id >= ? AND id < ? AND decoder_revision <> ? LIMIT 1`

/** Transactions of a range. Parameters: first row id, row id after the last. */
export const transactions = `SELECT block, tx_index, decoder_revision, hash, addresses, body, internal FROM "transaction"
  WHERE id >= ? AND id < ? ORDER BY id`

/** Parameters: chain, address, block, index. */
export const appearance = `SELECT 1 FROM appearance WHERE chain = ? AND address = ? AND block = ? AND tx_index = ?`

/** Appearances after one, with the addresses of their documents. Parameters: chain, address, block, index, limit. */
export const appearancesAfter = `SELECT a.address, a.block, a.tx_index, t.addresses FROM appearance a
  LEFT JOIN "transaction" t ON t.id = a.block * ${RowId.perBlock} + a.tx_index
  WHERE a.chain = ? AND (a.address, a.block, a.tx_index) > (?, ?, ?)
  ORDER BY a.address, a.block, a.tx_index LIMIT ?`

/** Parameters: first row id, row id after the last. */
export const deleteTransactionsOf = `DELETE FROM "transaction" WHERE id >= ? AND id < ?`

/** Parameters: row id, chain, block, index, revision, hash, addresses, body, internal. */
export const insertTransaction = `INSERT INTO "transaction"
  (id, chain, block, tx_index, decoder_revision, hash, addresses, body, internal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Parameters: chain, address, block, index. */
export const insertAppearance = `INSERT INTO appearance (chain, address, block, tx_index) VALUES (?, ?, ?, ?)`

/** Parameters: chain, address, block, index. */
export const deleteAppearance = `DELETE FROM appearance WHERE chain = ? AND address = ? AND block = ? AND tx_index = ?`

const appearanceKey = "chain, address, block, tx_index"

/** Deletes appearances in the order of their key. Parameters: chain, limit. */
export const deleteFirstAppearances = `DELETE FROM appearance WHERE (${appearanceKey}) IN
  (SELECT ${appearanceKey} FROM appearance WHERE chain = ? ORDER BY ${appearanceKey} LIMIT ?)`

/** One row when an appearance is left. Parameters: chain. */
export const anyAppearance = `SELECT 1 FROM appearance WHERE chain = ? LIMIT 1`
