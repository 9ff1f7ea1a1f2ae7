/** Webhooks in the schema `daybook`, with leases by the database's clock. */
import * as Effect from "effect/Effect"
import { columns, type Columns, countsOf, firstRevision, fromColumns, overviewOf, type Webhooks } from "../Webhooks.ts"
import { isResized, type WalletChanges } from "../WebhookWallets.ts"
import type { OwnSchema } from "./OwnSchema.ts"
import type { Pools } from "./Pool.ts"
import * as Values from "./Values.ts"
import * as WebhookWallets from "./WebhookWallets.ts"

const select = `SELECT ${columns} FROM daybook.webhook`
const insert = `INSERT INTO daybook.webhook (name, holder, state, content, revision) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (name) DO NOTHING RETURNING name`
const remove = `DELETE FROM daybook.webhook WHERE name = $1 RETURNING name`
const removeWallets = `DELETE FROM daybook.webhook_wallet WHERE webhook = $1`
const firstWallets = `SELECT name, wallet FROM unnest($1::text[]) AS name,
  LATERAL (SELECT wallet FROM daybook.webhook_wallet WHERE webhook = name ORDER BY wallet LIMIT $2) AS first`
const countWallets = `UPDATE daybook.webhook SET wallets = (SELECT count(*) FROM daybook.webhook_wallet WHERE webhook = $1)
  WHERE name = $1`
const change = `UPDATE daybook.webhook SET state = $1, content = $2, revision = revision + 1 WHERE name = $3 AND revision = $4
  RETURNING name`
const acquire = `UPDATE daybook.webhook SET owner = $1, until = clock_timestamp() + $2::int8 * interval '1 millisecond'
  WHERE name = $3 AND (owner IS NULL OR owner = $1 OR until <= clock_timestamp()) RETURNING ${columns}`

const isFree = `(owner IS NULL OR until <= clock_timestamp())`
const overview = `SELECT name, revision, ${isFree} FROM daybook.webhook`

/** Webhooks of a key, which each change of one reads: uses an index. */
export const ofHolder = `${select} WHERE holder = $1 ORDER BY name`

/** The webhooks of a database. */
export const make = ({ reading, writing }: Pools, { made }: OwnSchema): Webhooks => {
  const read = <Row extends ReadonlyArray<unknown>>(sql: string, ...values: ReadonlyArray<Values.Value>) =>
    Effect.andThen(made, reading.rows<Row>(sql, [...values]))
  const write = <Row extends ReadonlyArray<unknown>>(sql: string, ...values: ReadonlyArray<Values.Value>) =>
    Effect.andThen(made, writing.rows<Row>(sql, [...values]))
  const isChanged = (sql: string, ...values: ReadonlyArray<Values.Value>) =>
    Effect.map(write<[string]>(sql, ...values), (rows) => rows.length > 0)
  const isChangedWith = (name: string, wallets: WalletChanges, sql: string, values: ReadonlyArray<Values.Value>) =>
    Effect.andThen(
      made,
      writing.transaction(
        Effect.fnUntraced(function* (session) {
          if ((yield* session.rows<[string]>(sql, values)).length === 0) return false
          yield* WebhookWallets.change(session, name, wallets)
          if (isResized(wallets)) yield* session.rows(countWallets, [Values.text(name)])
          return true
        }),
      ),
    )
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
    walletsOf: (name, selection) => Effect.andThen(made, WebhookWallets.read(writing, name, selection)),
    firstWallets: (names, limit) =>
      Effect.map(write<[string, string]>(firstWallets, Values.texts(names), Values.big(limit)), (rows) => {
        const found = new Map<string, Array<string>>(names.map((name) => [name, []]))
        for (const [name, wallet] of rows) found.get(name)?.push(wallet)
        return found
      }),
    having: (wallets) =>
      Effect.map(write<[string]>(WebhookWallets.having, Values.texts(wallets)), (rows) => new Set(rows.flat())),
    add: (name, { content, holder, state }, wallets) => {
      const values = [name, holder, state, content].map(Values.text)
      return isChangedWith(name, { add: wallets }, insert, [...values, Values.big(firstRevision())])
    },
    remove: (name) =>
      Effect.andThen(
        made,
        writing.transaction(
          Effect.fnUntraced(function* (session) {
            const gone = yield* session.rows<[string]>(remove, [Values.text(name)])
            // Runs only now, because a change for which the first statement waited may have added some.
            yield* session.rows(removeWallets, [Values.text(name)])
            return gone.length > 0
          }),
        ),
      ),
    change: (name, revision, { content, state }, wallets) => {
      const values = [Values.text(state), Values.text(content), Values.text(name), Values.big(revision)]
      return wallets === undefined ? isChanged(change, ...values) : isChangedWith(name, wallets, change, values)
    },
    acquire: (name, owner, millis) =>
      Effect.map(write<Columns>(acquire, Values.text(owner), Values.big(millis), Values.text(name)), oneOf),
  }
}
