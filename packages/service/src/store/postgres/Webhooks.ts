/** Webhooks in the schema `daybook`, with leases by the clock of the database. */
import * as Effect from "effect/Effect"
import type { Columns, Webhooks } from "../Webhooks.ts"
import { fromColumns } from "../Webhooks.ts"
import type { OwnSchema } from "./OwnSchema.ts"
import type { Pools } from "./Pool.ts"
import * as Values from "./Values.ts"

const select = `SELECT name, content, revision FROM daybook.webhook ORDER BY name`
const insert = `INSERT INTO daybook.webhook (name, content, revision) VALUES ($1, $2, 1) ON CONFLICT (name) DO NOTHING RETURNING name`
const remove = `DELETE FROM daybook.webhook WHERE name = $1 RETURNING name`
const change = `UPDATE daybook.webhook SET content = $1, revision = revision + 1 WHERE name = $2 AND revision = $3 RETURNING name`
const acquire = `UPDATE daybook.webhook SET owner = $1, until = clock_timestamp() + $2::int8 * interval '1 millisecond'
  WHERE name = $3 AND (owner IS NULL OR owner = $1 OR until <= clock_timestamp()) RETURNING name, content, revision`

/** The webhooks of a database. */
export const make = ({ reading, writing }: Pools, { made }: OwnSchema): Webhooks => {
  const isChanged = (sql: string, ...values: ReadonlyArray<Values.Value>) =>
    Effect.andThen(
      made,
      Effect.map(writing.rows(sql, [...values]), (rows) => rows.length > 0),
    )
  return {
    list: Effect.andThen(
      made,
      Effect.map(reading.rows<Columns>(select, []), (rows) => rows.map(fromColumns)),
    ),
    add: (name, content) => isChanged(insert, Values.text(name), Values.text(content)),
    remove: (name) => isChanged(remove, Values.text(name)),
    change: (name, revision, content) =>
      isChanged(change, Values.text(content), Values.text(name), Values.big(revision)),
    acquire: (name, owner, millis) =>
      Effect.andThen(
        made,
        Effect.map(
          writing.rows<Columns>(acquire, [Values.text(owner), Values.big(millis), Values.text(name)]),
          ([row]) => (row === undefined ? null : fromColumns(row)),
        ),
      ),
  }
}
