/**
 * The database of the service, opened from the URL in its configuration. The URL scheme selects the engine; only this table knows their
 * implementations.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { BlockRows } from "../block/BlockRows.ts"
import * as DatabaseUrl from "../config/DatabaseUrl.ts"
import type { Database, EngineOptions } from "./Database.ts"
import * as Postgres from "./postgres/Entry.ts"
import * as Sqlite from "./sqlite/Engine.ts"
import * as TimedDatabase from "./TimedDatabase.ts"
import { invalidUrl, type StoreError } from "./StoreError.ts"

export type { BlockRef, BlockRows } from "../block/BlockRows.ts"
export type { DatabaseUrl } from "../config/DatabaseUrl.ts"

/**
 * The database of the service.
 */
export class Engine extends Context.Service<Engine, Database>()("@daybook/service/Engine") {}

/** Implementation of the store. */
interface Implementation {
  /** Opens a database. `location` is the URL without its scheme, as are `replicas`; paths in it are relative to `baseFolder`. */
  readonly open: (
    location: string,
    baseFolder: string,
    options?: EngineOptions,
    replicas?: ReadonlyArray<string>,
  ) => Effect.Effect<Database, StoreError, Scope.Scope>
  /** Prepares what `append` would otherwise derive from a single block. Pure. */
  readonly prepare: (block: BlockRows, options: EngineOptions) => BlockRows
}

/** Engines by URL scheme. */
const engines = new Map<string, Implementation>([
  ["sqlite", Sqlite],
  ["postgres", Postgres],
  ["postgresql", Postgres],
])

const engineOf = (url: string): Implementation | undefined => engines.get(DatabaseUrl.schemeOf(url)?.scheme ?? "")

const locationOf = (url: string): string => DatabaseUrl.schemeOf(url)?.location ?? ""

/**
 * URL of a database, or of its primary.
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
export const primaryOf = (database: DatabaseUrl.DatabaseUrl): string =>
  typeof database === "string" ? database : database.url

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
  database: DatabaseUrl.DatabaseUrl,
  baseFolder: string,
  options?: EngineOptions,
): Effect.Effect<Database, StoreError, Scope.Scope> => {
  const engine = engineOf(primaryOf(database))
  const issue = DatabaseUrl.issueOf(database)
  if (issue !== undefined || engine === undefined) {
    return Effect.fail(invalidUrl(issue?.expected ?? "a URL of an engine", issue?.received ?? "another URL"))
  }
  const replicas = typeof database === "string" ? [] : database.replicas
  const opened = engine.open(locationOf(primaryOf(database)), baseFolder, options, replicas.map(locationOf))
  const onOperation = options?.onOperation
  return onOperation === undefined ? opened : Effect.map(opened, (found) => TimedDatabase.make(found, onOperation))
}

/**
 * Prepares blocks ahead of `append` in the form of a URL's database, so that threads other than the writer's compress documents. What is
 * appended is the same with and without it.
 */
export const preparer =
  (url: string, options: EngineOptions): ((block: BlockRows) => BlockRows) =>
  (block) =>
    engineOf(url)?.prepare(block, options) ?? block

/**
 * Provides the database of a URL.
 */
export const layer = (database: DatabaseUrl.DatabaseUrl, baseFolder: string): Layer.Layer<Engine, StoreError> =>
  Layer.effect(Engine, fromUrl(database, baseFolder))
