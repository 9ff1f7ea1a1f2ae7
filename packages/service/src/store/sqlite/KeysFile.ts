/**
 * The SQLite file next to those of the chains: API keys and descriptions of contracts.
 */
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { StoreError } from "../StoreError.ts"
import * as Connection from "./Connection.ts"
import type { Migrations } from "./Migrations.ts"
import * as Schema from "./Migrations.ts"
import * as SqliteCode from "./SqliteCode.ts"

/** Wallets and positions from webhook contents: a position has the texts of journal, first block, next block and highest block + 1. */
const walletsOfContents = `INSERT INTO webhook_wallet (webhook, wallet, journal, next, start, highest)
       SELECT name, wallet, coalesce(parts ->> 1, ''), coalesce(CAST(parts ->> 3 AS INTEGER), 0),
         coalesce(CAST(parts ->> 2 AS INTEGER), 0), coalesce(CAST(parts ->> 4 AS INTEGER), 0) - 1
       FROM (SELECT name, address.value AS wallet,
         '["' || replace(
           (SELECT value FROM json_each(content, '$.positions') WHERE key = address.value), '.', '","'
         ) || '"]' AS parts
         FROM webhook, json_each(content, '$.addresses') AS address) WHERE true
       ON CONFLICT DO NOTHING;`

/** The steps of the file's schema. */
export const schema: Migrations = {
  applicationId: Schema.keysId,
  firstVersion: 3,
  steps: [
    `CREATE TABLE api_key (
       name TEXT NOT NULL PRIMARY KEY,
       hash BLOB NOT NULL UNIQUE,
       operator INTEGER NOT NULL,
       empty TEXT,
       created INTEGER NOT NULL,
       options TEXT,
       expires INTEGER,
       last_used INTEGER,
       previous BLOB,
       previous_until INTEGER
     );
     CREATE INDEX api_key_previous ON api_key (previous) WHERE previous IS NOT NULL;
     CREATE TABLE contract (
       chain INTEGER NOT NULL,
       key TEXT NOT NULL,
       name TEXT NOT NULL,
       source TEXT NOT NULL,
       abi TEXT NOT NULL,
       implementations TEXT NOT NULL,
       PRIMARY KEY (chain, key)
     ) WITHOUT ROWID;
     CREATE TABLE contract_revision (chain INTEGER NOT NULL PRIMARY KEY, revision INTEGER NOT NULL);`,
    `CREATE TABLE webhook (
       name TEXT NOT NULL PRIMARY KEY,
       content TEXT NOT NULL,
       revision INTEGER NOT NULL,
       owner TEXT,
       until INTEGER
     ) WITHOUT ROWID;`,
    `ALTER TABLE webhook ADD COLUMN holder TEXT;
     ALTER TABLE webhook ADD COLUMN state TEXT NOT NULL DEFAULT 'active';`,
    `CREATE INDEX webhook_look ON webhook (holder, state, revision, owner, until);`,
    `CREATE TABLE webhook_wallet (
       webhook TEXT NOT NULL,
       wallet TEXT NOT NULL,
       journal TEXT,
       next INTEGER NOT NULL,
       start INTEGER NOT NULL,
       highest INTEGER NOT NULL,
       PRIMARY KEY (webhook, wallet)
     ) WITHOUT ROWID;
     CREATE INDEX webhook_wallet_look ON webhook_wallet (wallet, webhook);
     CREATE INDEX webhook_wallet_own ON webhook_wallet (webhook, wallet) WHERE journal IS NOT NULL;
     CREATE INDEX webhook_wallet_sent ON webhook_wallet (webhook, highest) WHERE journal IS NULL AND highest >= 0;
     ${walletsOfContents}
     ALTER TABLE webhook ADD COLUMN wallets INTEGER NOT NULL DEFAULT 0;
     UPDATE webhook SET wallets = (SELECT count(*) FROM webhook_wallet WHERE webhook = name);`,
  ],
}

/** The file, whose connections are opened on first use. */
export interface KeysFile {
  readonly file: string
  /** A connection for reading; read-only if the file cannot be written. */
  readonly reading: Effect.Effect<Connection.Connection, StoreError>
  readonly writing: Effect.Effect<Connection.Connection, StoreError>
}

/** Opens the file until the scope ends; creates or migrates it first. */
const open = (file: string): Effect.Effect<Connection.Connection, StoreError, Scope.Scope> =>
  Effect.gen(function* () {
    const connection = yield* Connection.connect({ file, readOnly: false })
    yield* Schema.migrate(connection, yield* Connection.make(connection), schema)
    return connection
  })

/** Opens the file for lookups; read-only if it cannot be written. */
const openForReading = (file: string): Effect.Effect<Connection.Connection, StoreError, Scope.Scope> =>
  open(file).pipe(
    Effect.catch((error) =>
      existsSync(file) && SqliteCode.isPermission(error.cause)
        ? Effect.tap(Connection.connect({ file, readOnly: true }), (connection) =>
            connection.attempt(() => Schema.checkUnsafe(connection, schema)),
          )
        : Effect.fail(error),
    ),
  )

/** Opens the file on first use and keeps it open until the scope ends or the file has changed; a failure is not cached. */
const openOnce = Effect.fnUntraced(function* (opening: Effect.Effect<Connection.Connection, StoreError, Scope.Scope>) {
  const scope = yield* Effect.scope
  const permit = Semaphore.makeUnsafe(1)
  let opened: Connection.Connection | undefined
  const openNow = permit.withPermit(
    Effect.gen(function* () {
      if (opened?.isCurrent() === true) return opened
      const own = yield* Scope.fork(scope)
      opened = yield* opening.pipe(
        Scope.provide(own),
        Effect.onError((cause) => Scope.close(own, Exit.failCause(cause))),
      )
      return opened
    }),
  )
  return Effect.suspend(() => (opened?.isCurrent() === true ? Effect.succeed(opened) : openNow))
})

/** Tables whose rows a backup contains, with their keys, which are their first columns. */
const tables = [
  ["api_key", "name"],
  ["contract", "chain, key"],
  ["contract_revision", "chain"],
  ["webhook", "name"],
  ["webhook_wallet", "webhook, wallet"],
] as const

type Row = ReadonlyArray<number | string | Uint8Array | null>

const valuesOf = (row: Row): string => `(${row.map(() => "?").join(", ")})`

const rowsOf = (connection: Connection.Connection, table: string): ReadonlyArray<Row> =>
  connection.valuesUnsafe<Row>(`SELECT * FROM ${table} ORDER BY 1, 2`, [])

const textOf = (row: Row): string => JSON.stringify(row)

/** Whether two lists in key order have the same rows: this is faster than looking up each row in the other list. */
const isSame = (one: ReadonlyArray<Row>, other: ReadonlyArray<Row>): boolean =>
  one.length === other.length && one.every((row, at) => textOf(row) === textOf(other[at]!))

/** Rows of a list that another one lacks. */
const lackedBy = (other: ReadonlyArray<Row>, rows: ReadonlyArray<Row>): ReadonlyArray<Row> => {
  const texts = new Set(other.map(textOf))
  return rows.filter((row) => !texts.has(textOf(row)))
}

/** Rows of all tables, from one state. */
const allUnsafe = (connection: Connection.Connection) => {
  connection.scriptUnsafe("BEGIN")
  try {
    return tables.map(([table]) => rowsOf(connection, table))
  } finally {
    connection.scriptUnsafe("COMMIT")
  }
}

/** Makes the rows of a file equal to those of another one; writes only differences. */
export const copy = (from: string, to: string): Effect.Effect<void, StoreError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const original = yield* openForReading(from)
      const target = yield* open(to)
      const originals = yield* original.attempt(() => allUnsafe(original))
      const work = target.attempt(() => {
        for (const [at, [table, key]] of tables.entries()) {
          const [rows, copied] = [originals[at]!, rowsOf(target, table)]
          if (isSame(rows, copied)) continue
          for (const row of lackedBy(rows, copied)) {
            const values = row.slice(0, key.split(", ").length)
            target.rowsUnsafe(`DELETE FROM ${table} WHERE (${key}) = ${valuesOf(values)}`, values)
          }
          for (const row of lackedBy(copied, rows)) {
            target.rowsUnsafe(`INSERT INTO ${table} VALUES ${valuesOf(row)}`, row)
          }
        }
      })
      yield* Connection.transaction(target, yield* Connection.make(target), work)
    }),
  )

/** Opens the file at a path until the scope ends. */
export const make = Effect.fnUntraced(function* (file: string): Effect.fn.Return<KeysFile, never, Scope.Scope> {
  return { file, reading: yield* openOnce(openForReading(file)), writing: yield* openOnce(open(file)) }
})
