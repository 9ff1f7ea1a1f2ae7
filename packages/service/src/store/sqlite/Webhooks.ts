/** Webhooks in the file of API keys. The clock is this machine's, which all processes on a SQLite file share. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { StoreError } from "../StoreError.ts"
import { columns, type Columns, countsOf, firstRevision, fromColumns, overviewOf, type Webhooks } from "../Webhooks.ts"
import { isResized, type WalletChanges } from "../WebhookWallets.ts"
import * as Connection from "./Connection.ts"
import type { KeysFile } from "./KeysFile.ts"
import * as WebhookWallets from "./WebhookWallets.ts"

const select = `SELECT ${columns} FROM webhook`
const insert = `INSERT INTO webhook (name, holder, state, content, revision) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (name) DO NOTHING RETURNING name`
const remove = `DELETE FROM webhook WHERE name = ? RETURNING name`
const removeLeft = `DELETE FROM webhook_wallet WHERE webhook = ?1 AND NOT EXISTS (SELECT 1 FROM webhook WHERE name = ?1)
  AND wallet IN (SELECT wallet FROM webhook_wallet WHERE webhook = ?1 LIMIT ?2) RETURNING 1`
const firstWallets = `SELECT wallet FROM webhook_wallet WHERE webhook = ? ORDER BY wallet LIMIT ?`
const countWallets = `UPDATE webhook SET wallets = (SELECT count(*) FROM webhook_wallet WHERE webhook = name) WHERE name = ?`
const change = `UPDATE webhook SET state = ?, content = ?, revision = revision + 1 WHERE name = ? AND revision = ? RETURNING name`
const acquire = `UPDATE webhook SET owner = ?, until = ? WHERE name = ? AND (owner IS NULL OR owner = ? OR until <= ? OR until > ?)
  RETURNING ${columns}`

/** What is polled, or read for a key: uses an index, because a content takes many pages. */
export const statements = {
  overview: `SELECT name, revision, owner IS NULL OR until <= ? OR until > ? FROM webhook`,
  counts: `SELECT state, count(*) FROM webhook GROUP BY state`,
  ofHolder: `${select} WHERE holder = ? ORDER BY name`,
}

/** Number of a removed webhook's wallets that are removed in one turn of the event loop. */
const removedAtOnce = 1_000

/** A lease that ends later than this was taken before the clock was set back. */
const longestMillis = 3_600_000

type Value = string | number | null

/** The webhooks in a file. */
export const make = ({ reading, writing }: KeysFile): Webhooks => {
  const attempt = <A>(
    connection: Effect.Effect<Connection.Connection, StoreError>,
    work: (connection: Connection.Connection) => A,
  ) => Effect.flatMap(connection, (own) => own.attempt(() => work(own)))
  const read = <Row extends ReadonlyArray<unknown>>(sql: string, ...values: ReadonlyArray<Value>) =>
    attempt(reading, (own) => own.valuesUnsafe<Row>(sql, [...values]))
  const isChanged = (sql: string, ...values: ReadonlyArray<Value>) =>
    attempt(writing, (own) => own.rowsUnsafe(sql, [...values]).length > 0)
  const changeWithUnsafe = (
    own: Connection.Connection,
    name: string,
    wallets: WalletChanges,
    sql: string,
    ...values: ReadonlyArray<Value>
  ): boolean => {
    if (own.rowsUnsafe(sql, [...values]).length === 0) return false
    WebhookWallets.changeUnsafe(own, name, wallets)
    if (isResized(wallets)) own.rowsUnsafe(countWallets, [name])
    return true
  }
  /** Removes the wallets of a removed webhook in turns of the event loop; the last turn runs a function in its transaction. */
  const afterLeft = Effect.fnUntraced(function* (
    name: string,
    last: (own: Connection.Connection) => boolean,
  ): Effect.fn.Return<boolean, StoreError> {
    for (;;) {
      const result = yield* attempt(writing, (own) =>
        Connection.atomicUnsafe(own, () =>
          own.rowsUnsafe(removeLeft, [name, removedAtOnce]).length === removedAtOnce ? null : last(own),
        ),
      )
      if (result !== null) return result
      yield* Effect.yieldNow
    }
  })
  return {
    list: Effect.map(read<Columns>(`${select} ORDER BY name`), (rows) => rows.map(fromColumns)),
    ofHolder: (holder) => Effect.map(read<Columns>(statements.ofHolder, holder), (rows) => rows.map(fromColumns)),
    find: (name) =>
      Effect.map(read<Columns>(`${select} WHERE name = ?`, name), ([row]) =>
        row === undefined ? null : fromColumns(row),
      ),
    overview: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.map(read<[string, number, number]>(statements.overview, now, now + longestMillis), overviewOf),
    ),
    counts: Effect.map(read<[string, number]>(statements.counts), countsOf),
    walletsOf: (name, selection) => attempt(reading, (own) => WebhookWallets.readUnsafe(own, name, selection)),
    firstWallets: (names, limit) =>
      attempt(reading, (own) => {
        const walletsOf = (name: string) => own.valuesUnsafe<[string]>(firstWallets, [name, limit]).flat()
        return new Map(names.map((name) => [name, walletsOf(name)]))
      }),
    having: (wallets) =>
      Effect.map(read<[string]>(WebhookWallets.having, JSON.stringify(wallets)), (rows) => new Set(rows.flat())),
    add: (name, { content, holder, state }, wallets) =>
      afterLeft(name, (own) =>
        changeWithUnsafe(own, name, { add: wallets }, insert, name, holder, state, content, firstRevision()),
      ),
    // The webhook is removed before its wallets: a process that ends meanwhile does not leave a webhook with fewer wallets.
    remove: (name) =>
      Effect.uninterruptible(Effect.flatMap(isChanged(remove, name), (isRemoved) => afterLeft(name, () => isRemoved))),
    change: (name, revision, { content, state }, wallets) =>
      wallets === undefined
        ? isChanged(change, state, content, name, revision)
        : attempt(writing, (own) =>
            Connection.atomicUnsafe(own, () =>
              changeWithUnsafe(own, name, wallets, change, state, content, name, revision),
            ),
          ),
    acquire: Effect.fnUntraced(function* (name, owner, millis) {
      const now = yield* Clock.currentTimeMillis
      const values = [owner, now + millis, name, owner, now, now + longestMillis]
      const [row] = yield* attempt(writing, (own) => own.valuesUnsafe<Columns>(acquire, values))
      return row === undefined ? null : fromColumns(row)
    }),
  }
}
