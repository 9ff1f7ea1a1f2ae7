/**
 * Copies a SQLite file while it is in use. The copy is one committed state, compact, and checked before it gets its name.
 */
import { existsSync, renameSync, rmSync, statSync } from "node:fs"
import { basename } from "node:path"
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

/**
 * Copies a file to a new path; gives the size of the copy in bytes.
 *
 * **Errors**
 * - `StoreError`: the path exists, the disk is full, or the file is damaged. Nothing is left at the path.
 */
export const copy = (from: string, to: string): Effect.Effect<number, StoreError> =>
  Effect.try({
    try: () => {
      if (existsSync(to)) throw refuse(`Backup exists already: ${to}. Name another folder.`)
      const partial = `${to}.partial`
      rmSync(partial, { force: true })
      DatabaseFile.makePrivate(partial)
      const connection = Connection.connectUnsafe({ file: from, readOnly: true })
      try {
        connection.scriptUnsafe("PRAGMA query_only=0")
        connection.rowsUnsafe("VACUUM INTO ?", [partial])
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
