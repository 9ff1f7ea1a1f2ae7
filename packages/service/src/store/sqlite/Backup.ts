/**
 * Copies a SQLite file while it is in use: the copy is one committed state of it, compact, and checked before it gets its name.
 */
import { existsSync, renameSync, rmSync, statSync } from "node:fs"
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import * as Connection from "./Connection.ts"
import { StoreError } from "../StoreError.ts"

const refuse = (message: string, isRetryable = false) => new StoreError({ message, isRetryable, cause: undefined })

const checkUnsafe = (file: string) => {
  const copy = Connection.connectUnsafe({ file, readOnly: true })
  try {
    const [row] = copy.rowsUnsafe<{ readonly quick_check: string }>("PRAGMA quick_check(1)", [])
    if (row?.quick_check !== "ok") {
      throw refuse(`The copy of ${basename(file)} is damaged: ${row?.quick_check ?? "it cannot be read"}.`)
    }
  } finally {
    copy.close()
  }
}

/**
 * Copies a file to a path where nothing is; gives the bytes of the copy.
 *
 * **Errors**
 * - `StoreError`: something is at the path, the disk is full, or the file is damaged. Nothing is left at the path then.
 */
export const copy = (from: string, to: string): Effect.Effect<number, StoreError> =>
  Effect.try({
    try: () => {
      if (existsSync(to)) throw refuse(`The backup ${basename(to)} is there already; name another folder.`)
      const partial = `${to}.partial`
      rmSync(partial, { force: true })
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
