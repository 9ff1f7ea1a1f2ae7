/**
 * Statements on the journal of a chain's file. Each names its parameters in order.
 */
import * as JournalRow from "../rows/JournalRow.ts"

/** Parameters: change, kind, lowest, highest, hash, serial, mark, checksum. */
export const insertChange = `INSERT INTO change (change, kind, lowest, highest, hash, serial, mark, checksum)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

/** Parameters: last change to forget. */
export const forgetChanges = `DELETE FROM change WHERE change <= ?`

const changes = `SELECT change, kind, lowest, highest, hash, serial, mark, checksum FROM change`

/** Changes after one, oldest first. Parameters: change, limit. */
export const changesAfter = `${changes} WHERE change > ? ORDER BY change LIMIT ?`

/** The newest changes, newest first. Parameters: limit. */
export const newestChanges = `${changes} ORDER BY change DESC LIMIT ?`

export const oldestChange = `SELECT min(change) FROM change`

/** The number of the newest change. Parameters: chain. */
export const newestChange = `SELECT change FROM checkpoint WHERE chain = ?`

/** Parameters: change. */
export const changeMark = `SELECT mark FROM change WHERE change = ?`

/** Parameters: change. */
export const deleteChangesAfter = `DELETE FROM change WHERE change > ?`

const lowest = `SELECT min(lowest) FROM change WHERE kind = ${JournalRow.removeKind}`

/** The lowest block that changes after one removed. Parameters: change. */
export const lowestRemoved = `${lowest} AND change > ?`

/** The lowest block that was removed since a block was. Parameters: number, hash. */
export const lowestReorgedBlock = `${lowest}
  AND change >= (SELECT min(change) FROM removed WHERE number = ? AND hash = ?)`

/** Parameters: chain, number. */
export const hashOf = `SELECT hash FROM block WHERE chain = ? AND number = ?`

/** Remembers blocks that a change removes. Parameters: change, chain, lowest, limit. */
export const rememberRemoved = `INSERT INTO removed (number, hash, change)
  SELECT number, hash, ? FROM block WHERE chain = ? AND number >= ? ORDER BY number DESC LIMIT ?`

/** Forgets blocks below the highest ones. Parameters: how many to keep. */
export const forgetRemoved = `DELETE FROM removed WHERE number <=
  (SELECT number FROM removed ORDER BY number DESC LIMIT 1 OFFSET ?)`

/** Forgets blocks that changes up to one removed. Parameters: change. */
export const forgetRemovedBefore = `DELETE FROM removed WHERE change <= ?`

/** Blocks that a change removed, below a number, highest first. Parameters: change, number, limit. */
export const removedBy = `SELECT number, hash FROM removed WHERE change = ? AND number < ? ORDER BY number DESC LIMIT ?`

export const removed = `SELECT number, hash, change FROM removed`

export const deleteRemoved = `DELETE FROM removed`

/** Parameters: number, hash, change. */
export const insertRemoved = `INSERT INTO removed (number, hash, change) VALUES (?, ?, ?)`
