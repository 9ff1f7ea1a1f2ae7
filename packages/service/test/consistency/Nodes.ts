/**
 * Simulates nodes of a database that share no snapshot, such as Citus nodes, on one server. Each statement on a distributed table reads
 * the newest state of the primary, or the state of a lagging standby, regardless of its snapshot.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import type { Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import * as Engine from "../../src/store/Engine.ts"
import * as Issue from "../../src/store/postgres/Issue.ts"
import * as Marks from "../../src/store/postgres/Marks.ts"
import * as Migrations from "../../src/store/postgres/Migrations.ts"
import * as Values from "../../src/store/postgres/Values.ts"
import { seeded } from "../store/model.ts"
import { ref } from "../store/TestDatabase.ts"
import type { Edit } from "./Edit.ts"

/** Edits of the engine, which make its snapshots read through `install`. */
export const edits: ReadonlyArray<Edit> = [
  {
    file: "store/postgres/Marks.ts",
    from: "const read = session.rows<Row>(sql, [...params, Values.big(serial)])",
    to: "const read = globalThis.daybookNode?.(chain, sql, [...params, Values.big(serial)]) ?? session.rows<Row>(sql, [...params, Values.big(serial)])",
  },
]

/** One in this number of statements runs on a standby. */
const ofStandby = 2
/** Delays before a statement. */
const pauses = [0, 0, 0, 2, 10] as const

const clientOf = (url: string) =>
  PgClient.make({ url: Redacted.make(url), maxConnections: 10, types: Values.types() }).pipe(
    Effect.provide(Reactivity.layer),
    Effect.orDie,
  )

/** Creates the test chain in an empty database as on Citus, but on one server. */
export const distribute = Effect.fnUntraced(function* (url: string) {
  const database = yield* Effect.orDie(Engine.fromUrl(url, "/"))
  yield* Effect.orDie(Effect.scoped(database.chain(ref).writer()))
  const client = yield* clientOf(url)
  const schema = Migrations.quoted(`daybook_${ref.name}`)
  const statements = [...Marks.make(schema), `UPDATE ${schema}.checkpoint SET distributed = true`]
  yield* Effect.forEach(statements, (sql) => Effect.orDie(client.unsafe(sql).unprepared), { discard: true })
}, Effect.scoped)

/** Makes the statements of snapshots read the state of a primary or its standby at random, by a seed. */
export const install = Effect.fnUntraced(function* (
  primary: string,
  standby: string,
  seed: number,
): Effect.fn.Return<void, never, Scope.Scope> {
  const [newest, lagging] = [yield* clientOf(primary), yield* clientOf(standby)]
  const numbers = seeded(seed)
  Object.assign(globalThis, {
    daybookNode: (
      { distributed }: { readonly distributed: { readonly proved: ReadonlySet<string> } },
      sql: string,
      params: ReadonlyArray<Values.Value>,
    ) => {
      if (!distributed.proved.has(sql)) return undefined
      const client = numbers.below(ofStandby) === 0 ? lagging : newest
      const read = Effect.andThen(Effect.sleep(numbers.pick(pauses)), client.unsafe(sql, params).values)
      return Effect.mapError(read, (error) => Issue.toStoreError("nodes", error))
    },
  })
})
