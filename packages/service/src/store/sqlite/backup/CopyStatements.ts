/**
 * Statements of a backup in addition to those of a chain's file. Each names its parameters in order.
 */

/** Parameters: chain. */
export const state = `SELECT lease_token, lease_until, status FROM checkpoint WHERE chain = ?`

export const copying = `SELECT goal, histories FROM copying`

export const deleteCopying = `DELETE FROM copying`

/** Parameters: goal, 1 if the histories are copied after the blocks. */
export const insertCopying = `INSERT INTO copying (goal, histories) VALUES (?, ?)`

export const deleteProjections = `DELETE FROM projection`

/** Parameters: chain, number. */
export const block = `SELECT hash, timestamp FROM block WHERE chain = ? AND number = ?`

/** Status of a copy: no indexer works on it. Parameters: status, status, message, now, chain. */
export const writeStatus = `UPDATE checkpoint SET status = CASE WHEN json_valid(?) THEN json_set(
  json_remove(?, '$.headAgeMillis', '$.blocksPerSecond', '$.headBlocksPerSecond'),
  '$.state', 'stopped', '$.nodeHead', NULL, '$.message', ?) END, status_at = ? WHERE chain = ?`

/** The last history entry in table order: a copy has one range. */
export const lastHistory = `SELECT key, id FROM history ORDER BY range DESC, key DESC, id DESC LIMIT 1`

/** Views and virtual tables, which this program never creates. */
export const foreignTables = `SELECT name FROM sqlite_schema WHERE type = 'view' OR sql LIKE 'create virtual%' LIMIT 1`
