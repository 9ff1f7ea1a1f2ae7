/**
 * The database of the service, opened from the URL in its configuration. The scheme of the URL names the engine; this table is the
 * only module that knows their implementations.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { BlockRows } from "../block/BlockRows.ts"
import type { Database, EngineOptions } from "./Database.ts"
import * as Postgres from "./postgres/Entry.ts"
import * as Sqlite from "./sqlite/Engine.ts"
import * as TimedDatabase from "./TimedDatabase.ts"
import { invalidUrl, type StoreError } from "./StoreError.ts"

export type { BlockRef, BlockRows } from "../block/BlockRows.ts"

/**
 * The database of the service.
 */
export class Engine extends Context.Service<Engine, Database>()("@daybook/service/Engine") {}

/** An implementation of the store. */
interface Implementation {
  /** Form of its URLs, for messages. */
  readonly form: string
  /** Opens a database. `location` is the URL without its scheme, as are `replicas`; paths in it are relative to `baseFolder`. */
  readonly open: (
    location: string,
    baseFolder: string,
    options?: EngineOptions,
    replicas?: ReadonlyArray<string>,
  ) => Effect.Effect<Database, StoreError, Scope.Scope>
  /** Makes what `append` would make of a block alone. Pure. */
  readonly prepare: (block: BlockRows, options: EngineOptions) => BlockRows
}

/** The engines by the scheme of their URLs. */
const engines = new Map<string, Implementation>([
  ["sqlite", Sqlite],
  ["postgres", Postgres],
  ["postgresql", Postgres],
])

const parse = (url: string) => {
  const [, scheme = "", location = ""] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(url) ?? []
  return { location, engine: engines.get(scheme.toLowerCase()) }
}

/** States the accepted forms and never shows the URL. */
const unknown = (): StoreError =>
  invalidUrl([...new Set([...engines.values()].map(({ form }) => form))].join(", or "), "a URL of another form")

/** A database by its URL, or by the URLs of its primary and of the replicas that pages are read of. */
export type DatabaseUrl = string | { readonly url: string; readonly replicas: ReadonlyArray<string> }

/**
 * The URL of a database, or of its primary.
 *
 * **Example** (Reading the URL of a primary)
 *
 * ```ts
 * import * as Engine from "@daybook/service/Engine"
 *
 * console.log(Engine.primaryOf({ url: "postgres://primary/daybook", replicas: ["postgres://replica/daybook"] }))
 * // postgres://primary/daybook
 * ```
 */
export const primaryOf = (database: DatabaseUrl): string => (typeof database === "string" ? database : database.url)

/**
 * Opens the database of a URL until the scope ends; relative paths start in `baseFolder`.
 *
 * **Errors**
 * - `StoreError`: the URL is not understood, or the database cannot be opened. Never shows the URL.
 *
 * **Example** (Opening a database)
 *
 * ```ts
 * import { mkdtempSync, rmSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import * as Engine from "@daybook/service/Engine"
 * import * as Effect from "effect/Effect"
 *
 * const folder = mkdtempSync(join(tmpdir(), "daybook-"))
 * const opened = Effect.map(Engine.fromUrl("sqlite:data", folder), () => "opened")
 * console.log(await Effect.runPromise(Effect.scoped(opened))) // opened
 * rmSync(folder, { recursive: true })
 * ```
 */
export const fromUrl = (
  database: DatabaseUrl,
  baseFolder: string,
  options?: EngineOptions,
): Effect.Effect<Database, StoreError, Scope.Scope> => {
  const { engine, location } = parse(primaryOf(database))
  if (engine === undefined) return Effect.fail(unknown())
  const replicas = typeof database === "string" ? [] : database.replicas.map(parse)
  if (replicas.some((replica) => replica.engine !== engine || engine === Sqlite)) {
    return Effect.fail(invalidUrl(`replicas of PostgreSQL: ${Postgres.form} for each`, "another URL"))
  }
  const opened = engine.open(
    location,
    baseFolder,
    options,
    replicas.map((replica) => replica.location),
  )
  const onOperation = options?.onOperation
  return onOperation === undefined ? opened : Effect.map(opened, (found) => TimedDatabase.make(found, onOperation))
}

/**
 * Prepares blocks ahead of `append` as the database of a URL stores them, so that other threads than that of the writer compress
 * documents. What is appended is the same with it and without it.
 */
export const preparer =
  (url: string, options: EngineOptions): ((block: BlockRows) => BlockRows) =>
  (block) =>
    parse(url).engine?.prepare(block, options) ?? block

/**
 * The database of a URL, as a service.
 */
export const layer = (database: DatabaseUrl, baseFolder: string): Layer.Layer<Engine, StoreError> =>
  Layer.effect(Engine, fromUrl(database, baseFolder))
