/**
 * The keys of a service in a SQLite file of its own, beside the files of the chains.
 *
 * A key is 256 random bits, so a fast hash is right: there is nothing to guess, and a slow one would only slow down every call.
 * A key is found by the index on its whole hash; how far another hash agrees tells nothing about the key that would give it.
 */
import { hash, randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { Keys, nameOf } from "../ApiKeys.ts"
import type { KeyGrant, KeysShape } from "../ApiKeys.ts"
import * as Connection from "./Connection.ts"
import type { Migrations } from "./Migrations.ts"
import * as Schema from "./Migrations.ts"
import type { StoreError } from "../Store.ts"

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

/**
 * Opens the file of keys until the scope ends, making it when it is not there.
 *
 * **Errors**
 * - `StoreError`: the file cannot be opened, is locked, damaged, or newer than this program.
 */
export const make = (file: string): Effect.Effect<KeysShape, StoreError, Scope.Scope> =>
  Effect.gen(function* () {
    const connection = yield* Connection.connect({ file, readOnly: false })
    yield* Schema.migrate(connection, yield* Connection.make(connection), schema)
    const rows = (sql: string, params: Connection.Params) =>
      connection.attempt(() => connection.rowsUnsafe<StoredGrant>(sql, params))

    return {
      find: (key) =>
        Effect.map(rows(findByHash, [digest(Redacted.value(key))]), ([row]) =>
          row === undefined ? null : grantOf(row),
        ),
      add: Effect.fn("Keys.add")(function* (grant) {
        const name = yield* nameOf(grant.name)
        const key = `dbk_${randomBytes(32).toString("base64url")}`
        const now = yield* Clock.currentTimeMillis
        const added = yield* rows(insert, [name, digest(key), grant.operator ? 1 : 0, grant.empty, now])
        return added.length === 0 ? null : Redacted.make(key, { label: "apiKey" })
      }),
      revoke: (name) => Effect.map(rows(deleteByName, [name.trim()]), (gone) => gone.length > 0),
      list: Effect.map(rows(selectAll, []), (found) => found.map(grantOf)),
    }
  })

/**
 * The grants of a file of keys, by name, without writing to it or beside it; none while there is no file.
 *
 * **Errors**
 * - `StoreError`: the file cannot be read, is damaged, or of another version.
 */
export const list = (file: string): Effect.Effect<ReadonlyArray<KeyGrant>, StoreError> =>
  Effect.scoped(
    Effect.gen(function* () {
      if (!existsSync(file)) return []
      const connection = yield* Connection.connect({ file, readOnly: true, isBrief: true })
      return yield* connection.attempt(() => {
        Schema.checkUnsafe(connection, schema)
        return connection.rowsUnsafe<StoredGrant>(selectAll, []).map(grantOf)
      })
    }),
  )

/** The keys of a service, from a file. */
export const layer = (file: string): Layer.Layer<Keys, StoreError> => Layer.effect(Keys, make(file))
