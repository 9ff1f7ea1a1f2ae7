/**
 * Marks prove that rows from several nodes belong to one state in a database that has no snapshot of all of them, such as Citus.
 *
 * Each node has a mark, which every write advances in the node's own transaction. It holds the serial of the last write, and that of the
 * last write which changed or removed a row instead of adding rows above the head. Writes of a chain are sequential, and a node, or a
 * lagging copy of it, applies them in order. The rows of a node are therefore those of a snapshot if the snapshot's serial lies between the
 * two: the node has all of its writes, and later ones only added rows above its head. Every statement of a snapshot compares the mark with
 * its serial once on each node that it reads, whether or not it has rows there.
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

/** How a write affects rows: those up to its head are unchanged, or not. */
export type Change = "added" | "changed"

/** Number of reads in a new snapshot if the nodes have advanced, and the pause before each: a quarter of a second in total. */
const retries = 8
const [pauseMillis, growth] = [5, 1.5] as const
const divisionByZero = "22012"
/** SQLSTATE of `proved`, from a class that PostgreSQL does not use. */
const unprovedState = "DY001"

const unproved = (chain: string): StoreError =>
  new StoreError({
    message: `Index changing: ${chain}. The nodes of the database did not have the same state. Try again.`,
    isRetryable: true,
    isUnproved: true,
    cause: undefined,
  })

/** Whether the nodes of a read were not in one state. */
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

/** Reads again in another snapshot if the nodes advanced meanwhile. */
export const retried =
  (reading: Reading): Reading =>
  (read, statementMillis) =>
    Effect.retry(reading(read, statementMillis), {
      while: isUnproved,
      schedule: Schedule.exponential(pauseMillis, growth),
      times: retries,
    })

/**
 * Locks the marks of all nodes until the transaction ends, so that previous writes have ended on each node.
 *
 * **Errors**
 * - `StoreError`: a node lacks writes that the head has, such as a copy that replaced it before it had received them.
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
            message: `Database node without the last writes: ${chain.name}. Restore the node, or drop the schema and index the chain again.`,
            isRetryable: false,
            cause,
          }),
        ),
    ),
  )

/** Advances the marks of all nodes. */
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
 * The function that proves a statement. A condition without columns is evaluated once, before rows are read. The function is stable, so it
 * sees the snapshot of its statement; it fails instead of returning false, which would yield no rows.
 */
const proof = (schema: string, mark: string): string =>
  `CREATE FUNCTION ${schema}.proved(int8) RETURNS bool LANGUAGE plpgsql STABLE AS $$
   BEGIN
     IF (SELECT serial >= $1 AND since <= $1 FROM ${schema}.${mark}) THEN RETURN true; END IF;
     RAISE EXCEPTION 'The node has another state.' USING ERRCODE = '${unprovedState}';
   END $$`

/** Statements that create the mark of an empty chain and the function that compares it. */
export const make = (schema: string): ReadonlyArray<string> => [...tables(schema), proof(schema, "mark")]

/**
 * Each table with its distribution column, for each value of which one node has all rows; tables are not colocated, so Citus may move them
 * separately.
 */
const distributedBy = [
  ["appearance", "key"],
  ["document", "id"],
  ["ledger", "wallet"],
] as const

/**
 * Number of shards per table. A page reads one shard of its history, and all shards of the transactions: there is one of these per node, at
 * least two, or as many as `daybook.document_shards` states.
 */
const shardCounts = `SELECT coalesce(nullif(current_setting('daybook.document_shards', true), '')::int4,
    greatest(2, (SELECT count(*) FROM pg_dist_node WHERE noderole = 'primary' AND shouldhaveshards))::int4),
  current_setting('citus.shard_count')::int4`

/** Returns a row if the database has Citus. */
export const citus = `SELECT 1 FROM pg_extension WHERE extname = 'citus'`
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

/** Distributes the tables of an empty chain over the Citus nodes, if the database has any. The mark is on all nodes. */
export const distribute = Effect.fnUntraced(function* (
  session: Session,
  name: string,
): Effect.fn.Return<void, StoreError> {
  if ((yield* session.rows(citus, [])).length === 0) return
  const schema = quoted(name)
  for (const sql of tables(schema)) yield* session.rows(sql, [])
  const mark = text(`${schema}.mark`)
  yield* session.rows(`SELECT create_reference_table(${mark}) IS NULL`, [])
  // The only shard, which has the same name on every node: a node reads it without planning for others.
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
