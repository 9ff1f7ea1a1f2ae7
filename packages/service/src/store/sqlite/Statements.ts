/**
 * Statements on the tables of a chain's file, except those on transactions (`DocumentStatements`). Each names its parameters in order.
 */
import { limit } from "./Limit.ts"

const checkpointColumns = (row: string) =>
  ["chain", "first", "number", "hash", "timestamp", "finalized", "watch", "serial", "change", "checksum"]
    .map((column) => `${row}.${column}`)
    .join(", ")

/** Parameters: chain. */
export const checkpoint = `SELECT ${checkpointColumns("c")} FROM checkpoint c WHERE c.chain = ?`

/**
 * The checkpoint, the numbers of gaps by kind as JSON, what is proved about a wallet, and the checkpoint of a projection. Separate
 * statements would each take as long as several rows. Parameters: wallet, projection, chain.
 */
export const snapshotStart = `SELECT ${checkpointColumns("c")},
    (SELECT json_group_object(kind, gaps) FROM gap_count WHERE kind >= ''),
    r.wallet, r.first, r.compared, r.block, r.checksum, p.number, p.id, p.kind, p.revision, p.next, p.checksum
  FROM checkpoint c
  LEFT JOIN reconciled r ON r.wallet = ? AND r.first = c.first
  LEFT JOIN projection p ON p.id = ?
  WHERE c.chain = ?`

export const anyBlock = `SELECT 1 FROM block LIMIT 1`

/** Parameters: chain, from, to. */
export const headers = `SELECT number, hash FROM block WHERE chain = ? AND number BETWEEN ? AND ? ORDER BY number`

/** Parameters: chain, timestamp. */
export const firstAtOrAfter = `SELECT number FROM block WHERE chain = ? AND timestamp >= ?
  ORDER BY timestamp, number LIMIT 1`

/** Parameters: chain, timestamp. */
export const lastAtOrBefore = `SELECT number FROM block WHERE chain = ? AND timestamp <= ?
  ORDER BY timestamp DESC, number DESC LIMIT 1`

/** Parameters: chain. */
export const status = `SELECT status, status_at AS writtenAt FROM checkpoint WHERE chain = ?`

/** Parameters: projection. */
export const projection = `SELECT number, id, kind, revision, next, checksum FROM projection WHERE id = ?`

/** Every projection. */
export const allProjections = `SELECT number, id, kind, revision, next, checksum FROM projection ORDER BY number`

/** Parameters: number, id, kind, revision, next, checksum. */
export const writeProjection = `INSERT INTO projection (number, id, kind, revision, next, checksum)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE
  SET kind = excluded.kind, revision = excluded.revision, next = excluded.next, checksum = excluded.checksum`

/** Parameters: number of the projection, row id, key, body. */
export const insertEntry = `INSERT INTO entry (projection, id, key, body) VALUES (?, ?, ?, ?)`

/** Parameters: first row id to remove. */
export const deleteEntries = `DELETE FROM entry WHERE projection IN (SELECT number FROM projection) AND id >= ?`

/** Parameters: number of the projection, first row id, row id after the last. */
export const deleteEntriesOf = `DELETE FROM entry WHERE projection = ? AND id >= ? AND id < ?`

/** Blocks with their numbers of transactions. Parameters: chain, from, limit. */
export const blockCounts = `SELECT number, transactions AS count FROM block
  WHERE chain = ? AND number >= ? ORDER BY number LIMIT ?`

/** Blocks with their numbers of transactions, from the newest down. Parameters: chain, block after the newest, limit. */
export const blockCountsDown = `SELECT number, transactions AS count FROM block
  WHERE chain = ? AND number < ? ORDER BY number DESC LIMIT ?`

const entries = `SELECT e.id, CASE WHEN octet_length(e.body) <= ? THEN e.body END, p.revision, octet_length(e.body)
  FROM projection p JOIN entry e ON e.projection = p.number WHERE p.id = ? AND e.key = ?`

/** Parameters: projection, row id. */
export const entryText = `SELECT e.body FROM projection p JOIN entry e ON e.projection = p.number WHERE p.id = ? AND e.id = ?`

/** Entries of a key above a row id, up to another. Parameters: inline bound, projection, key, row id, row id after the last, limit. */
export const entriesUp = `${entries} AND e.id > ? AND e.id < ? ORDER BY e.id ${limit}`

/** Entries of a key below a row id, down to another. Parameters: inline bound, projection, key, row id, row id before the first, limit. */
export const entriesDown = `${entries} AND e.id < ? AND e.id > ? ORDER BY e.id DESC ${limit}`

/** Blocks of a range. Parameters: chain, from, to. */
export const blocks = `SELECT number, hash, parent_hash, timestamp, transactions, facts, checksum FROM block
  WHERE chain = ? AND number BETWEEN ? AND ? ORDER BY number`

/** Parameters: numbers as JSON, chain. */
export const blocksOf = `SELECT b.number, b.hash, b.parent_hash, b.timestamp, b.transactions, b.facts, b.checksum
  FROM json_each(?) wanted CROSS JOIN block b ON b.chain = ? AND b.number = wanted.value`

/** Parameters: chain, number. */
export const deleteBlock = `DELETE FROM block WHERE chain = ? AND number = ?`

/** A chain in the file that is not the given one. Parameters: chain. */
export const otherChain = `SELECT chain FROM checkpoint WHERE chain <> ? LIMIT 1`

/** Parameters: chain, first, number, hash, timestamp, finalized, watch, serial, change, checksum. */
export const claim = `INSERT INTO checkpoint (chain, first, number, hash, timestamp, finalized, watch, serial, change, checksum)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (chain) DO NOTHING`

/** Parameters: first, number, hash, timestamp, finalized, watch, serial, change, checksum, chain. */
export const writeCheckpoint = `UPDATE checkpoint SET first = ?, number = ?, hash = ?, timestamp = ?, finalized = ?,
  watch = ?, serial = ?, change = ?, checksum = ? WHERE chain = ?`

/** Parameters: chain, number, hash, parent hash, timestamp, number of transactions, checksum of the facts, checksum. */
export const insertBlock = `INSERT INTO block (chain, number, hash, parent_hash, timestamp, transactions, facts, checksum)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

/** Parameters: chain, first block to remove. */
export const deleteBlocks = `DELETE FROM block WHERE chain = ? AND number >= ?`

/** One row if the token is the current one. Parameters: chain, token. */
export const isCurrentToken = `SELECT 1 FROM checkpoint WHERE chain = ? AND lease_token = ?`

/** Takes a lease that is free, expired, in the future, or already one's own. Parameters: owner, now, until, chain, owner, now, now. */
export const acquireLease = `UPDATE checkpoint SET lease_owner = ?, lease_since = ?, lease_until = ?,
  lease_token = lease_token + 1
  WHERE chain = ? AND (lease_owner IS NULL OR lease_owner = ? OR lease_until <= ? OR lease_since > ?)
  RETURNING lease_token AS token`

/** Parameters: now, until, chain, token. */
export const renewLease = `UPDATE checkpoint SET lease_since = ?, lease_until = ?
  WHERE chain = ? AND lease_token = ? AND lease_owner IS NOT NULL RETURNING chain`

/** Parameters: chain, token. */
export const releaseLease = `UPDATE checkpoint SET lease_owner = NULL, lease_since = NULL, lease_until = NULL
  WHERE chain = ? AND lease_token = ?`

/** Parameters: status, now, chain, token. */
export const writeStatus = `UPDATE checkpoint SET status = ?, status_at = ?
  WHERE chain = ? AND lease_token = ? RETURNING chain`

/** Parameters: block, position in the block's gaps, kind, transaction, reason. */
export const insertGap = `INSERT INTO gap (block, position, kind, "transaction", reason) VALUES (?, ?, ?, ?, ?)`

/** Parameters: from, to. */
export const deleteGaps = `DELETE FROM gap WHERE block BETWEEN ? AND ?`

/** Parameters: from, to, limit. */
export const gaps = `SELECT block, kind, "transaction", reason FROM gap WHERE block BETWEEN ? AND ?
  ORDER BY block, position LIMIT ?`

/** Parameter: last block. */
export const lastTraceGap = `SELECT block FROM gap INDEXED BY gap_trace WHERE kind = 'trace' AND block <= ?
  ORDER BY block DESC LIMIT 1`

/** Parameters: block, dictionary, size, frame. */
export const insertFacts = `INSERT INTO facts (block, dictionary, size, frame) VALUES (?, ?, ?, ?)`

/** Parameters: from, to. */
export const deleteFacts = `DELETE FROM facts WHERE block BETWEEN ? AND ?`

/** Parameters: from, to. */
export const facts = `SELECT block, dictionary, size, frame FROM facts WHERE block BETWEEN ? AND ? ORDER BY block`
