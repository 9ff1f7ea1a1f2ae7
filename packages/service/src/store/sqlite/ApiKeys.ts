/**
 * API keys in a SQLite file next to the files of the chains.
 *
 * A key has 256 random bits, so a fast hash suffices: it cannot be guessed. It is found by an index on its whole hash, whose common prefix
 * with another hash reveals nothing about the key.
 */
import { hash } from "node:crypto"
import { existsSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import {
  type ApiKeys as Keys,
  decodeOptions,
  encodeOptions,
  type KeyGrant,
  makeKey,
  nameOf,
  type StoredKey,
} from "../ApiKeys.ts"
import * as Connection from "./Connection.ts"
import * as KeysFile from "./KeysFile.ts"
import * as Schema from "./Migrations.ts"
import type { StoreError } from "../StoreError.ts"

const columns = "name, operator, empty, options, expires, created, last_used AS lastUsed"
const findByHash = `SELECT ${columns} FROM api_key WHERE hash = ?
  UNION ALL SELECT ${columns} FROM api_key WHERE previous = ? AND previous_until > ?`
const selectOne = `SELECT ${columns} FROM api_key LIMIT 1`
const selectHashes =
  "SELECT lower(hex(hash)) AS hash FROM api_key UNION ALL SELECT lower(hex(previous)) FROM api_key WHERE previous NOTNULL"
const selectAll = `SELECT ${columns} FROM api_key ORDER BY name`
const insert = `INSERT INTO api_key (name, hash, operator, empty, created, options, expires) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (name) DO NOTHING RETURNING ${columns}`
const deleteByName = `DELETE FROM api_key WHERE name = ? RETURNING ${columns}`
const replaceHash = `UPDATE api_key SET previous = hash, previous_until = ?, hash = ? WHERE name = ? RETURNING ${columns}`
const setUsed = `UPDATE api_key SET last_used = ? WHERE name = ? AND coalesce(last_used, 0) < ?`

interface StoredRow {
  readonly name: string
  readonly operator: number
  readonly empty: "string" | "null" | null
  readonly options: string | null
  readonly expires: number | null
  readonly created: number
  readonly lastUsed: number | null
}

const grantOf = ({ empty, expires, name, operator, options }: StoredRow) =>
  Effect.map(decodeOptions(name, options), (decoded): KeyGrant => ({
    name,
    operator: operator === 1,
    empty,
    ...decoded,
    expires: expires ?? undefined,
  }))

const storedOf = (row: StoredRow) =>
  Effect.map(grantOf(row), (grant): StoredKey => ({ ...grant, created: row.created, lastUsed: row.lastUsed }))

const digest = (key: string): Uint8Array => hash("sha256", key, "buffer")

/** Grants in a keys file, without writing to it or beside it; empty if the file is missing or empty. */
const list = (file: string): Effect.Effect<ReadonlyArray<StoredKey>, StoreError> =>
  Effect.scoped(
    Effect.gen(function* () {
      if (!existsSync(file)) return []
      const connection = yield* Connection.connect({ file, readOnly: true })
      const rows = yield* connection.attempt(() => {
        if (Schema.isEmptyUnsafe(connection)) return []
        Schema.checkUnsafe(connection, KeysFile.schema)
        return connection.rowsUnsafe<StoredRow>(selectAll, [])
      })
      return yield* Effect.forEach(rows, storedOf)
    }),
  )

/** Keys of a file, which is opened when a key is first looked up. */
export const make = ({ file, reading, writing }: KeysFile.KeysFile): Keys => {
  const rows = (connected: typeof reading, sql: string, params: Connection.Params) =>
    Effect.flatMap(connected, (connection) => connection.attempt(() => connection.rowsUnsafe<StoredRow>(sql, params)))

  return {
    ready: Effect.asVoid(rows(reading, selectOne, [])),
    find: Effect.fnUntraced(function* (key) {
      const hashed = digest(Redacted.value(key))
      const [row] = yield* rows(reading, findByHash, [hashed, hashed, yield* Clock.currentTimeMillis])
      return row === undefined ? null : yield* grantOf(row)
    }),
    add: Effect.fn("ApiKeys.add")(function* (grant) {
      const name = yield* nameOf(grant.name)
      const key = makeKey()
      const now = yield* Clock.currentTimeMillis
      const added = yield* rows(writing, insert, [
        name,
        digest(key),
        grant.operator ? 1 : 0,
        grant.empty,
        now,
        encodeOptions(grant),
        grant.expires ?? null,
      ])
      return added.length === 0 ? null : Redacted.make(key, { label: "apiKey" })
    }),
    revoke: (name) => Effect.map(rows(writing, deleteByName, [name.trim()]), (gone) => gone.length > 0),
    rotate: Effect.fn("ApiKeys.rotate")(function* (name, previousUntil) {
      const key = makeKey()
      const found = yield* rows(writing, replaceHash, [previousUntil, digest(key), name.trim()])
      return found.length === 0 ? null : Redacted.make(key, { label: "apiKey" })
    }),
    digests: Effect.flatMap(reading, (connection) =>
      connection.attempt(() =>
        connection.rowsUnsafe<{ readonly hash: string }>(selectHashes, []).map((row) => row.hash),
      ),
    ),
    use: (name, atMillis) => Effect.asVoid(rows(writing, setUsed, [atMillis, name, atMillis])),
    list: list(file),
  }
}
