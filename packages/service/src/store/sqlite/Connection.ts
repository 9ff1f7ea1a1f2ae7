/**
 * Driver of `effect/sql` for SQLite in Node.js: a connection to one database file, and a client that runs write transactions on it. Every
 * failure is a `StoreError` with the name of the file.
 *
 * SQLite runs in the calling thread; indexers run in worker threads, so their statements do not block the server.
 */
import type { SQLInputValue } from "node:sqlite"
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type * as SqlConnection from "effect/sql/SqlConnection"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"
import * as DatabaseFile from "./DatabaseFile.ts"
import * as FileIssue from "./FileIssue.ts"
import * as SqliteCode from "./SqliteCode.ts"
import { StoreError } from "../StoreError.ts"
import * as WriteAheadLog from "./WriteAheadLog.ts"

/** Parameter values of one statement. */
export type Params = ReadonlyArray<SQLInputValue>

/** A connection of `effect/sql` to one file, with synchronous calls for hot paths. */
export interface Connection extends SqlConnection.Connection {
  /** Name of the file without its folder, for messages. */
  readonly name: string
  readonly isTransaction: () => boolean
  /** Rows of a prepared statement; throws what SQLite throws, so call it inside `attempt`. */
  readonly rowsUnsafe: <Row extends object>(sql: string, params: Params) => ReadonlyArray<Row>
  /** Like `rowsUnsafe`, with each row as an array, which is faster for long lists. */
  readonly valuesUnsafe: <Row extends ReadonlyArray<unknown>>(sql: string, params: Params) => ReadonlyArray<Row>
  /** Runs one prepared statement with each of the parameter lists; throws what SQLite throws. */
  readonly manyUnsafe: (sql: string, list: Iterable<Params>) => void
  /** Runs statements that are not cached as prepared statements; throws what SQLite throws. */
  readonly scriptUnsafe: (sql: string) => void
  /** Runs synchronous work; its failure is a `StoreError`. */
  readonly attempt: <A>(work: () => A) => Effect.Effect<A, StoreError>
  /** False once the file may have been written although it was opened as immutable; see `DatabaseFile`. */
  readonly isCurrent: () => boolean
  /** Checkpoints a long log; called after each transaction. */
  readonly onWritten: () => void
  /** Stops what works for the connection in another thread; called before it is closed. */
  readonly stop: () => Promise<void>
  /** Closes the file; a writer first checkpoints its log. */
  readonly close: () => void
}

interface Issue {
  readonly what: string
  readonly remedy: string
  readonly isRetryable: boolean
}

const preparedStatements = 200
const issues: Readonly<Record<number, Issue>> = {
  5: { what: "Database locked by another process", remedy: "Try again.", isRetryable: true },
  6: { what: "Database locked by another process", remedy: "Try again.", isRetryable: true },
  8: { what: "Database read-only", remedy: "Check the permissions of the file and its folder.", isRetryable: false },
  10: { what: "Disk error in database", remedy: "Check the disk.", isRetryable: true },
  11: {
    what: "Database damaged",
    remedy: "Restore a backup, or move the file away and index again.",
    isRetryable: false,
  },
  13: { what: "Disk full at database", remedy: "Free some space.", isRetryable: true },
  14: { what: "Cannot open database", remedy: "Check that it exists, and its permissions.", isRetryable: true },
  26: { what: "Not a database", remedy: "Move the file away, or name another folder.", isRetryable: false },
}

/** Error of a file; `cause` is the exception from SQLite or `effect/sql`. */
export const storeError = (name: string, cause: unknown): StoreError => {
  if (cause instanceof StoreError) return cause
  const code = SqliteCode.codeOf(cause)
  const issue = code === undefined ? undefined : issues[code]
  const system = FileIssue.codeOf(cause)
  const reason = code === undefined ? system && ` (${FileIssue.describe(system)})` : ` (SQLite code ${code})`
  return new StoreError({
    message:
      issue === undefined ? `Database failed: ${name}${reason ?? ""}.` : `${issue.what}: ${name}. ${issue.remedy}`,
    isRetryable: issue?.isRetryable ?? false,
    cause,
  })
}

const sqlError = (cause: unknown) => {
  const errno = SqliteCode.codeOf(cause)
  const message = cause instanceof Error ? cause.message : String(cause)
  return new SqlError({
    reason: classifySqliteError(errno === undefined ? cause : Object.assign(cause as object, { errno }), {
      operation: "execute",
      message,
    }),
  })
}

const logRemedy =
  'Its write-ahead log (-wal) must be checkpointed first. Start and stop the service where the folder is writable, or copy it with "daybook backup".'

const describeIssue = (file: string, readOnly: boolean, { code, path }: FileIssue.FileIssue): string => {
  const where = path === file ? "" : `${path}: `
  return `Cannot ${readOnly ? "read" : "write"} database: ${file} (${where}${FileIssue.describe(code)}). Check the path and its permissions.`
}

/** Why the operating system does not permit this process to write a file; `null` if it does. */
export const writeIssue = (file: string): string | null => {
  const issue = FileIssue.find(file, false)
  return issue === undefined ? null : describeIssue(file, false, issue)
}

/** Error of a file that could not be opened, with its path and the operating system's reason. */
const openError = ({ file, readOnly }: DatabaseFile.Options, cause: unknown): StoreError => {
  const error = storeError(basename(file), cause)
  if (!SqliteCode.isPermission(cause)) return error
  const failed = (message: string) => new StoreError({ message, isRetryable: error.isRetryable, cause })
  const issue = FileIssue.find(file, readOnly)
  if (issue === undefined) {
    const isLogInTheWay = readOnly && !DatabaseFile.hasNoLog(file)
    return isLogInTheWay ? failed(`Cannot read database: ${file} (in a read-only folder). ${logRemedy}`) : error
  }
  return failed(describeIssue(file, readOnly, issue))
}

const openUnsafe = (options: DatabaseFile.Options): DatabaseFile.DatabaseFile => {
  try {
    return DatabaseFile.openUnsafe(options)
  } catch (cause) {
    throw openError(options, cause)
  }
}

/** Caches what is prepared for each text, up to a number of texts. */
const preparing = <A>(prepare: (sql: string) => A): ((sql: string) => A) => {
  const kept = new Map<string, A>()
  return (sql) => {
    const found = kept.get(sql)
    if (found !== undefined) return found
    const made = prepare(sql)
    if (kept.size >= preparedStatements) kept.clear()
    kept.set(sql, made)
    return made
  }
}

/** Opens a file; throws a `StoreError`. */
export const connectUnsafe = (options: DatabaseFile.Options): Connection => {
  const name = basename(options.file)
  const { database, isCurrent } = openUnsafe(options)
  const log = options.hasLogThread === true ? WriteAheadLog.make(options.file, database) : WriteAheadLog.none
  const prepare = preparing((sql) => {
    const statement = database.prepare(sql)
    return { statement, isQuery: statement.columns().length > 0 }
  })
  const prepareArrays = preparing((sql) => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  })
  const rowsUnsafe = (sql: string, params: Params): ReadonlyArray<object> => {
    const { isQuery, statement } = prepare(sql)
    if (isQuery) return statement.all(...params)
    statement.run(...params)
    return []
  }
  // Rows are arrays once setReturnArrays is on; the types of node:sqlite do not reflect it.
  const valuesUnsafe = (sql: string, params: Params) =>
    prepareArrays(sql).all(...params) as unknown as ReadonlyArray<ReadonlyArray<unknown>>
  // Sound: SQLite throws for parameters that it cannot bind.
  const execute = (sql: string, params: ReadonlyArray<unknown>) =>
    Effect.try({ try: () => rowsUnsafe(sql, params as Params), catch: sqlError })
  const executeValues = (sql: string, params: ReadonlyArray<unknown>) =>
    Effect.try({ try: () => valuesUnsafe(sql, params as Params), catch: sqlError })
  const executeRows: SqlConnection.Connection["execute"] = (sql, params, transform) =>
    transform === undefined ? execute(sql, params) : Effect.map(execute(sql, params), transform)

  return {
    name,
    isTransaction: () => database.isTransaction,
    // Sound: each statement is used with the type of its rows.
    rowsUnsafe: rowsUnsafe as Connection["rowsUnsafe"],
    valuesUnsafe: valuesUnsafe as Connection["valuesUnsafe"],
    manyUnsafe: (sql, list) => {
      const { statement } = prepare(sql)
      // `run` creates an object that describes the changes, which takes a fifth of the time of an insert.
      for (const params of list) statement.get(...params)
    },
    scriptUnsafe: (sql) => database.exec(sql),
    attempt: (work) => Effect.try({ try: work, catch: (cause) => storeError(name, cause) }),
    isCurrent,
    ...log,
    close: () => {
      if (!options.readOnly) DatabaseFile.checkpoint(database)
      database.close()
    },
    execute: executeRows,
    executeUnprepared: executeRows,
    executeRaw: execute,
    executeValues,
    executeValuesUnprepared: executeValues,
    executeStream: (sql, params, transform) => Stream.fromArrayEffect(executeRows(sql, params, transform)),
  }
}

/**
 * Opens a file until the scope ends.
 *
 * **Errors**
 * - `StoreError`: the file cannot be opened, is locked, damaged, or not a database.
 */
export const connect = (options: DatabaseFile.Options): Effect.Effect<Connection, StoreError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => connectUnsafe(options),
      catch: (cause) => storeError(basename(options.file), cause),
    }),
    (connection) => Effect.andThen(Effect.promise(connection.stop), Effect.sync(connection.close)),
  )

/** Client of `effect/sql` on a connection: one transaction at a time, each with `BEGIN IMMEDIATE`. */
export const make = (connection: Connection): Effect.Effect<SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const acquirers = SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(connection),
      semaphore: yield* Semaphore.make(1),
      isTransaction: connection.isTransaction,
    })
    return yield* SqlClient.make({
      ...acquirers,
      compiler: Statement.makeCompilerSqlite(),
      driver: "node:sqlite",
      beginTransaction: "BEGIN IMMEDIATE",
      prepareTransactionControls: true,
      spanAttributes: [["db.system.name", "sqlite"]],
    })
  }).pipe(Effect.provide(Reactivity.layer))

/** Runs statements of a connection as one write transaction within a turn of the process; rolls back and rethrows if they throw. */
export const atomicUnsafe = <A>(connection: Connection, work: () => A): A => {
  connection.scriptUnsafe("BEGIN IMMEDIATE")
  try {
    const result = work()
    connection.scriptUnsafe("COMMIT")
    return result
  } catch (cause) {
    if (connection.isTransaction()) connection.scriptUnsafe("ROLLBACK")
    throw cause
  }
}

/** Runs statements of a connection as one write transaction, which a failure or an interruption rolls back. */
export const transaction = <A, E, R>(
  connection: Connection,
  client: SqlClient.SqlClient,
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, SqlError> | StoreError, R> =>
  client.withTransaction(work).pipe(
    Effect.mapError((error) =>
      error instanceof SqlError ? storeError(connection.name, error) : (error as Exclude<E, SqlError>),
    ),
    // The write is committed, whatever happens to the log.
    Effect.tap(() => Effect.ignore(connection.attempt(connection.onWritten))),
  )
