/**
 * API keys in the schema `daybook`. As in SQLite, a key is found by an index on its whole hash.
 */
import { hash, randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type ApiKeys, type KeyGrant, nameOf } from "../ApiKeys.ts"
import type { StoreError } from "../StoreError.ts"
import type * as OwnSchema from "./OwnSchema.ts"
import type { Pools } from "./Pool.ts"
import * as Values from "./Values.ts"

const findByHash = `SELECT name, operator, empty FROM daybook.api_key WHERE hash = $1`
const selectAll = `SELECT name, operator, empty FROM daybook.api_key ORDER BY name`
const insert = `INSERT INTO daybook.api_key (name, hash, operator, empty) VALUES ($1, $2, $3, $4)
  ON CONFLICT (name) DO NOTHING RETURNING name`
const deleteByName = `DELETE FROM daybook.api_key WHERE name = $1 RETURNING name`

type Row = readonly [name: string, operator: boolean, empty: KeyGrant["empty"]]

const grantOf = ([name, operator, empty]: Row): KeyGrant => ({ name, operator, empty })

const digest = (key: string): Uint8Array => hash("sha256", key, "buffer")

/** The keys of a database. */
export const make = (pools: Pools, own: OwnSchema.OwnSchema): ApiKeys => {
  const { reading, writing } = pools
  const { made } = own
  return {
    ready: Effect.andThen(made, Effect.asVoid(reading.rows(`${selectAll} LIMIT 1`, []))),
    find: (key) =>
      Effect.andThen(
        made,
        Effect.map(reading.rows<Row>(findByHash, [Values.bytes(digest(Redacted.value(key)))]), ([row]) =>
          row === undefined ? null : grantOf(row),
        ),
      ),
    add: Effect.fn("ApiKeys.add")(function* (grant): Effect.fn.Return<Redacted.Redacted<string> | null, StoreError> {
      const name = yield* nameOf(grant.name)
      const key = `dbk_${randomBytes(32).toString("base64url")}`
      yield* made
      const added = yield* writing.rows(insert, [
        ...[Values.text(name), Values.bytes(digest(key)), Values.bool(grant.operator), Values.text(grant.empty)],
      ])
      return added.length === 0 ? null : Redacted.make(key, { label: "apiKey" })
    }),
    revoke: (name) =>
      Effect.andThen(
        made,
        Effect.map(writing.rows(deleteByName, [Values.text(name.trim())]), (gone) => gone.length > 0),
      ),
    list: Effect.flatMap(own.exists, (exists) =>
      exists ? Effect.map(reading.rows<Row>(selectAll, []), (rows) => rows.map(grantOf)) : Effect.succeed([]),
    ),
  }
}
