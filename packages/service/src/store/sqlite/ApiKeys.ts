/**
 * API keys in a SQLite file beside the files of the chains.
 *
 * A key has 256 random bits, so a fast hash is enough: it cannot be guessed. It is found by an index on its whole hash, whose common
 * prefix with another hash reveals nothing about the key.
 */
import { hash, randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { nameOf } from "../ApiKeys.ts"
import type { ApiKeys as Keys, KeyGrant } from "../ApiKeys.ts"
import * as Connection from "./Connection.ts"
import * as KeysFile from "./KeysFile.ts"
import * as Schema from "./Migrations.ts"
import type { StoreError } from "../StoreError.ts"

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

/** The grants of a file of keys, without writing to it or beside it; none while there is no file. */
const list = (file: string): Effect.Effect<ReadonlyArray<KeyGrant>, StoreError> =>
  Effect.scoped(
    Effect.gen(function* () {
      if (!existsSync(file)) return []
      const connection = yield* Connection.connect({ file, readOnly: true })
      return yield* connection.attempt(() => {
        Schema.checkUnsafe(connection, KeysFile.schema)
        return connection.rowsUnsafe<StoredGrant>(selectAll, []).map(grantOf)
      })
    }),
  )

/** The keys in a file, which is opened when a key is first looked up. */
export const make = ({ file, reading, writing }: KeysFile.KeysFile): Keys => {
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
}
