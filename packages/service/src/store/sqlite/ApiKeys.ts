/**
 * API keys in a SQLite file of their own, beside the files of the chains.
 *
 * A key has 256 random bits, so a fast hash is enough: it cannot be guessed. It is found by an index on its whole hash, whose common
 * prefix with another hash reveals nothing about the key.
 */
import { hash, randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { nameOf } from "../ApiKeys.ts"
import type { ApiKeys as Keys, KeyGrant } from "../ApiKeys.ts"
import * as Connection from "./Connection.ts"
import type { Migrations } from "./Migrations.ts"
import * as Schema from "./Migrations.ts"
import * as SqliteCode from "./SqliteCode.ts"
import type { StoreError } from "../StoreError.ts"

const schema: Migrations = {
  applicationId: Schema.keysId,
  steps: [
    `CREATE TABLE api_key (
       name TEXT NOT NULL PRIMARY KEY,
       hash BLOB NOT NULL UNIQUE,
       operator INTEGER NOT NULL,
       empty TEXT,
       created INTEGER NOT NULL
     );`,
  ],
}

const findByHash = `SELECT name, operator, empty FROM api_key WHERE hash = ?`
const selectOne = `SELECT name, operator, empty FROM api_key LIMIT 1`
const selectAll = `SELECT name, operator, empty FROM api_key ORDER BY name`
const insert = `INSERT INTO api_key (name, hash, operator, empty, created) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (name) DO NOTHING RETURNING name`
const deleteByName = `DELETE FROM api_key WHERE name = ? RETURNING name, operator, empty`

interface StoredGrant {
  readonly name: string
  readonly operator: number
  readonly empty: "string" | "null" | null
}

const grantOf = (row: StoredGrant): KeyGrant => ({
  name: row.name,
  operator: row.operator === 1,
  empty: row.empty,
})

const digest = (key: string): Uint8Array => hash("sha256", key, "buffer")

/** Opens the file of keys until the scope ends; makes or migrates it first. */
const open = (file: string): Effect.Effect<Connection.Connection, StoreError, Scope.Scope> =>
  Effect.gen(function* () {
    const connection = yield* Connection.connect({ file, readOnly: false })
    yield* Schema.migrate(connection, yield* Connection.make(connection), schema)
    return connection
  })

/** Opens the file for looking keys up: for reading alone where it cannot be written. */
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

/** Opens the file when it is first used and keeps it open until the scope ends, or until it has changed; a failure is not kept. */
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

/** The grants of a file of keys, without writing to it or beside it; none while there is no file. */
const list = (file: string): Effect.Effect<ReadonlyArray<KeyGrant>, StoreError> =>
  Effect.scoped(
    Effect.gen(function* () {
      if (!existsSync(file)) return []
      const connection = yield* Connection.connect({ file, readOnly: true })
      return yield* connection.attempt(() => {
        Schema.checkUnsafe(connection, schema)
        return connection.rowsUnsafe<StoredGrant>(selectAll, []).map(grantOf)
      })
    }),
  )

const selectRows = `SELECT * FROM api_key ORDER BY name`
const deleteAll = `DELETE FROM api_key`

type Row = ReadonlyArray<number | string | Uint8Array | null>

const insertRow = (row: Row) => `INSERT INTO api_key VALUES (${row.map(() => "?").join(", ")})`

/** Makes the keys of a file those of another one. */
export const copy = (from: string, to: string): Effect.Effect<void, StoreError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const original = yield* Connection.connect({ file: from, readOnly: true })
      const rows = yield* original.attempt(() => {
        Schema.checkUnsafe(original, schema)
        return original.valuesUnsafe<Row>(selectRows, [])
      })
      const target = yield* open(to)
      const work = target.attempt(() => {
        const present = target.valuesUnsafe<Row>(selectRows, [])
        if (JSON.stringify(present) === JSON.stringify(rows)) return
        target.rowsUnsafe(deleteAll, [])
        for (const row of rows) target.rowsUnsafe(insertRow(row), row)
      })
      yield* Connection.transaction(target, yield* Connection.make(target), work)
    }),
  )

/** The keys in a file, which is opened when a key is first looked up, and until the scope ends. */
export const make = Effect.fnUntraced(function* (file: string): Effect.fn.Return<Keys, never, Scope.Scope> {
  const reading = yield* openOnce(openForReading(file))
  const writing = yield* openOnce(open(file))
  const rows = (connected: typeof reading, sql: string, params: Connection.Params) =>
    Effect.flatMap(connected, (connection) => connection.attempt(() => connection.rowsUnsafe<StoredGrant>(sql, params)))

  return {
    ready: Effect.asVoid(rows(reading, selectOne, [])),
    find: (key) =>
      Effect.map(rows(reading, findByHash, [digest(Redacted.value(key))]), ([row]) =>
        row === undefined ? null : grantOf(row),
      ),
    add: Effect.fn("ApiKeys.add")(function* (grant) {
      const name = yield* nameOf(grant.name)
      const key = `dbk_${randomBytes(32).toString("base64url")}`
      const now = yield* Clock.currentTimeMillis
      const added = yield* rows(writing, insert, [name, digest(key), grant.operator ? 1 : 0, grant.empty, now])
      return added.length === 0 ? null : Redacted.make(key, { label: "apiKey" })
    }),
    revoke: (name) => Effect.map(rows(writing, deleteByName, [name.trim()]), (gone) => gone.length > 0),
    list: list(file),
  }
})
