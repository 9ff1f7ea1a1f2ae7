/**
 * The shape of a database file and how it moves forward: a list of steps, run once each and in order, and its length is the
 * file's version. The file says whose it is, so that a foreign or a newer one is refused by name instead of being misread.
 */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Connection from "./Connection.ts"
import { StoreError } from "../StoreError.ts"

/** What a file is and how it is made. */
export interface Migrations {
  /** Marks the file as one of ours. Source: SQLite's `application_id`. */
  readonly applicationId: number
  /** Statements of each version, oldest first; a step that was released is never edited. */
  readonly steps: ReadonlyArray<string>
}

/** Marks the file of one chain. */
export const chainId = 0x44424b43
/** Marks the file of keys. */
export const keysId = 0x44424b4b

const kinds: ReadonlyMap<number, string> = new Map([
  [chainId, "the index of a chain"],
  [keysId, "the API keys"],
])

const pragma = (connection: Connection.Connection, name: "application_id" | "user_version") =>
  connection.rowsUnsafe<Record<string, number>>(`PRAGMA ${name}`, [])[0]![name]!

const tables = (connection: Connection.Connection) =>
  connection.rowsUnsafe<{ readonly n: number }>("SELECT count(*) AS n FROM sqlite_schema", [])[0]!.n

const refuse = (message: string, isRetryable = false) => new StoreError({ message, isRetryable, cause: undefined })

const versionUnsafe = (connection: Connection.Connection, schema: Migrations): number => {
  const version = pragma(connection, "user_version")
  const isEmpty = version === 0 && tables(connection) === 0
  const owner = pragma(connection, "application_id")
  if (!isEmpty && owner !== schema.applicationId) {
    const local = kinds.get(owner)
    if (local !== undefined) {
      throw refuse(
        `The database ${connection.name} is another file of Daybook: it holds ${local}, not ${kinds.get(schema.applicationId) ?? "what its name says"}. Give the files their own names back.`,
      )
    }
    throw refuse(`The database ${connection.name} belongs to another program; move it away, or name another folder.`)
  }
  if (version > schema.steps.length) {
    throw refuse(
      `The database ${connection.name} has schema ${version}, written by a newer Daybook; this one knows up to ${schema.steps.length}. Run the newer version.`,
    )
  }
  return version
}

/** Throws a `StoreError` unless the file has exactly this program's schema: what a reader asks before it reads. */
export const checkUnsafe = (connection: Connection.Connection, schema: Migrations): void => {
  const version = versionUnsafe(connection, schema)
  if (version < schema.steps.length) {
    throw refuse(
      `The database ${connection.name} has schema ${version}, older than ${schema.steps.length}: an indexer of this version has to open it first.`,
      true,
    )
  }
}

/** Brings a file to this program's schema, in one transaction; several processes may do it at once. */
export const migrate = (
  connection: Connection.Connection,
  client: SqlClient.SqlClient,
  schema: Migrations,
): Effect.Effect<void, StoreError> =>
  Effect.gen(function* () {
    const version = yield* connection.attempt(() => versionUnsafe(connection, schema))
    if (version === schema.steps.length) return
    const steps = connection.attempt(() => {
      // Another process may have migrated while this one waited for the lock.
      for (const step of schema.steps.slice(versionUnsafe(connection, schema))) connection.scriptUnsafe(step)
      connection.scriptUnsafe(
        `PRAGMA application_id=${schema.applicationId}; PRAGMA user_version=${schema.steps.length}`,
      )
    })
    yield* Connection.transaction(connection, client, steps)
  })
