/**
 * Migrations of a database file: a list of steps, each run once and in order; each makes one version. A file of another program, of a newer
 * version or of a state before the first release is rejected and left unchanged.
 *
 * Source: decision 0027.
 */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"
import * as Connection from "./Connection.ts"
import { StoreError } from "../StoreError.ts"

/** Kind of a file, and the steps that create it. */
export interface Migrations {
  /** `application_id` of the file. */
  readonly applicationId: number
  /** Version that the first step makes. States before the first release had lower versions, and are rejected. */
  readonly firstVersion: number
  /** Statements of each version, oldest first; a released step is never edited. */
  readonly steps: readonly [string, ...ReadonlyArray<string>]
}

/** `application_id` of the file of a chain. */
export const chainId = 0x44424b43
/** `application_id` of the file of API keys. */
export const keysId = 0x44424b4b

const kinds: ReadonlyMap<number, string> = new Map([
  [chainId, "the index of a chain"],
  [keysId, "the API keys"],
])

/** Remedies for a file from before the first release. */
const remedies: ReadonlyMap<number, string> = new Map([
  [
    chainId,
    'Stop the service, move the file away or name another folder as "database", and start it: it indexes again.',
  ],
  [keysId, 'Move the file away, and add the keys again with "daybook keys add".'],
])

const pragma = (connection: Connection.Connection, name: "application_id" | "user_version") =>
  connection.rowsUnsafe<Record<string, number>>(`PRAGMA ${name}`, [])[0]![name]!

const tables = (connection: Connection.Connection) =>
  connection.rowsUnsafe<{ readonly n: number }>("SELECT count(*) AS n FROM sqlite_schema", [])[0]!.n

const refuse = (message: string, isRetryable = false) => new StoreError({ message, isRetryable, cause: undefined })

/** Version of a file after all steps. */
const newestOf = ({ firstVersion, steps }: Migrations): number => firstVersion + steps.length - 1

/** Whether a file is still empty: the process that should have filled it ended before, or its disk was full. */
export const isEmptyUnsafe = (connection: Connection.Connection): boolean =>
  pragma(connection, "user_version") === 0 && tables(connection) === 0

/** The version of a file; 0 for an empty one. Throws for another program's file, and for one that this program cannot migrate. */
const versionUnsafe = (connection: Connection.Connection, schema: Migrations): number => {
  const version = pragma(connection, "user_version")
  const isEmpty = isEmptyUnsafe(connection)
  const owner = pragma(connection, "application_id")
  if (!isEmpty && owner !== schema.applicationId) {
    const local = kinds.get(owner)
    if (local !== undefined) {
      throw refuse(
        `Wrong database file: ${connection.name} holds ${local}, not ${kinds.get(schema.applicationId)!}. Restore the names of the files.`,
      )
    }
    throw refuse(`Database of another program: ${connection.name}. Move it away, or name another folder.`)
  }
  const newest = newestOf(schema)
  if (version > newest) {
    throw refuse(
      `Database of a newer version: ${connection.name} has schema ${version}, this version supports ${newest}. Run the newer version.`,
    )
  }
  if (!isEmpty && version < schema.firstVersion) {
    throw refuse(
      `Database of an unreleased version: ${connection.name} has schema ${version}, this version needs ${schema.firstVersion} or later. Nothing was deleted. ${remedies.get(schema.applicationId)!}`,
    )
  }
  return version
}

/** Whether a file has a schema of an earlier version. */
export const isOlderUnsafe = (connection: Connection.Connection, schema: Migrations): boolean =>
  versionUnsafe(connection, schema) < newestOf(schema)

/** Throws a `StoreError` unless the file has exactly this program's schema. `isLocked` determines whether a process writes the file. */
export const checkUnsafe = (
  connection: Connection.Connection,
  schema: Migrations,
  isLocked: () => boolean = () => false,
): void => {
  const version = versionUnsafe(connection, schema)
  const target = newestOf(schema)
  if (version >= target) return
  if (version === 0) throw refuse(`Database file empty: ${connection.name}. The service fills it when it starts.`, true)
  const migration = isLocked() ? "running" : "pending"
  const message =
    migration === "running"
      ? `The database is being migrated: ${connection.name} from schema ${version} to ${target}. Its chain is served again afterwards.`
      : `Database of an older version: ${connection.name} has schema ${version}, this version needs ${target}. The indexer migrates it when it starts.`
  throw new StoreError({ message, isRetryable: true, migration, cause: undefined })
}

const seconds = (millis: number): string =>
  `${millis < 10_000 ? (millis / 1000).toFixed(1) : Math.round(millis / 1000)} s`

/** Migrates a file to this program's schema in one transaction; several processes may do so concurrently. Logs the migration. */
export const migrate = (
  connection: Connection.Connection,
  client: SqlClient.SqlClient,
  schema: Migrations,
): Effect.Effect<void, StoreError> =>
  Effect.gen(function* () {
    const version = yield* connection.attempt(() => versionUnsafe(connection, schema))
    const target = newestOf(schema)
    if (version === target) return
    const isNew = version === 0
    const startedAt = yield* MonotonicClock.millis
    if (!isNew) yield* Effect.logInfo(`Migrating ${connection.name} from schema ${version} to ${target}`)
    const steps = connection.attempt(() => {
      // Another process may have migrated it while this one waited for the lock.
      const done = Math.max(0, versionUnsafe(connection, schema) - schema.firstVersion + 1)
      for (const step of schema.steps.slice(done)) connection.scriptUnsafe(step)
      connection.scriptUnsafe(`PRAGMA application_id=${schema.applicationId}; PRAGMA user_version=${target}`)
    })
    yield* Connection.transaction(connection, client, steps)
    if (!isNew) yield* Effect.logInfo(`Migrated in ${seconds((yield* MonotonicClock.millis) - startedAt)}`)
  })
