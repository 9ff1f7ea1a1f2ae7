/** Changes a chain's file without the store, to simulate disk errors and manual edits. */
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

const tables = [
  "block",
  "document",
  "(SELECT *, 0 FROM facts)",
  ...["large_document", "large_internal"].map((table) => `(SELECT *, 0 FROM ${table})`),
  ...["history", "history_copy"].map((table) => `(SELECT *, 0, 0 FROM ${table})`),
]

/** All rows of the tables that an indexer writes. */
export const dump = (file: string) => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return tables.map((table) => database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2, 3, 4`).all())
  } finally {
    database.close()
  }
}
