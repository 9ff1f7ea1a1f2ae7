/**
 * Marks: how rows of several nodes are proved to belong to one state, where the database has no snapshot of all of them, as Citus.
 *
 * Each node has a mark, which every write moves in the node's own transaction. It holds the serial of the last write, and that of the
 * last one which changed or removed a row instead of adding rows above the head. Writes of a chain follow each other, and a node, or a
 * copy of it that lags, has them in their order. So the rows of a node are those of a snapshot if the snapshot's serial lies between
 * the two: the node has all of its writes, and later ones only added rows above its head. Every statement of a snapshot compares the mark
 * with its serial on each node that it reads, once, whether it has rows there or not.
 *
 * Source: decision 0069.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { SqlError } from "effect/sql/SqlError"
import { StoreError } from "../StoreError.ts"
import type { At, Chain, Reading } from "./Chain.ts"
import * as Issue from "./Issue.ts"
import { quoted } from "./Migrations.ts"
import type { Session } from "./Pool.ts"
import * as Values from "./Values.ts"

/** Which rows a write leaves: those below its head unchanged, or not. */
export type Change = "added" | "changed"

/** Reads of a new snapshot where the nodes have moved on, and the pause before each: together a quarter of a second. */
const retries = 8
const [pauseMillis, growth] = [5, 1.5] as const
const divisionByZero = "22012"
/** State of `proved`, of a class that PostgreSQL does not use. */
const unprovedState = "DY001"

const unproved = (chain: string): StoreError =>
  new StoreError({
    message: `Index moving: ${chain}. The nodes of the database did not have one state at once. Try again.`,
    isRetryable: true,
    isUnproved: true,
    cause: undefined,
  })

/** Whether the nodes of a read did not have one state at once. */
export const isUnproved = (error: unknown): boolean => error instanceof StoreError && error.isUnproved === true

const fail = ({ name }: Chain): Effect.Effect<never, StoreError> => Effect.fail(unproved(name))

const hasState = ({ cause }: StoreError, state: string): boolean =>
  cause instanceof SqlError && Issue.sqlState(cause) === state

/** A session whose rows belong to the state with a serial. */
export const proving = (chain: Chain, session: Session, serial: number): Session => ({
  rows: <Row extends ReadonlyArray<unknown>>(sql: string, params: ReadonlyArray<Values.Value>) => {
    if (!chain.distributed.proved.has(sql)) return session.rows<Row>(sql, params)
    const read = session.rows<Row>(sql, [...params, Values.big(serial)])
    return Effect.catchIf(
      read,
      (error) => hasState(error, unprovedState),
      () => fail(chain),
    )
  },
})

/** Reads again, in another snapshot, where the nodes moved on meanwhile. */
export const retried =
  (reading: Reading): Reading =>
  (read, statementMillis) =>
    Effect.retry(reading(read, statementMillis), {
      while: isUnproved,
      schedule: Schedule.exponential(pauseMillis, growth),
      times: retries,
    })

/**
 * Locks the marks of all nodes until the transaction ends, so that the writes before this one have ended on each.
 *
 * **Errors**
 * - `StoreError`: a node lacks writes that the head has, as a copy that replaced it and had not received them.
 */
export const lock = ({ chain, session }: At, serial: number): Effect.Effect<void, StoreError> =>
  Effect.gen(function* () {
    yield* session.rows(chain.sql.oneConnection, [])
    yield* session.rows(chain.sql.lockMarks, [Values.big(serial)])
  }).pipe(
    Effect.catchIf(
      (error) => hasState(error, divisionByZero),
      ({ cause }) =>
        Effect.fail(
          new StoreError({
            message: `Node of the database without the last writes: ${chain.name}. Restore the node, or drop the schema and index the chain again.`,
            isRetryable: false,
            cause,
          }),
        ),
    ),
  )

/** Moves the marks of all nodes. */
export const move = ({ chain, session }: At, serial: number, change: Change): Effect.Effect<void, StoreError> =>
  Effect.asVoid(session.rows(chain.sql.moveMarks, [Values.big(serial), Values.bool(change === "added")]))

const tables = (schema: string): ReadonlyArray<string> => [
  `CREATE TABLE ${schema}.mark (
     one bool PRIMARY KEY DEFAULT true CHECK (one),
     serial int8 NOT NULL,
     since int8 NOT NULL
   ) WITH (fillfactor = 50)`,
  `INSERT INTO ${schema}.mark (serial, since) VALUES (0, 0)`,
  `ALTER TABLE ${schema}.checkpoint ALTER COLUMN distributed SET DEFAULT true`,
]

/**
 * The function by which a statement is proved. A condition without columns is evaluated once, before rows are read. It sees the snapshot of
 * its statement, as it is stable, and fails instead of being false, which would be a statement without rows.
 */
const proof = (schema: string, mark: string): string =>
  `CREATE FUNCTION ${schema}.proved(int8) RETURNS bool LANGUAGE plpgsql STABLE AS $$
   BEGIN
     IF (SELECT serial >= $1 AND since <= $1 FROM ${schema}.${mark}) THEN RETURN true; END IF;
     RAISE EXCEPTION 'The node has another state.' USING ERRCODE = '${unprovedState}';
   END $$`

/** Statements that make the mark of an empty chain, and what compares it. */
export const make = (schema: string): ReadonlyArray<string> => [...tables(schema), proof(schema, "mark")]

/** Each table by the column whose values one node has all rows of; none lies beside another, so that Citus may move them apart. */
const distributedBy = [
  ["appearance", "key"],
  ["document", "id"],
  ["ledger", "wallet"],
] as const

/**
 * Number of shards of a table. A page reads one of its history, and all of the transactions': these are one for each node, at least two, or as
 * many as `daybook.document_shards` states.
 */
const shardCounts = `SELECT coalesce(nullif(current_setting('daybook.document_shards', true), '')::int4,
    greatest(2, (SELECT count(*) FROM pg_dist_node WHERE noderole = 'primary' AND shouldhaveshards))::int4),
  current_setting('citus.shard_count')::int4`

/** A row where the database has Citus. */
export const citus = `SELECT 1 FROM pg_extension WHERE extname = 'citus'`
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

/** Distributes the tables of an empty chain over the nodes of Citus, where the database has it. The mark lies on all nodes. */
export const distribute = Effect.fnUntraced(function* (
  session: Session,
  name: string,
): Effect.fn.Return<void, StoreError> {
  if ((yield* session.rows(citus, [])).length === 0) return
  const schema = quoted(name)
  for (const sql of tables(schema)) yield* session.rows(sql, [])
  const mark = text(`${schema}.mark`)
  yield* session.rows(`SELECT create_reference_table(${mark}) IS NULL`, [])
  // The only shard, which has this name on every node: a node reads it without planning for others.
  const shard = `SELECT 'mark_' || shardid FROM pg_dist_shard WHERE logicalrelid = ${mark}::regclass`
  const [[nameOfShard] = ["mark"]] = yield* session.rows<readonly [string]>(shard, [])
  yield* session.rows(proof(schema, nameOfShard), [])
  const [[ofDocuments, ofOthers] = [0, 0]] = yield* session.rows<readonly [number, number]>(shardCounts, [])
  for (const [table, column] of distributedBy) {
    const shards = table === "document" ? ofDocuments : ofOthers
    const options = `shard_count := ${shards}, colocate_with := 'none'`
    yield* session.rows(
      `SELECT create_distributed_table(${text(`${schema}.${table}`)}, ${text(column)}, ${options}) IS NULL`,
      [],
    )
  }
})
