/**
 * The folder of a SQLite database: its location, its creation, and the names of the files in it.
 */
import { existsSync, mkdirSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as DatabaseUrl from "../../config/DatabaseUrl.ts"
import * as ChainSlug from "../rows/ChainSlug.ts"
import { invalidUrl, StoreError } from "../StoreError.ts"
import * as FileIssue from "./FileIssue.ts"

/** The file of API keys. */
export const keysFile = "daybook.sqlite"

/** The file of a chain. */
export const chainFile = (name: string): string => `chain-${ChainSlug.make(name, "-")}.sqlite`

/** The folder of a `sqlite:` URL without its scheme; relative paths start in `baseFolder`. */
export const fromLocation = (location: string, baseFolder: string): Effect.Effect<string, StoreError> =>
  Effect.mapBoth(Effect.fromResult(DatabaseUrl.sqliteFolder(location)), {
    onFailure: ({ expected, received }) => invalidUrl(expected, received),
    onSuccess: (folder) => resolve(baseFolder, folder),
  })

/** A folder could not be created. */
class NoFolder extends Data.TaggedError("NoFolder")<FileIssue.FileIssue> {}

/** Creates a folder and its parents one by one: Node's recursive form hangs below a parent that denies access, such as `/proc`. */
const makeFolders = (folder: string): void => {
  const above = dirname(folder)
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) throw new NoFolder({ path: folder, code: "ENOTDIR" })
    return
  }
  if (above !== folder) makeFolders(above)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (cause) {
    // Another process may have just created it.
    if (existsSync(folder) && statSync(folder).isDirectory()) return
    throw new NoFolder({ path: folder, code: FileIssue.codeOf(cause) ?? "unknown" })
  }
}

/** Fails if there is no folder. */
export const check = (folder: string): Effect.Effect<void, StoreError> =>
  Effect.suspend(() => {
    if (existsSync(folder)) return Effect.void
    const message = `Database folder missing: ${folder}. Correct "database", or run "daybook serve", which creates it.`
    return Effect.fail(new StoreError({ message, isRetryable: false, cause: undefined }))
  })

/** Creates a folder for its owner alone. */
export const make = (folder: string): Effect.Effect<void, StoreError> =>
  Effect.try({
    try: () => makeFolders(folder),
    catch: (cause) => {
      const { code, path } =
        cause instanceof NoFolder ? cause : { code: FileIssue.codeOf(cause) ?? "unknown", path: folder }
      const where = path === folder ? "" : `${path}: `
      const message = `Cannot create folder: ${folder} (${where}${FileIssue.describe(code)}). Name another folder, or change its permissions.`
      return new StoreError({ message, isRetryable: false, cause })
    },
  })
