/**
 * Connections to a PostgreSQL database: one pool for reads and one for writes, so that snapshots waiting for a slow client never delay an
 * indexer's writes. Connections are opened on demand, and reopened after the server closes them. Every wait for an unresponsive server is
 * bounded.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type * as SqlConnection from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import type { DatabaseTls } from "../../config/DatabaseTls.ts"
import type { StoreError } from "../StoreError.ts"
import * as Issue from "./Issue.ts"
import * as Values from "./Values.ts"

/** Runs statements. */
export interface Session {
  /** Rows of a statement, each as an array of columns. */
  readonly rows: <Row extends ReadonlyArray<unknown>>(
    sql: string,
    params: ReadonlyArray<Values.Value>,
  ) => Effect.Effect<ReadonlyArray<Row>, StoreError>
}

/** Time limits of a pool, in milliseconds. */
export interface TimeLimits {
  /** For a connection and the start of a transaction, and for a statement outside one. */
  readonly connectMillis: number
  /** For a statement in a transaction, by default. */
  readonly statementMillis: number
}

/** How pools are opened. */
export interface Options extends Partial<TimeLimits> {
  /** Certificates; TLS is required if they are given. Default: according to the URL. */
  readonly tls?: DatabaseTls | undefined
}

/** A pool of connections. */
export interface Pool extends Session {
  /** Passes the payload of each notification on a channel to a function, for as long as the connection lasts; holds the connection. */
  readonly listen: (
    channel: string,
    onPayload: (payload: string) => Effect.Effect<void>,
  ) => Effect.Effect<never, StoreError>
  /** Statements that are each a transaction, with a time limit that includes waiting for a connection. */
  readonly within: (limitMillis: number) => Session
  /** Statements outside a transaction that may take any time. */
  readonly unbounded: Session
  /**
   * Runs statements as one transaction, which a failure or an interruption rolls back. Each may take `statementMillis`. Default: the limit
   * of the pool.
   */
  readonly transaction: <A, E, R>(
    work: (session: Session) => Effect.Effect<A, E, R>,
    statementMillis?: number,
  ) => Effect.Effect<A, E | StoreError, R>
}

/** A pool for reads. */
export interface Source {
  /** Names the database in messages: host and name, without user and password. */
  readonly name: string
  readonly reading: Pool
}

/** Pools of a database. */
export interface Pools extends Source {
  readonly writing: Pool
}

const maxReading = 10
const maxWriting = 4
/** A row with its texts arrives as one message. */
const maxMessageBytes = 256 * 1024 * 1024
const applicationName = "daybook"
/** Time without data after which a connection is probed: a server that disappeared never responds. */
const keepAlive = "30 seconds"

/** Limits for reads: statements of pages have less, see `Engine`. */
const readingLimits: TimeLimits = { connectMillis: 10_000, statementMillis: 600_000 }
/** Limits for writes, whose statements may remove any number of rows. */
const writingLimits: TimeLimits = { connectMillis: 30_000, statementMillis: 3_600_000 }
const rollbackMillis = 5_000
/** Interval for checking what a transaction waits for. */
const tickMillis = 250
/** Time for which a write waits for a lock: another write holds that of the checkpoint until it ends. */
const lockTimeout = "60s"
/** Time after which the server ends a write whose process stopped or lost its network, because another indexer waits for its locks. */
const idleTimeout = "60s"

/** One state for all statements; writes are rejected. */
const beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
/** The row of the checkpoint, which each write locks first, orders them. */
const beginWriting = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
/** Server-side limits for one transaction. They are not startup parameters, which poolers reject. Parameters: each of them. */
const setLimits = `SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true),
  set_config('idle_in_transaction_session_timeout', $3, true)`

/** A time as a server setting: an infinite one sets no limit. */
export const toSetting = (millis: number): string => (Number.isFinite(millis) ? `${Math.ceil(millis)}ms` : "0")

/** What a transaction currently waits for. */
interface Waiting {
  limitMillis: number
  waitedMillis: number
}

/** Completes once a transaction waits longer than its limit. Time in which this process does not run does not count. */
const overLimit = (waiting: Waiting): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (waiting.waitedMillis < waiting.limitMillis) {
      yield* Effect.sleep(Math.min(tickMillis, waiting.limitMillis))
      waiting.waitedMillis += tickMillis
    }
  })

/** Runs a statement of a transaction within a limit, which the transaction's watchdog enforces. */
const within = <A>(
  waiting: Waiting,
  limitMillis: number,
  statement: Effect.Effect<A, SqlError>,
): Effect.Effect<A, SqlError> =>
  Effect.suspend(() => {
    waiting.waitedMillis = 0
    waiting.limitMillis = limitMillis
    return Effect.map(statement, (result) => {
      waiting.limitMillis = Infinity
      return result
    })
  })

/**
 * Exit of statements; `null` if one waits too long. It is then interrupted, for which the driver waits for the server: this continues in
 * the background.
 */
const untilOverdue = <A, E, R>(
  statements: Effect.Effect<A, E, R>,
  waiting: Waiting,
): Effect.Effect<Exit.Exit<A, E> | null, never, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(statements), { startImmediately: true }), (fiber) =>
      restore(Effect.raceFirst(Fiber.await(fiber), Effect.as(overLimit(waiting), null))).pipe(
        Effect.onInterrupt(() => Fiber.interrupt(fiber)),
        Effect.tap((exit) => Effect.sync(() => (exit === null ? fiber.interruptUnsafe() : undefined))),
      ),
    ),
  )

/** The command that the server reports as run. */
const commandOf = (result: unknown): unknown =>
  typeof result === "object" && result !== null && "command" in result ? result.command : undefined

/** A client whose transactions begin with one statement. */
interface TransactionClient {
  /** Name of the database, for messages. */
  readonly name: string
  readonly client: PgClient.PgClient
  readonly begin: string
}

/** Fails once an effect waits longer than its limit. */
const withDeadline = <A, E, R>(
  name: string,
  connectMillis: number,
  effect: (waiting: Waiting) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E | StoreError, R> =>
  Effect.suspend(() => {
    const waiting: Waiting = { limitMillis: connectMillis, waitedMillis: 0 }
    return Effect.flatMap(
      untilOverdue(effect(waiting), waiting),
      (exit): Effect.Effect<A, E | StoreError> => exit ?? Effect.fail(Issue.unanswered(name)),
    )
  })

const rollback = (connection: SqlConnection.Connection): Effect.Effect<void> =>
  // The server rolls back what does not reach it; an unresponsive connection is not reused.
  Effect.ignore(
    Effect.timeoutOrElse(connection.executeRaw("ROLLBACK", []), {
      duration: rollbackMillis,
      orElse: () => Effect.void,
    }),
  )

/** Returns a connection with no open transaction. The transaction of a read is ended while the caller already has its result. */
const giveBack = <A, E>(
  connection: SqlConnection.Connection,
  scope: Scope.Closeable,
  exit: Exit.Exit<A, E>,
  isReading: boolean,
): Effect.Effect<void> => {
  const given = Scope.close(scope, exit)
  if (Exit.isFailure(exit)) return Effect.ensuring(rollback(connection), given)
  return isReading ? Effect.asVoid(Effect.forkDetach(Effect.ensuring(rollback(connection), given))) : given
}

/** Lends a connection, and rolls back what fails or is interrupted on it. */
const withConnection = <A, E, R>(
  { begin, client, name }: TransactionClient,
  use: (connection: SqlConnection.Connection) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E | StoreError, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Scope.make(), (scope) => {
      const reserved = Effect.mapError(Scope.provide(client.reserve, scope), (error) => Issue.toStoreError(name, error))
      return restore(reserved).pipe(
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
        Effect.flatMap((connection) =>
          Effect.onExit(restore(use(connection)), (exit) => giveBack(connection, scope, exit, begin === beginReading)),
        ),
      )
    }),
  )

/** Runs a transaction, and commits it if it writes. */
const runTransaction = <A, E, R>(
  source: TransactionClient,
  { connectMillis, statementMillis }: Pick<TimeLimits, "connectMillis" | "statementMillis">,
  waiting: Waiting,
  work: (session: Session) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E | StoreError, R> =>
  withConnection(source, (connection) => {
    const send = <B>(millis: number, statement: Effect.Effect<B, SqlError>): Effect.Effect<B, StoreError> =>
      Effect.mapError(within(waiting, millis, statement), (error) => Issue.toStoreError(source.name, error))
    const session: Session = {
      rows: <Row extends ReadonlyArray<unknown>>(sql: string, params: ReadonlyArray<Values.Value>) =>
        // Sound: the caller states the columns of its statement.
        send(statementMillis, connection.executeValues(sql, params)) as Effect.Effect<ReadonlyArray<Row>, StoreError>,
    }
    const begun = send(connectMillis, connection.executeRaw(source.begin, []))
    const done = Effect.flatMap(begun, () => work(session))
    if (source.begin === beginReading) return done
    return Effect.tap(done, () =>
      Effect.flatMap(send(statementMillis, connection.executeRaw("COMMIT", [])), (result) =>
        commandOf(result) === "ROLLBACK" ? Effect.fail(Issue.rolledBack(source.name)) : Effect.void,
      ),
    )
  })

/**
 * Maximum number of retries for a statement that the server rolled back in favour of another, which may happen if
 * "default_transaction_isolation" is serializable.
 */
const maxRepeats = 10

const poolOf = (name: string, client: PgClient.PgClient, begin: string, limits: TimeLimits): Pool => {
  const { connectMillis } = limits
  const failed = (error: SqlError) => Issue.toStoreError(name, error)
  const unbounded: Session = {
    rows: <Row extends ReadonlyArray<unknown>>(sql: string, params: ReadonlyArray<Values.Value>) =>
      // Sound: the caller states the columns of its statement.
      client.unsafe(sql, params).values.pipe(
        // The statement is a transaction by itself.
        Effect.retry({ times: maxRepeats, while: Issue.isUndone }),
        Effect.mapError(failed),
      ) as Effect.Effect<ReadonlyArray<Row>, StoreError>,
  }
  return {
    listen: (channel, onPayload) =>
      Effect.suspend(() => client.listen(channel)).pipe(
        Effect.flatMap((queue) =>
          Effect.forever(Effect.flatMap(Queue.take(queue), ({ payload }) => onPayload(payload))),
        ),
        Effect.scoped,
        Effect.mapError(failed),
      ),
    unbounded,
    within: (limitMillis) => ({
      rows: (sql, params) => withDeadline(name, limitMillis, () => unbounded.rows(sql, params)),
    }),
    rows: (sql, params) => withDeadline(name, connectMillis, () => unbounded.rows(sql, params)),
    transaction: (work, statementMillis = limits.statementMillis) =>
      withDeadline(name, connectMillis, (waiting) =>
        runTransaction({ name, client, begin }, { connectMillis, statementMillis }, waiting, work),
      ),
  }
}

/** A pool whose transactions are also limited by the server. */
const bounded = (pool: Pool, { statementMillis: usual }: TimeLimits): Pool => ({
  ...pool,
  transaction: (work, statementMillis = usual) =>
    pool.transaction(
      (session) =>
        Effect.andThen(
          session.rows(setLimits, [toSetting(statementMillis), lockTimeout, idleTimeout].map(Values.text)),
          Effect.suspend(() => work(session)),
        ),
      // The server ends a statement first: its error is more informative.
      statementMillis + tickMillis * 20,
    ),
})

const clientOf = (url: Redacted.Redacted, maxConnections: number, ssl: DatabaseTls | undefined) =>
  PgClient.make({
    url,
    ssl,
    maxConnections,
    applicationName,
    keepAlive,
    maxMessageSize: maxMessageBytes,
    types: Values.types(),
  })

const opened = <A>(name: string, effect: Effect.Effect<A, SqlError, Scope.Scope | Reactivity.Reactivity>) =>
  Effect.mapError(Effect.provide(effect, Reactivity.layer), (error) => Issue.toStoreError(name, error))

/** Opens a pool for reads until the scope ends; does not connect yet. */
export const source = (
  name: string,
  url: Redacted.Redacted,
  { tls, ...limits }: Options = {},
): Effect.Effect<Source, StoreError, Scope.Scope> =>
  Effect.map(opened(name, clientOf(url, maxReading, tls)), (client) => ({
    name,
    reading: poolOf(name, client, beginReading, { ...readingLimits, ...limits }),
  }))

/** Opens the pools of a database until the scope ends; does not connect yet. */
export const make = (
  name: string,
  url: Redacted.Redacted,
  options: Options = {},
): Effect.Effect<Pools, StoreError, Scope.Scope> =>
  Effect.gen(function* () {
    const { tls, ...limits } = options
    const ownLimits = { ...writingLimits, ...limits }
    const client = yield* opened(name, clientOf(url, maxWriting, tls))
    const writing = bounded(poolOf(name, client, beginWriting, ownLimits), ownLimits)
    return { ...(yield* source(name, url, options)), writing }
  })
