/**
 * The driver of `effect/sql` on Node's own SQLite: a connection to one database file, and a client that runs write
 * transactions on it. Every failure is a `StoreError` that names the file and says whether to try again.
 *
 * SQLite answers in the calling thread, so a statement never waits for the event loop; whoever writes much does it in a worker.
 */
import { statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import type { SQLInputValue, StatementSync } from "node:sqlite"
import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type * as SqlConnection from "effect/sql/SqlConnection"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"
import * as FileIssue from "./FileIssue.ts"
import { StoreError } from "../StoreError.ts"

/** Values of one statement's parameters. */
export type Params = ReadonlyArray<SQLInputValue>

/** A connection of `effect/sql` to one file, with the synchronous calls that hot paths use. */
export interface Connection extends SqlConnection.Connection {
  /** Name of the file, without its folder: for messages. */
  readonly name: string
  readonly isTransaction: () => boolean
  /** Rows of a prepared statement; throws what SQLite throws: call it inside `attempt`. */
  readonly rowsUnsafe: <Row extends object>(sql: string, params: Params) => ReadonlyArray<Row>
  /** The same with each row as an array, which is quicker for long lists. */
  readonly valuesUnsafe: <Row extends ReadonlyArray<unknown>>(sql: string, params: Params) => ReadonlyArray<Row>
  /** Runs one prepared statement with each of the parameter lists; throws what SQLite throws. */
  readonly manyUnsafe: (sql: string, list: Iterable<Params>) => void
  /** Runs statements that are not kept prepared; throws what SQLite throws. */
  readonly scriptUnsafe: (sql: string) => void
  /** Runs a synchronous piece of work, its failure a `StoreError`. */
  readonly attempt: <A>(work: () => A) => Effect.Effect<A, StoreError>
  readonly close: () => void
}

/** How to open a file. */
export interface ConnectOptions {
  readonly file: string
  readonly readOnly: boolean
  /**
   * It is read once and closed: a file in a folder that may not be written can then be read too, since nobody but SQLite's own log
   * beside it could change it meanwhile, and there is none.
   */
  readonly isBrief?: boolean
}

interface Issue {
  readonly text: string
  readonly isRetryable: boolean
}

const preparedStatements = 200
const busyTimeoutMillis = 5000

const setUp = {
  // The cache holds what one append changes: a smaller one spills it to the disk before it is committed. Appearances go to pages
  // all over the file: a log of 64 MiB writes each of them back once where a short one does so again and again.
  writer:
    "PRAGMA page_size=16384; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA journal_size_limit=67108864; PRAGMA cache_size=-32000; PRAGMA wal_autocheckpoint=4000",
  // Pages of a file that outgrows any cache are read anew each time: into memory that the processor still has, if it is little.
  reader: "PRAGMA query_only=1; PRAGMA cache_size=-8000; PRAGMA mmap_size=268435456",
}

const issues: Readonly<Record<number, Issue>> = {
  5: { text: "is locked by another process; try again", isRetryable: true },
  6: { text: "is locked by another process; try again", isRetryable: true },
  8: { text: "is read-only; check the permissions of the file and its folder", isRetryable: false },
  10: { text: "could not be read or written: the disk failed", isRetryable: true },
  11: { text: "is damaged; restore a backup, or move it away and index again", isRetryable: false },
  13: { text: "cannot grow: the disk is full; free some space", isRetryable: true },
  14: { text: "cannot be opened; check that it exists and its permissions", isRetryable: true },
  26: { text: "is not a database; move it away, or name another folder", isRetryable: false },
}

const codeOf = (cause: unknown): number | undefined => {
  if (typeof cause !== "object" || cause === null) return undefined
  if ("errcode" in cause && typeof cause.errcode === "number") return cause.errcode & 0xff
  if (cause instanceof SqlError) return codeOf(cause.reason.cause)
  return undefined
}

/** Says what went wrong with a file; `cause` is what SQLite or `effect/sql` threw. */
export const storeError = (name: string, cause: unknown): StoreError => {
  if (cause instanceof StoreError) return cause
  const code = codeOf(cause)
  const issue = code === undefined ? undefined : issues[code]
  return new StoreError({
    message: `The database ${name} ${issue?.text ?? `failed${code === undefined ? "" : ` (SQLite code ${code})`}`}.`,
    isRetryable: issue?.isRetryable ?? false,
    cause,
  })
}

const sqlError = (cause: unknown) => {
  const errno = codeOf(cause)
  const message = cause instanceof Error ? cause.message : String(cause)
  return new SqlError({
    reason: classifySqliteError(errno === undefined ? cause : Object.assign(cause as object, { errno }), {
      operation: "execute",
      message,
    }),
  })
}

/** Codes of SQLite that the operating system decides by the permissions of files. */
const permissionCodes: ReadonlySet<number | undefined> = new Set([8, 14])

/** Says what went wrong when a file was opened, with its path and the operating system's reason. */
const openError = ({ file, readOnly }: ConnectOptions, cause: unknown): StoreError => {
  const error = storeError(basename(file), cause)
  if (!permissionCodes.has(codeOf(cause))) return error
  const issue = FileIssue.find(file, readOnly)
  if (issue === undefined) return error
  const where = issue.path === file ? "" : `${issue.path}: `
  const message = `The database ${file} cannot be ${readOnly ? "read" : "written"} (${where}${FileIssue.describe(issue.code)}).`
  return new StoreError({ message, isRetryable: error.isRetryable, cause })
}

/** Nothing waits in the log beside a file to be taken into it. */
const hasNoLog = (file: string): boolean => (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0

const openUnsafe = (options: ConnectOptions): DatabaseSync => {
  const { file, isBrief = false, readOnly } = options
  const openAt = (at: string | URL) => {
    const database = new DatabaseSync(at, { readOnly, timeout: busyTimeoutMillis })
    try {
      database.exec(readOnly ? setUp.reader : setUp.writer)
      if (isBrief) database.prepare("SELECT count(*) FROM sqlite_schema").get()
      return database
    } catch (cause) {
      database.close()
      throw cause
    }
  }
  try {
    return openAt(file)
  } catch (cause) {
    if (!readOnly || !isBrief || !permissionCodes.has(codeOf(cause)) || !hasNoLog(file)) throw cause
    const address = pathToFileURL(file)
    address.searchParams.set("immutable", "1")
    return openAt(address)
  }
}

/** Opens a file; throws what SQLite throws. Nothing is read of it by a reader before its first statement, unless it is brief. */
export const connectUnsafe = (options: ConnectOptions): Connection => {
  const name = basename(options.file)
  const database = openUnsafe(options)
  const prepared = new Map<string, { readonly statement: StatementSync; readonly isQuery: boolean }>()
  const arrays = new Map<string, StatementSync>()
  const prepare = (sql: string) => {
    const found = prepared.get(sql)
    if (found !== undefined) return found
    const statement = database.prepare(sql)
    const made = { statement, isQuery: statement.columns().length > 0 }
    if (prepared.size >= preparedStatements) prepared.clear()
    prepared.set(sql, made)
    return made
  }
  const prepareArrays = (sql: string) => {
    const found = arrays.get(sql)
    if (found !== undefined) return found
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    if (arrays.size >= preparedStatements) arrays.clear()
    arrays.set(sql, statement)
    return statement
  }
  const rowsUnsafe = (sql: string, params: Params): ReadonlyArray<object> => {
    const { isQuery, statement } = prepare(sql)
    if (isQuery) return statement.all(...params)
    statement.run(...params)
    return []
  }
  // Rows are arrays once setReturnArrays is on; the types of node:sqlite do not say so.
  const valuesUnsafe = (sql: string, params: Params) =>
    prepareArrays(sql).all(...params) as unknown as ReadonlyArray<ReadonlyArray<unknown>>
  // effect/sql hands over parameters as unknown; what SQLite cannot bind, it refuses.
  const execute = (sql: string, params: ReadonlyArray<unknown>) =>
    Effect.try({ try: () => rowsUnsafe(sql, params as Params), catch: sqlError })
  const executeValues = (sql: string, params: ReadonlyArray<unknown>) =>
    Effect.try({ try: () => valuesUnsafe(sql, params as Params), catch: sqlError })
  const executeRows: SqlConnection.Connection["execute"] = (sql, params, transform) =>
    transform === undefined ? execute(sql, params) : Effect.map(execute(sql, params), transform)

  return {
    name,
    isTransaction: () => database.isTransaction,
    // The shape of a row is the statement's own: each statement stands beside the type of its rows.
    rowsUnsafe: rowsUnsafe as Connection["rowsUnsafe"],
    valuesUnsafe: valuesUnsafe as Connection["valuesUnsafe"],
    manyUnsafe: (sql, list) => {
      const { statement } = prepare(sql)
      for (const params of list) statement.run(...params)
    },
    scriptUnsafe: (sql) => database.exec(sql),
    attempt: (work) => Effect.try({ try: work, catch: (cause) => storeError(name, cause) }),
    close: () => database.close(),
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
export const connect = (options: ConnectOptions): Effect.Effect<Connection, StoreError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => connectUnsafe(options),
      catch: (cause) => openError(options, cause),
    }),
    (connection) => Effect.sync(connection.close),
  )

/** The client of `effect/sql` on a connection: one transaction at a time, each `BEGIN IMMEDIATE`. */
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

/** Runs statements of a connection as one write transaction, which a failure or an interruption rolls back. */
export const transaction = <A, E, R>(
  connection: Connection,
  client: SqlClient.SqlClient,
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, SqlError> | StoreError, R> =>
  client
    .withTransaction(work)
    .pipe(
      Effect.mapError((error) =>
        error instanceof SqlError ? storeError(connection.name, error) : (error as Exclude<E, SqlError>),
      ),
    )
