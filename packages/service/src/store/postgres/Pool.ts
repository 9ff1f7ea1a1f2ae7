/**
 * Connections to a PostgreSQL database: one pool for reads and one for writes, so that snapshots that wait for a slow client never keep
 * an indexer from writing. Connections are opened when they are needed, and again after the server closed them.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { BeginTransaction } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { StoreError } from "../StoreError.ts"
import * as Issue from "./Issue.ts"
import * as Values from "./Values.ts"

/** Runs statements. */
export interface Session {
  /** Rows of a statement, each as an array of its columns. */
  readonly rows: <Row extends ReadonlyArray<unknown>>(
    sql: string,
    params: ReadonlyArray<Values.Value>,
  ) => Effect.Effect<ReadonlyArray<Row>, StoreError>
}

/** A pool of connections. */
export interface Pool extends Session {
  /** Runs statements as one transaction, which a failure or an interruption rolls back. */
  readonly transaction: <A, E, R>(
    work: (session: Session) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E | StoreError, R>
}

/** The pools of a database. */
export interface Pools {
  /** Names the database in messages: host and name, without user and password. */
  readonly name: string
  readonly reading: Pool
  readonly writing: Pool
}

const maxReading = 10
const maxWriting = 4
/** A row with its texts arrives as one message. */
const maxMessageBytes = 256 * 1024 * 1024
const applicationName = "daybook"
/** Time without data after which a connection is probed: a server that vanished never answers what is waited for. */
const keepAlive = "30 seconds"
/**
 * Ends a write whose process stopped or lost its network, and with it the lock on the checkpoint, which another indexer waits for. It
 * is no startup parameter: poolers refuse those.
 */
const boundIdle = `SELECT set_config('idle_in_transaction_session_timeout', '60s', true)`

/** One state for all statements; writes are refused. */
const beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
/** The row of the checkpoint, which each write locks first, orders them. */
const beginWriting = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"

/** A failure of the work in a transaction, distinguished from those of the transaction itself. */
class Own<E> {
  readonly error: E
  constructor(error: E) {
    this.error = error
  }
}

/**
 * The failure of a transaction: that of its work, else its own. Where a connection was lost, the rollback failed too, by which the driver
 * makes defects of both. It adds nothing: the server rolls back, and the connection is not used again.
 */
const settle = <E>(
  cause: Cause.Cause<Own<E> | SqlError>,
  failed: (error: SqlError) => StoreError,
): Effect.Effect<never, E | StoreError> => {
  const errors: ReadonlyArray<unknown> = cause.reasons.map((reason) =>
    Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined,
  )
  const own = errors.find((error) => error instanceof Own)
  // Sound: only the work of this transaction makes them.
  if (own !== undefined) return Effect.fail(own.error as E)
  const others = cause.reasons.filter((_, index) => !isSqlError(errors[index]))
  const sqlError = errors.find(isSqlError)
  if (others.length === 0 && sqlError !== undefined) return Effect.fail(failed(sqlError))
  // Sound: every other reason is a defect or an interruption.
  return Effect.failCause(Cause.fromReasons(others) as Cause.Cause<never>)
}

const poolOf = (name: string, client: PgClient.PgClient, begin: string): Pool => {
  const failed = (error: SqlError) => Issue.toStoreError(name, error)
  return {
    rows: <Row extends ReadonlyArray<unknown>>(sql: string, params: ReadonlyArray<Values.Value>) =>
      // Sound: the caller states the columns of its statement.
      Effect.mapError(client.unsafe(sql, params).values, failed) as Effect.Effect<ReadonlyArray<Row>, StoreError>,
    transaction: <A, E, R>(work: (session: Session) => Effect.Effect<A, E, R>) =>
      Effect.contextWith((outer: Context.Context<R>) => {
        const own = Effect.flatMap(client.transactionService, ([connection]) =>
          work({
            rows: <Row extends ReadonlyArray<unknown>>(sql: string, params: ReadonlyArray<Values.Value>) =>
              Effect.mapError(connection.executeValues(sql, params), failed) as Effect.Effect<
                ReadonlyArray<Row>,
                StoreError
              >,
          }).pipe(
            Effect.mapError((error) => new Own(error)),
            Effect.updateContext(() => outer),
          ),
        )
        return client.withTransaction(own as Effect.Effect<A, Own<E>, never>).pipe(
          Effect.provideService(BeginTransaction, begin),
          Effect.catchCause((cause) => settle(cause, failed)),
        )
      }),
  }
}

/** A pool whose transactions the server rolls back when they wait for their process too long. */
const bounded = (pool: Pool): Pool => ({
  ...pool,
  transaction: (work) =>
    pool.transaction((session) =>
      Effect.andThen(
        session.rows(boundIdle, []),
        Effect.suspend(() => work(session)),
      ),
    ),
})

/** Opens the pools of a database until the scope ends; connects to nothing yet. */
export const make = (name: string, url: Redacted.Redacted): Effect.Effect<Pools, StoreError, Scope.Scope> =>
  Effect.gen(function* () {
    const client = (maxConnections: number) =>
      PgClient.make({
        ...{ url, maxConnections, applicationName, keepAlive },
        ...{ maxMessageSize: maxMessageBytes, types: Values.types() },
      })
    const reading = yield* client(maxReading)
    const writing = yield* client(maxWriting)
    return { name, reading: poolOf(name, reading, beginReading), writing: bounded(poolOf(name, writing, beginWriting)) }
  }).pipe(
    Effect.provide(Reactivity.layer),
    Effect.mapError((error) => Issue.toStoreError(name, error)),
  )
