/** Webhooks in the schema `daybook`, with leases by the clock of the database. */
import * as Effect from "effect/Effect"
import { columns, type Columns, countsOf, firstRevision, fromColumns, overviewOf, type Webhooks } from "../Webhooks.ts"
import type { OwnSchema } from "./OwnSchema.ts"
import type { Pools } from "./Pool.ts"
import * as Values from "./Values.ts"

const select = `SELECT ${columns} FROM daybook.webhook`
const insert = `INSERT INTO daybook.webhook (name, holder, state, content, revision) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (name) DO NOTHING RETURNING name`
const remove = `DELETE FROM daybook.webhook WHERE name = $1 RETURNING name`
const change = `UPDATE daybook.webhook SET state = $1, content = $2, revision = revision + 1 WHERE name = $3 AND revision = $4
  RETURNING name`
const acquire = `UPDATE daybook.webhook SET owner = $1, until = clock_timestamp() + $2::int8 * interval '1 millisecond'
  WHERE name = $3 AND (owner IS NULL OR owner = $1 OR until <= clock_timestamp()) RETURNING ${columns}`

const isFree = `(owner IS NULL OR until <= clock_timestamp())`
const overview = `SELECT name, revision, ${isFree} FROM daybook.webhook`

/** The webhooks of a key, which each change of one reads: by an index. */
export const ofHolder = `${select} WHERE holder = $1 ORDER BY name`

/** The webhooks of a database. */
export const make = ({ reading, writing }: Pools, { made }: OwnSchema): Webhooks => {
  const read = <Row extends ReadonlyArray<unknown>>(sql: string, ...values: ReadonlyArray<Values.Value>) =>
    Effect.andThen(made, reading.rows<Row>(sql, [...values]))
  const write = <Row extends ReadonlyArray<unknown>>(sql: string, ...values: ReadonlyArray<Values.Value>) =>
    Effect.andThen(made, writing.rows<Row>(sql, [...values]))
  const isChanged = (sql: string, ...values: ReadonlyArray<Values.Value>) =>
    Effect.map(write<[string]>(sql, ...values), (rows) => rows.length > 0)
  const oneOf = (rows: ReadonlyArray<Columns>) => (rows[0] === undefined ? null : fromColumns(rows[0]))
  return {
    list: Effect.map(read<Columns>(`${select} ORDER BY name`), (rows) => rows.map(fromColumns)),
    ofHolder: (holder) => Effect.map(write<Columns>(ofHolder, Values.text(holder)), (rows) => rows.map(fromColumns)),
    find: (name) => Effect.map(write<Columns>(`${select} WHERE name = $1`, Values.text(name)), oneOf),
    overview: Effect.map(write<[string, number, boolean]>(overview), overviewOf),
    counts: Effect.map(
      read<[string, number]>(`SELECT state, count(*)::int4 FROM daybook.webhook GROUP BY state`),
      countsOf,
    ),
    add: (name, { content, holder, state }) =>
      isChanged(
        insert,
        Values.text(name),
        Values.text(holder),
        Values.text(state),
        Values.text(content),
        Values.big(firstRevision()),
      ),
    remove: (name) => isChanged(remove, Values.text(name)),
    change: (name, revision, { content, state }) =>
      isChanged(change, Values.text(state), Values.text(content), Values.text(name), Values.big(revision)),
    acquire: (name, owner, millis) =>
      Effect.map(write<Columns>(acquire, Values.text(owner), Values.big(millis), Values.text(name)), oneOf),
  }
}
