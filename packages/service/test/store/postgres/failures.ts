/** Tests of server failures. */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Redacted } from "effect"
import * as Engine from "../../../src/store/Engine.ts"
import * as Pool from "../../../src/store/postgres/Pool.ts"
import { chainOn, refOf, wallets } from "../model.ts"
import { all, bodiesOf, pageBodies, ref } from "../TestDatabase.ts"
import * as TestStore from "../TestStore.ts"
import * as TestServer from "./TestServer.ts"

/** Errors of the first read and the first write of a database. */
const errorsOf = (url: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const database = yield* Engine.fromUrl(url, "/nowhere")
      const read = yield* Effect.flip(database.chain(ref).reader.headers(0, 9))
      const write = yield* Effect.flip(Effect.scoped(database.chain(ref).writer()))
      return [read, write].map(({ isRetryable, message }) => ({ isRetryable, message }))
    }),
  )

/** Registers the tests of failures on a server. */
export const failures = (server: () => string): void => {
  const opened = Effect.gen(function* () {
    const { rows, url } = yield* TestServer.database(server())
    const name = `127.0.0.1:${new URL(url).port}${new URL(url).pathname}`
    return { rows, url, name, store: yield* TestStore.open(yield* TestServer.connect(url), ref) }
  })

  describe("fromUrl", () => {
    it.effect(
      "fromUrl: rejects a URL without a host or a database, or with an unescaped slash in it, and does not show it",
      () =>
        Effect.gen(function* () {
          for (const url of [
            "postgres:",
            "postgres://",
            "postgres://u:s3cret@h",
            "postgresql:///name",
            "postgres:name",
            "postgres://u:/s3cret@h/name",
            "postgres://u:12/s3cret@h/name",
            "postgres:u:s3cret@h/name?host=h",
          ]) {
            const exit = yield* Effect.exit(Engine.fromUrl(url, "/nowhere"))

            const shown = exit._tag === "Failure" ? Cause.pretty(exit.cause) : ""
            expect(shown).toContain('expected a PostgreSQL URL, for example "postgres://user:password@host/name"')
            expect(shown).not.toContain("s3cret")
          }
        }),
    )
  })

  describe("errors", () => {
    it.live("a server that does not listen is retryable, and neither message nor cause shows the password", () =>
      Effect.gen(function* () {
        const [read, write] = yield* errorsOf("postgres://daybook:s3cret@127.0.0.1:1/daybook")
        const database = yield* Engine.fromUrl("postgres://daybook:s3cret@127.0.0.1:1/daybook", "/nowhere")
        const exit = yield* Effect.exit(database.chain(ref).reader.headers(0, 9))

        const message =
          "Database unreachable: 127.0.0.1:1/daybook. Check that PostgreSQL runs and accepts connections from this machine."
        expect([read, write]).toEqual([
          { isRetryable: true, message },
          { isRetryable: true, message },
        ])
        expect(exit._tag === "Failure" && Cause.pretty(exit.cause)).not.toContain("s3cret")
      }),
    )

    it.live("a database or a user that does not exist is not retryable", () =>
      Effect.gen(function* () {
        const { port } = new URL(server())
        const [missing] = yield* errorsOf(`postgres://postgres@127.0.0.1:${port}/nothing`)
        const [user] = yield* errorsOf(`postgres://unknown@127.0.0.1:${port}/postgres`)

        expect(missing).toEqual({
          isRetryable: false,
          message: `Database missing: 127.0.0.1:${port}/nothing (SQLSTATE 3D000). Create it, or correct its name.`,
        })
        expect(user).toEqual({
          isRetryable: false,
          message: `Database refused the login: 127.0.0.1:${port}/postgres (SQLSTATE 28000). Correct the user and password of "database".`,
        })
      }),
    )

    it.live(
      "a schema that the indexer creates later is retryable; one of another program, version or chain is not",
      () =>
        Effect.gen(function* () {
          const { name, rows, url } = yield* opened
          const changed = (sql: string) => Effect.andThen(rows(sql), errorsOf(url))
          yield* rows("ALTER SCHEMA daybook_test RENAME TO kept")
          const database = yield* TestServer.connect(url)
          const absent = yield* Effect.flip(database.chain(ref).reader.headers(0, 9))
          yield* rows("CREATE SCHEMA daybook_test")
          const [other] = yield* changed("CREATE TABLE daybook_test.song (title text)")
          yield* rows("DROP SCHEMA daybook_test CASCADE")
          yield* rows("ALTER SCHEMA kept RENAME TO daybook_test")
          const newer = yield* changed("UPDATE daybook_test.daybook_version SET version = 99")
          yield* rows("UPDATE daybook_test.daybook_version SET version = 9")
          const wrong = yield* Effect.flip(
            database.chain({ ...ref, id: 5 }).reader.snapshot((snapshot) => snapshot.checkpoint),
          )

          expect([absent.message, absent.isRetryable]).toEqual([
            `Database schema missing: daybook_test of ${name}. The indexer of its chain creates it when it starts.`,
            true,
          ])
          expect(other).toEqual({
            isRetryable: false,
            message: `Database schema of another program: daybook_test of ${name}. Drop it, or name another database.`,
          })
          const message = `Database of a newer version: daybook_test of ${name} has schema version 99, this version supports 9. Run the newer version.`
          expect(newer).toEqual([
            { isRetryable: false, message },
            { isRetryable: false, message },
          ])
          expect(wrong.message).toBe(
            `Wrong chain in database schema daybook_test of ${name}: expected chain 5, found chain 31337. Correct the chain's id, or drop the schema.`,
          )
        }),
    )

    it.live("a user without CREATE on the database needs only the schemas that it owns", () =>
      Effect.gen(function* () {
        const { rows, url } = yield* TestServer.database(server())
        const userUrl = new URL(url)
        const user = `reader_${userUrl.pathname.slice(1)}`
        yield* rows(`CREATE ROLE ${user} LOGIN PASSWORD 'secret'`)
        yield* Effect.addFinalizer(() => Effect.andThen(rows(`DROP OWNED BY ${user}`), rows(`DROP ROLE ${user}`)))
        for (const schema of ["daybook", "daybook_test"]) {
          yield* rows(`DROP SCHEMA ${schema} CASCADE`)
          yield* rows(`CREATE SCHEMA ${schema} AUTHORIZATION ${user}`)
        }
        Object.assign(userUrl, { username: user, password: "secret" })
        const database = yield* TestServer.connect(userUrl.href)
        yield* database.apiKeys.add({ name: "me", operator: false, empty: null })
        const store = yield* TestStore.open(database, ref)
        yield* store.append(null, chainOn(null, 2))
        const other = yield* Effect.flip(TestStore.open(database, { name: "base", id: 8453 }))

        expect((yield* store.headers(0, 1_000_000)).length).toBe(2)
        expect(other.message).toContain("Database permission missing")
      }).pipe(Effect.scoped),
    )

    it.live("a schema of an earlier version keeps its rows, and is migrated when the indexer opens it", () =>
      Effect.gen(function* () {
        const { rows, store, url } = yield* opened
        const blocks = chainOn(null, 3)
        yield* store.append(null, blocks)
        const before = yield* pageBodies(store)
        const [address = ""] = wallets
        const token = { name: "Gold", symbol: "GLD", decimals: 18, block: 11 }
        const proofs = yield* store.database.chain(ref).proofs
        const first = { number: blocks[0]!.number, parentHash: blocks[0]!.parentHash }
        expect(yield* proofs.writeTokens(first, new Map([[address, token]]), 12)).toBe(true)
        yield* rows("DROP INDEX daybook_test.token_symbol, daybook_test.token_name, daybook_test.gap_trace")
        yield* rows("UPDATE daybook_test.daybook_version SET version = 7")
        const database = yield* TestServer.connect(url)
        const older = yield* Effect.flip(database.chain(ref).reader.headers(0, 99))
        const migrated = yield* TestStore.open(database, ref)

        expect(older.message).toContain("has schema version 7, this version needs 9. The indexer migrates it")
        expect(yield* pageBodies(migrated)).toEqual(before)
        const indexes = yield* rows("SELECT indexname FROM pg_indexes WHERE indexname LIKE 'token\\_%' ORDER BY 1")
        expect(indexes.map((row) => Object.values(row)[0])).toEqual([
          "token_name",
          "token_pkey",
          "token_progress_pkey",
          "token_symbol",
        ])
        expect(yield* migrated.snapshot((one) => one.findTokens("gl", 1))).toEqual(new Map([[address, token]]))
        expect(yield* rows("SELECT indexname FROM pg_indexes WHERE indexname = 'gap_trace'")).toHaveLength(1)
      }),
    )

    it.live("a schema from before the first release is rejected with what to do, and left unchanged", () =>
      Effect.gen(function* () {
        const { name, rows, url } = yield* opened
        yield* rows("UPDATE daybook_test.daybook_version SET version = 4")
        const [reading, writing] = yield* errorsOf(url)
        yield* (yield* TestServer.connect(url)).migrate([ref])

        const message = `Database of an unreleased version: daybook_test of ${name} has schema version 4, this version needs 7 or later. Nothing was deleted. Stop the service, drop the schema or name another database, and start the service again: it creates what it needs.`
        expect([reading, writing]).toEqual([
          { isRetryable: false, message },
          { isRetryable: false, message },
        ])
        expect(yield* rows("SELECT version FROM daybook_test.daybook_version")).toEqual([{ version: 4 }])
      }),
    )

    it.live("append-only tables are vacuumed after a fixed number of rows, however large they are", () =>
      Effect.gen(function* () {
        const { rows } = yield* opened
        const found = yield* rows(
          "SELECT relname::text AS name, array_to_string(reloptions, ', ') AS options FROM pg_class WHERE relnamespace = 'daybook_test'::regnamespace AND reloptions::text LIKE '%insert%' ORDER BY 1",
        )

        const options = "autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=2000000"
        expect(found).toEqual([
          { name: "appearance", options },
          { name: "block", options },
          { name: "document", options: `toast_tuple_target=8160, ${options}` },
          { name: "facts", options },
          { name: "ledger", options },
          { name: "ledger_block", options },
        ])
      }),
    )

    it.live("a write that waits too long for its process is ended, and is retryable", () =>
      Effect.gen(function* () {
        const { name, rows, url } = yield* opened
        const { writing } = yield* Pool.make(name, Redacted.make(url))
        const isGone = (pid: number): Effect.Effect<void> =>
          Effect.flatMap(rows(`SELECT 1 FROM pg_stat_activity WHERE pid = ${pid}`), ({ length }) =>
            length === 0 ? Effect.void : isGone(pid),
          )
        const bound = `SELECT pg_backend_pid(), current_setting('idle_in_transaction_session_timeout')`
        const [[pid, millis] = [0, ""]] = yield* writing.transaction((session) =>
          session.rows<readonly [pid: number, millis: string]>(bound, []),
        )
        const lost = yield* Effect.flip(
          writing.transaction((session) =>
            Effect.gen(function* () {
              yield* session.rows("SET LOCAL idle_in_transaction_session_timeout = 1", [])
              yield* isGone(pid)
              return yield* session.rows(bound, [])
            }),
          ),
        )

        expect(millis).toBe("1min")
        expect(lost.isRetryable).toBe(true)
        expect(lost.message).toContain(`Database transaction ended because it waited too long: ${name}`)
      }),
    )

    it.live("a connection that the server ends during a statement is lost, not an unreachable server", () =>
      Effect.gen(function* () {
        const { name, url } = yield* opened
        const { reading } = yield* Pool.make(name, Redacted.make(url))
        const { isRetryable, message } = yield* Effect.flip(
          reading.rows("SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(60)", []),
        )

        expect(isRetryable).toBe(true)
        expect(message).toContain(`Connection to the database lost: ${name}. See its log, and that of any pooler`)
      }),
    )

    it.live("a database whose encoding lacks characters of names is rejected before anything is stored", () =>
      Effect.gen(function* () {
        const { rows, url } = yield* TestServer.database(server())
        const name = `${new URL(url).pathname.slice(1)}_latin`
        yield* rows(`CREATE DATABASE ${name} ENCODING LATIN1 LOCALE 'C' TEMPLATE template0`)
        yield* Effect.addFinalizer(() => rows(`DROP DATABASE ${name} WITH (FORCE)`))
        const database = yield* TestServer.connect(url.replace(/[^/]*$/, name))
        const { isRetryable, message } = yield* Effect.flip(TestStore.open(database, ref))

        expect(isRetryable).toBe(false)
        expect(message).toContain(`/${name} has LATIN1. Create one with the encoding UTF8`)
      }).pipe(Effect.scoped),
    )

    it.live(
      "a statement that the server rolled back in favour of another is repeated, with serializable transactions",
      () =>
        Effect.gen(function* () {
          const { rows, url } = yield* TestServer.database(server())
          yield* rows(
            `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_isolation TO serializable`,
          )
          const { apiKeys } = yield* TestServer.connect(url)
          yield* apiKeys.add({ name: "one", operator: false, empty: null })
          // Each transaction waits for the previous one and is then rolled back.
          yield* rows(
            "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END'",
          )
          yield* rows("CREATE TRIGGER slow BEFORE UPDATE ON daybook.api_key FOR EACH ROW EXECUTE FUNCTION slow()")
          yield* Effect.forEach([1, 2, 3, 4], (at) => apiKeys.use("one", at), { concurrency: "unbounded" })

          expect((yield* apiKeys.list).map(({ lastUsed }) => lastUsed)).toEqual([4])
        }),
    )

    it.live("a server that ends its connections is reconnected by the next read and write", () =>
      Effect.gen(function* () {
        const { rows, store } = yield* opened
        const blocks = chainOn(null, 2)
        yield* store.append(null, blocks.slice(0, 1))
        yield* pageBodies(store)
        const end = rows(
          "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'daybook' AND datname = current_database()",
        )
        const during = store.snapshot((snapshot) =>
          Effect.andThen(end, snapshot.page({ id: "", kind: "appearances" }, all)),
        )

        const lost = yield* Effect.flip(during)
        yield* store.append(refOf(blocks[0]!), blocks.slice(1))

        expect(lost.isRetryable).toBe(true)
        expect(yield* pageBodies(store)).toEqual(bodiesOf(blocks))
      }),
    )
  })

  describe("features of PostgreSQL's own tools", () => {
    it.live("backup, restore, space: are rejected, and the error names the PostgreSQL tool", () =>
      Effect.gen(function* () {
        const { name, store } = yield* opened
        const { backup, chain, restore } = store.database
        const { release, use } = chain(ref).space
        const refused = yield* Effect.forEach(
          [backup([ref], "/nowhere"), restore([ref], "/nowhere"), use, release(1)],
          (call) => Effect.flip(Effect.asVoid(call)),
        )

        const space = `Database managed by PostgreSQL: daybook_test of ${name}. Its autovacuum reuses free space; use VACUUM FULL or pg_repack to return it to the disk.`
        expect(refused.map(({ isRetryable, message }) => [message, isRetryable])).toEqual([
          [`Database managed by PostgreSQL: ${name}. Back it up with pgBackRest or pg_dump.`, false],
          [
            `Database managed by PostgreSQL: ${name}. Restore it with pgBackRest or pg_restore, or index the chains again.`,
            false,
          ],
          ...[space, space].map((message) => [message, false]),
        ])
      }),
    )
  })
}
