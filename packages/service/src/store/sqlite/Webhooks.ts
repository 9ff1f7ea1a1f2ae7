/** Webhooks in the file of API keys. The clock is that of this machine, which all processes on a SQLite file share. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StoreError } from "../StoreError.ts"
import type { Columns, Webhooks } from "../Webhooks.ts"
import { fromColumns } from "../Webhooks.ts"
import type * as Connection from "./Connection.ts"
import type { KeysFile } from "./KeysFile.ts"

const select = `SELECT name, content, revision FROM webhook ORDER BY name`
const insert = `INSERT INTO webhook (name, content, revision) VALUES (?, ?, 1) ON CONFLICT (name) DO NOTHING RETURNING name`
const remove = `DELETE FROM webhook WHERE name = ? RETURNING name`
const change = `UPDATE webhook SET content = ?, revision = revision + 1 WHERE name = ? AND revision = ? RETURNING name`
const acquire = `UPDATE webhook SET owner = ?, until = ? WHERE name = ? AND (owner IS NULL OR owner = ? OR until <= ? OR until > ?)
  RETURNING name, content, revision`

/** A lease that ends later than this was taken before the clock was set back. */
const longestMillis = 3_600_000

/** The webhooks in a file. */
export const make = ({ reading, writing }: KeysFile): Webhooks => {
  const attempt = <A>(
    connection: Effect.Effect<Connection.Connection, StoreError>,
    work: (connection: Connection.Connection) => A,
  ) => Effect.flatMap(connection, (own) => own.attempt(() => work(own)))
  const isChanged = (sql: string, ...values: ReadonlyArray<string | number>) =>
    attempt(writing, (own) => own.rowsUnsafe(sql, [...values]).length > 0)
  return {
    list: attempt(reading, (own) => own.valuesUnsafe<Columns>(select, []).map(fromColumns)),
    add: (name, content) => isChanged(insert, name, content),
    remove: (name) => isChanged(remove, name),
    change: (name, revision, content) => isChanged(change, content, name, revision),
    acquire: Effect.fnUntraced(function* (name, owner, millis) {
      const now = yield* Clock.currentTimeMillis
      const values = [owner, now + millis, name, owner, now, now + longestMillis]
      const [row] = yield* attempt(writing, (own) => own.valuesUnsafe<Columns>(acquire, values))
      return row === undefined ? null : fromColumns(row)
    }),
  }
}
