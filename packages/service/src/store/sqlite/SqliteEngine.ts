/**
 * The databases that a configuration names: which engine, where, and one store for each chain. `sqlite:` and a folder is what
 * this version serves; a file for each chain, since each has one writer, and one for keys.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Audit } from "../Audit.ts"
import * as FileIssue from "./FileIssue.ts"
import type { KeyGrant, KeysShape } from "../ApiKeys.ts"
import * as SqliteAudit from "./Audit.ts"
import * as Backup from "./Backup.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as SqliteStore from "./ChainStore.ts"
import { StoreError } from "../Store.ts"
import type { StoreShape } from "../Store.ts"

/** The databases of a service. */
export interface SqliteEngine {
  /**
   * Opens the store of a chain until the scope ends. `read` refuses writes and does not need the file to exist yet. `watch` are
   * the wallets that a writer indexes, `null` for all: an index that lacks one of them is refused.
   */
  readonly chainStore: (
    name: string,
    chainId: number,
    mode: "read" | "write",
    watch?: ReadonlySet<string> | null,
  ) => Effect.Effect<StoreShape, StoreError, Scope.Scope>
  /** Opens the keys until the scope ends. */
  readonly keys: Effect.Effect<KeysShape, StoreError, Scope.Scope>
  /** The grants of the keys, without writing. */
  readonly listKeys: Effect.Effect<ReadonlyArray<KeyGrant>, StoreError>
  /** Opens the store of a chain for a close look until the scope ends; `write` can put blocks right. */
  readonly chainAudit: (
    name: string,
    chainId: number,
    mode: "read" | "write",
  ) => Effect.Effect<Audit, StoreError, Scope.Scope>
  /**
   * Copies the stores of these chains and the keys, while they are in use, into a folder that a configuration can name in place
   * of this database. A chain that has no store yet is passed over.
   *
   * **Errors**
   * - `StoreError`: the folder holds a copy already, the disk is full, or a store is damaged.
   */
  readonly backup: (names: ReadonlyArray<string>, folder: string) => Effect.Effect<ReadonlyArray<Copy>, StoreError>
}

/** A part of a backup. */
export interface Copy {
  readonly file: string
  readonly bytes: number
}

const accepted = 'Accepted: "sqlite:" and a folder, for example "sqlite:data".'
const nameAtMost = 40

const refuse = (message: string, cause?: unknown) => new StoreError({ message, isRetryable: false, cause })

/**
 * The name of a chain's file. Names that mean the same chain (any case, space or hyphen) share one; a name with other
 * characters carries a piece of its hash, so that two chains never share a file and a name never leaves the folder.
 */
export const chainFile = (name: string): string => {
  const same = name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "-")
  const safe = same.replace(/[^a-z0-9-]/g, "_").slice(0, nameAtMost)
  const suffix = safe === same && safe !== "" ? "" : `-${createHash("sha256").update(same).digest("hex").slice(0, 12)}`
  return `chain-${safe}${suffix}.sqlite`
}

/** The folder that a configuration names; paths in it are relative to the configuration's own folder. */
const folderOf = (database: string, baseFolder: string): Effect.Effect<string, StoreError> => {
  // The text may hold a password: no message repeats it.
  if (/^postgres(ql)?:/i.test(database)) {
    return Effect.fail(
      refuse(`The configuration's "database" names PostgreSQL; this version serves SQLite only. ${accepted}`),
    )
  }
  const path = database.startsWith("sqlite:") ? database.slice("sqlite:".length) : ""
  if (path === "" || path.startsWith("//") || path.startsWith(":") || path.includes("://") || path.includes("\0")) {
    return Effect.fail(refuse(`The configuration's "database" is not understood. ${accepted}`))
  }
  return Effect.succeed(resolve(baseFolder, path))
}

const keysFile = "daybook.sqlite"

/** A folder cannot be made. */
class NoFolder extends Data.TaggedError("NoFolder")<FileIssue.FileIssue> {}

/** Makes a folder and those above it, one at a time: at once, Node never ends where a parent such as `/proc` refuses. */
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
    // Another process may have made it just now.
    if (existsSync(folder) && statSync(folder).isDirectory()) return
    throw new NoFolder({ path: folder, code: FileIssue.codeOf(cause) ?? "unknown" })
  }
}

const makeFolder = (folder: string, whose: string) =>
  Effect.try({
    try: () => makeFolders(folder),
    catch: (cause) => {
      const { code, path } =
        cause instanceof NoFolder ? cause : { code: FileIssue.codeOf(cause) ?? "unknown", path: folder }
      const where = path === folder ? "" : `${path}: `
      return refuse(`The folder of ${whose}, ${folder}, cannot be made (${where}${FileIssue.say(code)}).`, cause)
    },
  })

/**
 * Reads `database` of a configuration whose file stands in `baseFolder`, and makes the folder, for its owner alone.
 *
 * **Errors**
 * - `StoreError`: the text is not understood, names another engine, or the folder cannot be made. Never holds a password.
 */
export const fromConfig = (database: string, baseFolder: string): Effect.Effect<SqliteEngine, StoreError> =>
  Effect.gen(function* () {
    const folder = yield* folderOf(database, baseFolder)
    yield* makeFolder(folder, `"database"`)
    return {
      chainStore: (name, chainId, mode, watch) =>
        SqliteStore.make({
          file: join(folder, chainFile(name)),
          chainId,
          chain: name,
          readOnly: mode === "read",
          ...(watch === undefined ? {} : { watch }),
        }),
      keys: ApiKeys.make(join(folder, keysFile)),
      listKeys: ApiKeys.list(join(folder, keysFile)),
      chainAudit: (name, chainId, mode) => SqliteAudit.make(join(folder, chainFile(name)), chainId, mode === "write"),
      backup: (names, target) =>
        Effect.gen(function* () {
          const files = [...names.map(chainFile), keysFile].filter((file) => existsSync(join(folder, file)))
          const to = resolve(target)
          const taken = files.find((file) => existsSync(join(to, file)))
          if (taken !== undefined) return yield* refuse(`The folder ${to} holds ${taken} already; name another one.`)
          yield* makeFolder(to, "the backup")
          return yield* Effect.forEach(files, (file) =>
            Effect.map(Backup.copy(join(folder, file), join(to, file)), (bytes): Copy => ({ file, bytes })),
          )
        }),
    }
  })
