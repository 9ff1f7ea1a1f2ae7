/** Changes a chain's file behind the store's back, as a bad disk or a bad hand would. */
import { DatabaseSync } from "node:sqlite"

/** Runs statements on a file. */
export const damage = (file: string, ...statements: ReadonlyArray<string>): void => {
  const database = new DatabaseSync(file)
  try {
    for (const statement of statements) database.exec(statement)
  } finally {
    database.close()
  }
}

/** Every row of the tables that an indexer writes. */
export const dump = (file: string) => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return ["block", '"transaction"', "appearance"].map((table) =>
      database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2, 3, 4`).all(),
    )
  } finally {
    database.close()
  }
}
