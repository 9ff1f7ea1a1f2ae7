/** How far the rewriting of a chain's file is, read from the file beside the processes that use it. */
import { DatabaseSync } from "node:sqlite"

/** The version of the file, its newest block and the first block of the present layout. */
export interface Progress {
  readonly schema: number
  readonly head: number
  /** `null` once every block is in the present layout; undefined before the file has one. */
  readonly layoutFrom: number | null | undefined
  /** No block and no history is in the older layout. */
  readonly isDone: boolean
}

/** Reads the progress. */
export const read = (file: string): Progress => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    const { user_version: schema } = database.prepare("PRAGMA user_version").get() as { readonly user_version: number }
    const row = database.prepare("SELECT * FROM checkpoint").get() as {
      readonly number: number
      readonly layout_from?: number | null
    }
    const isDone = row.layout_from === null && database.prepare("SELECT 1 FROM appearance LIMIT 1").get() === undefined
    return { schema, head: row.number, layoutFrom: row.layout_from, isDone }
  } finally {
    database.close()
  }
}

/** Rows of the older and the present layout. */
export interface Counts {
  readonly transactions: number
  readonly appearances: number
}

/** Counts the rows up to a block, of both layouts together. */
export const count = (file: string, lastBlock: number): Counts => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  const counted = (sql: string) =>
    (database.prepare(sql).get(lastBlock) as { readonly count: number } | undefined)?.count ?? 0
  const end = "(?1 + 1) * 1048576"
  try {
    return {
      transactions:
        counted(`SELECT count(*) AS count FROM document WHERE id < ${end}`) +
        counted(`SELECT count(*) AS count FROM "transaction" WHERE block <= ?1`),
      appearances:
        counted(`SELECT count(*) AS count FROM history WHERE id < ${end}`) +
        counted("SELECT count(*) AS count FROM appearance WHERE block <= ?1"),
    }
  } finally {
    database.close()
  }
}
