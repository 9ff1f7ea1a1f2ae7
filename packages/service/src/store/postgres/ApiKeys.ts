/**
 * API keys in the schema `daybook`. As in SQLite, a key is found by an index on its whole hash.
 */
import { hash } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import {
  type ApiKeys,
  decodeOptions,
  digestOf,
  encodeOptions,
  type KeyGrant,
  makeKey,
  nameOf,
  type StoredKey,
} from "../ApiKeys.ts"
import type { StoreError } from "../StoreError.ts"
import type * as OwnSchema from "./OwnSchema.ts"
import type { Pools } from "./Pool.ts"
import * as SharedLookups from "./SharedLookups.ts"
import * as Values from "./Values.ts"

const columns = `name, operator, empty, options, expires, (extract(epoch FROM created) * 1000)::int8, last_used`
const findByHash = `SELECT ${columns}, encode(hash, 'hex') FROM daybook.api_key WHERE hash = ANY ($1)
  UNION ALL SELECT ${columns}, encode(previous, 'hex') FROM daybook.api_key WHERE previous = ANY ($1) AND previous_until > $2`
const selectHashes = `SELECT encode(hash, 'hex') FROM daybook.api_key
  UNION ALL SELECT encode(previous, 'hex') FROM daybook.api_key WHERE previous IS NOT NULL`
const selectAll = `SELECT ${columns} FROM daybook.api_key ORDER BY name`
const insert = `INSERT INTO daybook.api_key (name, hash, operator, empty, options, expires) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (name) DO NOTHING RETURNING name`
const replaceHash = `UPDATE daybook.api_key SET previous = hash, previous_until = $1, hash = $2 WHERE name = $3 RETURNING name`
const setUsed = `UPDATE daybook.api_key SET last_used = $1 WHERE name = $2 AND coalesce(last_used, 0) < $1`
const deleteByName = `DELETE FROM daybook.api_key WHERE name = $1 RETURNING name`

type Row = readonly [
  name: string,
  operator: boolean,
  empty: KeyGrant["empty"],
  options: string | null,
  expires: number | null,
  created: number,
  lastUsed: number | null,
  /** Hash by which it was found, in hex. */
  digest?: string,
]

const grantOf = ([name, operator, empty, options, expires]: Row) =>
  Effect.map(decodeOptions(name, options), (decoded): KeyGrant => ({
    name,
    operator,
    empty,
    ...decoded,
    expires: expires ?? undefined,
  }))

const storedOf = (row: Row) =>
  Effect.map(grantOf(row), (grant): StoredKey => ({ ...grant, created: row[5], lastUsed: row[6] }))

const digest = (key: string): Uint8Array => hash("sha256", key, "buffer")

/** Keys of a database. */
export const make = (pools: Pools, own: OwnSchema.OwnSchema): ApiKeys => {
  const { reading, writing } = pools
  const { made } = own
  const find = SharedLookups.make(
    Effect.fnUntraced(function* (digests): Effect.fn.Return<ReadonlyMap<string, Row>, StoreError> {
      yield* made
      const hashes = Values.manyBytes(digests.map((digest) => Buffer.from(digest, "hex")))
      const rows = yield* reading.rows<Required<Row>>(findByHash, [hashes, Values.big(yield* Clock.currentTimeMillis)])
      return new Map(rows.map((row) => [row[7], row]))
    }),
  )
  return {
    ready: Effect.andThen(made, Effect.asVoid(reading.rows(`${selectAll} LIMIT 1`, []))),
    find: (key) => Effect.flatMap(find(digestOf(key)), (row) => (row === null ? Effect.succeed(null) : grantOf(row))),
    add: Effect.fn("ApiKeys.add")(function* (grant): Effect.fn.Return<Redacted.Redacted<string> | null, StoreError> {
      const name = yield* nameOf(grant.name)
      const key = makeKey()
      yield* made
      const added = yield* writing.rows(insert, [
        Values.text(name),
        Values.bytes(digest(key)),
        Values.bool(grant.operator),
        Values.text(grant.empty),
        Values.text(encodeOptions(grant)),
        Values.big(grant.expires ?? null),
      ])
      return added.length === 0 ? null : Redacted.make(key, { label: "apiKey" })
    }),
    revoke: (name) =>
      Effect.andThen(
        made,
        Effect.map(writing.rows(deleteByName, [Values.text(name.trim())]), (gone) => gone.length > 0),
      ),
    rotate: Effect.fn("ApiKeys.rotate")(function* (name, previousUntil) {
      yield* made
      const key = makeKey()
      const values = [Values.big(previousUntil), Values.bytes(digest(key)), Values.text(name.trim())]
      const found = yield* writing.rows(replaceHash, values)
      return found.length === 0 ? null : Redacted.make(key, { label: "apiKey" })
    }),
    digests: Effect.andThen(
      made,
      Effect.map(reading.rows<readonly [hash: string]>(selectHashes, []), (rows) => rows.map(([digest]) => digest)),
    ),
    use: (name, atMillis) =>
      Effect.andThen(made, Effect.asVoid(writing.rows(setUsed, [Values.big(atMillis), Values.text(name)]))),
    list: Effect.flatMap(own.exists, (exists) =>
      exists
        ? Effect.andThen(
            made,
            Effect.flatMap(reading.rows<Row>(selectAll, []), (rows) => Effect.forEach(rows, storedOf)),
          )
        : Effect.succeed([]),
    ),
  }
}
