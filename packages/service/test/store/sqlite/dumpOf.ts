/** All rows of a chain's file, except removed blocks, leases and statuses. */
import { DatabaseSync } from "node:sqlite"

const statements = [
  "SELECT * FROM block",
  ...["document", "large_document", "large_internal", "history", "history_copy"].map(
    (table) => `SELECT * FROM ${table}`,
  ),
  "SELECT id, kind, revision, next FROM projection",
  "SELECT * FROM entry",
  "SELECT * FROM ledger",
  "SELECT * FROM ledger_block",
  "SELECT * FROM gap",
  "SELECT * FROM gap_count",
  "SELECT * FROM facts",
  "SELECT first, number, hash, timestamp, finalized, watch FROM checkpoint",
]

/** The rows of each table. */
export const dumpOf = (file: string) => {
  const database = new DatabaseSync(file)
  try {
    return statements.map((statement) => database.prepare(statement).all())
  } finally {
    database.close()
  }
}
