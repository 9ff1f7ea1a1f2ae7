/**
 * The database of the service, opened from the URL in its configuration. The scheme of the URL names the engine; this table is the
 * only module that knows their implementations.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Database } from "./Database.ts"
import * as Sqlite from "./sqlite/Engine.ts"
import { invalidUrl, type StoreError } from "./StoreError.ts"

export type { BlockRef, BlockRows } from "./BlockRows.ts"

/** The database of the service. */
export class Engine extends Context.Service<Engine, Database>()("@daybook/service/Engine") {}

/** Opens a database. `location` is the URL without its scheme; paths in it are relative to `baseFolder`. */
type Open = (location: string, baseFolder: string) => Effect.Effect<Database, StoreError, Scope.Scope>

const postgres: Open = () => Effect.fail(invalidUrl("a PostgreSQL URL, which this version does not support"))

const engines: ReadonlyMap<string, Open> = new Map([
  ["sqlite", Sqlite.open],
  ["postgres", postgres],
  ["postgresql", postgres],
])

/**
 * Opens the database of a URL until the scope ends; relative paths start in `baseFolder`.
 *
 * **Errors**
 * - `StoreError`: the URL is not understood, its engine is not supported, or the database cannot be opened. Never shows the URL.
 */
export const fromUrl = (url: string, baseFolder: string): Effect.Effect<Database, StoreError, Scope.Scope> => {
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(url)?.[0]
  const open = scheme === undefined ? undefined : engines.get(scheme.toLowerCase())
  return open === undefined
    ? Effect.fail(invalidUrl("a URL of another form"))
    : open(url.slice((scheme?.length ?? 0) + 1), baseFolder)
}

/** The database of a URL, as a service. */
export const layer = (url: string, baseFolder: string): Layer.Layer<Engine, StoreError> =>
  Layer.effect(Engine, fromUrl(url, baseFolder))
