/** All rows in the schema of the test chain, except removed blocks, leases and statuses. */
import { Effect } from "effect"
import type { ServerDatabase } from "./TestServer.ts"

const tables = [
  "block",
  "document",
  "appearance",
  "entry",
  "ledger",
  "ledger_block",
  "gap",
  "facts",
  "opening",
  "opening_progress",
  "token",
  "token_progress",
  "proof",
]

const statements = [
  ...tables.map((table) => `SELECT t::text AS row FROM daybook_test.${table} t ORDER BY 1`),
  "SELECT id, kind, revision, next FROM daybook_test.projection ORDER BY id",
  "SELECT name, count FROM daybook_test.counter WHERE count <> 0 ORDER BY name",
  "SELECT first, number, hash::text AS hash, timestamp, finalized, watch FROM daybook_test.checkpoint",
]

/** The rows of each table. */
export const dumpOf = (rows: ServerDatabase["rows"]): Effect.Effect<unknown> => Effect.forEach(statements, rows)
