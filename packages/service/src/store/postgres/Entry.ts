/**
 * The part of the PostgreSQL engine that is loaded before a database is opened: the preparation of blocks. The engine and the driver, a few
 * hundred modules, are loaded when a database is opened.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { BlockRows } from "../../block/BlockRows.ts"
import type { Database, EngineOptions } from "../Database.ts"
import * as PreparedBlock from "../rows/PreparedBlock.ts"
import type { StoreError } from "../StoreError.ts"

/** Compresses the documents of a block and makes their rows. */
export const prepare = (block: BlockRows, { documents = "zstd" }: EngineOptions): BlockRows =>
  PreparedBlock.prepare(block, documents)

/**
 * Loads the engine and opens a database.
 *
 * **Errors**
 * - `StoreError`: the URL is invalid, or the database cannot be opened.
 */
export const open = (
  location: string,
  baseFolder: string,
  options?: EngineOptions,
  replicas?: ReadonlyArray<string>,
): Effect.Effect<Database, StoreError, Scope.Scope> =>
  Effect.flatMap(
    Effect.promise(() => import("./Engine.ts")),
    (engine) => engine.open(location, baseFolder, options, replicas),
  )
