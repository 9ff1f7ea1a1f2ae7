/**
 * Migrations of a schema: a list of steps, each run once and in order; each makes one version. Several processes may migrate concurrently:
 * an advisory lock admits one of them. A schema of another program, of a newer version or of a state before the first release is rejected
 * and left unchanged.
 *
 * Source: decision 0051.
 */
import * as Effect from "effect/Effect"
import { StoreError } from "../StoreError.ts"
import type { Pools, Session, Source } from "./Pool.ts"
import * as Values from "./Values.ts"

/** Kind of a schema, and the steps that create it. */
export interface Schema {
  /** Contents of the schema, for messages. */
  readonly holds: string
  /** Version that the first step makes. States before the first release had lower versions, and are rejected. */
  readonly firstVersion: number
  /** Statements of each version for the quoted name of the schema, oldest first. */
  readonly steps: ReadonlyArray<(name: string) => ReadonlyArray<string>>
  /** Runs after the steps in the transaction that creates a schema; receives its name. */
  readonly created?: (session: Session, name: string) => Effect.Effect<void, StoreError>
}

/** An identifier in double quotes. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const tables = `SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')`
const encodingOf = "SELECT getdatabaseencoding()::text"
/** Encodings that preserve the name of any token; SQL_ASCII stores bytes unchanged. */
const encodings = new Set(["UTF8", "SQL_ASCII"])
const schemaOf = `SELECT 1 FROM pg_namespace WHERE nspname = $1`
const lock = `SELECT pg_advisory_xact_lock(hashtextextended($1, 0)) IS NULL`

const refuse = (message: string, isRetryable = false, migration?: "pending") =>
  new StoreError({ message, isRetryable, migration, cause: undefined })

/** Version of a schema after all steps. */
const newestOf = ({ firstVersion, steps }: Schema): number => firstVersion + steps.length - 1

/** Version of a schema; 0 if it has no table. Fails for a schema of another program, and for one that this program cannot migrate. */
const versionOf = Effect.fnUntraced(function* (
  session: Session,
  database: string,
  name: string,
  schema: Schema,
): Effect.fn.Return<number, StoreError> {
  const found = yield* session.rows<readonly [table: string]>(tables, [Values.text(name)])
  if (found.length === 0) return 0
  const label = `${name} of ${database}`
  if (!found.some(([table]) => table === "daybook_version")) {
    return yield* refuse(`Database schema of another program: ${label}. Drop it, or name another database.`)
  }
  const [row] = yield* session.rows<readonly [version: number, holds: string]>(
    `SELECT version, holds FROM ${quoted(name)}.daybook_version`,
    [],
  )
  const [version, held] = row ?? [0, ""]
  const { firstVersion, holds } = schema
  if (held !== holds) return yield* refuse(`Wrong database schema: ${label} holds ${held}, not ${holds}.`)
  if (version < firstVersion) {
    return yield* refuse(
      `Database of an unreleased version: ${label} has schema version ${version}, this version needs ${firstVersion} or later. Nothing was deleted. Stop the service, drop the schema or name another database, and start the service again: it creates what it needs.`,
    )
  }
  const newest = newestOf(schema)
  if (version <= newest) return version
  return yield* refuse(
    `Database of a newer version: ${label} has schema version ${version}, this version supports ${newest}. Run the newer version.`,
  )
})

/** Fails with a `StoreError` unless a schema has exactly this program's version. */
export const check = Effect.fnUntraced(function* (
  { name: database, reading }: Source,
  name: string,
  schema: Schema,
): Effect.fn.Return<void, StoreError> {
  const version = yield* versionOf(reading, database, name, schema)
  const target = newestOf(schema)
  if (version === 0) {
    return yield* refuse(
      `Database schema missing: ${name} of ${database}. The indexer of its chain creates it when it starts.`,
      true,
    )
  }
  if (version < target) {
    return yield* refuse(
      `Database of an older version: ${name} of ${database} has schema version ${version}, this version needs ${target}. The indexer migrates it when it starts.`,
      true,
      "pending",
    )
  }
})

/** Whether a schema exists with an earlier version. */
export const isOlder = ({ name: database, reading }: Pools, name: string, schema: Schema) =>
  Effect.map(versionOf(reading, database, name, schema), (version) => version > 0 && version < newestOf(schema))

const step = Effect.fnUntraced(function* (session: Session, database: string, name: string, schema: Schema) {
  yield* session.rows(lock, [Values.text(`daybook ${name}`)])
  // Another process may have migrated it while this one waited for the lock.
  const version = yield* versionOf(session, database, name, schema)
  const target = newestOf(schema)
  if (version === target) return
  const own = quoted(name)
  if (version === 0) {
    const [[encoding] = [""]] = yield* session.rows<readonly [encoding: string]>(encodingOf, [])
    if (!encodings.has(encoding)) {
      return yield* refuse(
        `Database of another encoding: ${database} has ${encoding}. Create one with the encoding UTF8, which has all characters of names.`,
      )
    }
    // An existing schema needs no permission to create schemas, which `IF NOT EXISTS` would require.
    const isMade = (yield* session.rows(schemaOf, [Values.text(name)])).length > 0
    if (!isMade) yield* session.rows(`CREATE SCHEMA ${own}`, [])
    yield* session.rows(`CREATE TABLE ${own}.daybook_version (version int4 NOT NULL, holds text NOT NULL)`, [])
    yield* session.rows(`INSERT INTO ${own}.daybook_version VALUES (0, $1)`, [Values.text(schema.holds)])
  } else yield* Effect.logInfo(`Migrating schema ${name} from version ${version} to ${target}`)
  for (const statements of schema.steps.slice(Math.max(0, version - schema.firstVersion + 1))) {
    for (const sql of statements(own)) yield* session.rows(sql, [])
  }
  yield* session.rows(`UPDATE ${own}.daybook_version SET version = $1`, [Values.int(target)])
  if (version === 0 && schema.created !== undefined) yield* schema.created(session, name)
})

/** Creates a schema, or migrates it to this program's version, in one transaction. */
export const migrate = Effect.fnUntraced(function* (
  { name: database, writing }: Pools,
  name: string,
  schema: Schema,
): Effect.fn.Return<void, StoreError> {
  const version = yield* versionOf(writing, database, name, schema)
  if (version === newestOf(schema)) return
  // Any number of rows may be rewritten.
  yield* writing.transaction((session) => step(session, database, name, schema), Infinity)
})

/** Whether a schema exists. */
export const exists = ({ name: database, reading }: Pools, name: string, schema: Schema) =>
  Effect.map(versionOf(reading, database, name, schema), (version) => version > 0)
