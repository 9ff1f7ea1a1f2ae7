/**
 * Copies a SQLite file while it is in use. The copy is one committed state, compact, and checked before it gets its name.
 */
import { existsSync, renameSync, rmSync, statSync } from "node:fs"
import { basename } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Connection from "./Connection.ts"
import * as DatabaseFile from "./DatabaseFile.ts"
import { StoreError } from "../StoreError.ts"

const refuse = (message: string, isRetryable = false) => new StoreError({ message, isRetryable, cause: undefined })

const checkUnsafe = (file: string) => {
  const copy = Connection.connectUnsafe({ file, readOnly: true })
  try {
    const [row] = copy.rowsUnsafe<{ readonly quick_check: string }>("PRAGMA quick_check(1)", [])
    if (row?.quick_check !== "ok") {
      throw refuse(`Backup damaged: ${basename(file)} (${row?.quick_check ?? "unreadable"}). Run "daybook verify".`)
    }
  } finally {
    copy.close()
  }
}

/** The status in a copy: no indexer is at work on it, whatever the status of the original. */
const setStopped = `UPDATE checkpoint SET status = json_set(
  json_remove(status, '$.headAgeMillis', '$.blocksPerSecond', '$.headBlocksPerSecond'),
  '$.state', 'stopped', '$.nodeHead', NULL, '$.message', ?) WHERE json_valid(status)`

/** Marks the copy of a chain as one that no indexer has written. */
const markUnsafe = (file: string, message: string) => {
  const database = new DatabaseSync(file)
  try {
    const [chains] = database.prepare("SELECT count(*) AS found FROM sqlite_schema WHERE name = 'checkpoint'").all()
    if (chains?.["found"] === 1) database.prepare(setStopped).run(message)
  } finally {
    database.close()
  }
}

const messageAt = (millis: number): string =>
  `This is a backup of ${new Date(millis).toISOString().slice(0, 19)}Z. To restore it, name its folder as "database" and start "daybook serve".`

/**
 * Copies a file to a new path; gives the size of the copy in bytes.
 *
 * **Errors**
 * - `StoreError`: the path exists, the disk is full, or the file is damaged. Nothing is left at the path.
 */
export const copy = Effect.fnUntraced(function* (from: string, to: string): Effect.fn.Return<number, StoreError> {
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.try({
    try: () => {
      if (existsSync(to)) throw refuse(`Backup exists already: ${to}. Name another folder.`)
      const partial = `${to}.partial`
      rmSync(partial, { force: true })
      DatabaseFile.makePrivate(partial)
      const connection = Connection.connectUnsafe({ file: from, readOnly: true })
      try {
        connection.scriptUnsafe("PRAGMA query_only=0")
        connection.rowsUnsafe("VACUUM INTO ?", [partial])
        markUnsafe(partial, messageAt(now))
        checkUnsafe(partial)
        renameSync(partial, to)
      } finally {
        connection.close()
        rmSync(partial, { force: true })
      }
      return statSync(to).size
    },
    catch: (cause) => Connection.storeError(basename(from), cause),
  })
})
