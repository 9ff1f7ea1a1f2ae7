import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Connection from "../../../src/store/sqlite/Connection.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

const notes = Effect.gen(function* () {
  const file = join(yield* temporaryFolder, "notes.sqlite")
  const connection = yield* Connection.connect({ file, readOnly: false })
  connection.scriptUnsafe("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
  return { file, connection, client: yield* Connection.make(connection) }
})

const insert = "INSERT INTO note (text) VALUES (?)"
const texts = (connection: Connection.Connection) =>
  connection.rowsUnsafe<{ readonly text: string }>("SELECT text FROM note ORDER BY id", []).map((row) => row.text)

describe("Connection", () => {
  describe("make", () => {
    it.effect("make: runs statements of effect/sql, as rows and as values", () =>
      Effect.gen(function* () {
        const { client: sql } = yield* notes
        yield* sql`INSERT INTO note ${sql.insert([{ text: "a" }, { text: "b" }])}`

        expect(yield* sql`SELECT text FROM note WHERE ${sql.in("text", ["a", "b"])}`).toEqual([
          { text: "a" },
          { text: "b" },
        ])
        expect(yield* sql`SELECT id, text FROM note`.values).toEqual([
          [1, "a"],
          [2, "b"],
        ])
        const clash = yield* Effect.flip(sql`INSERT INTO note (id, text) VALUES (1, 'c')`)
        expect(clash.reason._tag).toBe("ConstraintError")
      }),
    )
  })

  describe("transaction", () => {
    it.effect("transaction: commits on success, rolls back on failure and interruption", () =>
      Effect.gen(function* () {
        const { client, connection } = yield* notes
        const write = (text: string) => connection.attempt(() => connection.rowsUnsafe(insert, [text]))
        const transaction = <A, E>(work: Effect.Effect<A, E>) => Connection.transaction(connection, client, work)

        yield* transaction(write("kept"))
        const failure = yield* Effect.flip(transaction(Effect.andThen(write("failed"), Effect.fail("stop" as const))))
        const fiber = yield* Effect.forkChild(transaction(Effect.andThen(write("interrupted"), Effect.never)))
        yield* Effect.yieldNow
        const during = texts(connection)
        yield* Fiber.interrupt(fiber)

        expect(failure).toBe("stop")
        expect(during).toEqual(["kept", "interrupted"])
        expect(texts(connection)).toEqual(["kept"])
        expect(connection.isTransaction()).toBe(false)
      }),
    )

    it.effect("transaction: runs one transaction at a time", () =>
      Effect.gen(function* () {
        const { client, connection } = yield* notes
        const twice = (text: string) =>
          Connection.transaction(
            connection,
            client,
            Effect.gen(function* () {
              connection.rowsUnsafe(insert, [text])
              yield* Effect.yieldNow
              connection.rowsUnsafe(insert, [text])
            }),
          )

        yield* Effect.all([twice("a"), twice("b"), twice("c")], { concurrency: 3 })

        expect(texts(connection)).toEqual(["a", "a", "b", "b", "c", "c"])
      }),
    )
  })

  describe("errors", () => {
    it.effect("a full disk is reported as retryable, and keeps the committed rows", () =>
      Effect.gen(function* () {
        const { client, connection } = yield* notes
        const write = (text: string) =>
          Connection.transaction(
            connection,
            client,
            connection.attempt(() => connection.manyUnsafe(insert, [["small"], [text]])),
          )
        connection.scriptUnsafe("PRAGMA max_page_count = 4")

        const error = yield* Effect.flip(write("x".repeat(200_000)))
        const kept = texts(connection)
        connection.scriptUnsafe("PRAGMA max_page_count = 100")
        yield* write("x".repeat(200_000))

        expect(error).toMatchObject({
          _tag: "StoreError",
          message: "Disk full at database: notes.sqlite. Free some space.",
          isRetryable: true,
        })
        expect(kept).toEqual([])
        expect(texts(connection)).toHaveLength(2)
      }),
    )

    it.effect("a lock held by another connection is reported as retryable", () =>
      Effect.gen(function* () {
        const { client, connection, file } = yield* notes
        const other = yield* Connection.connect({ file, readOnly: false })
        connection.scriptUnsafe("PRAGMA busy_timeout = 0")
        const write = Connection.transaction(
          connection,
          client,
          connection.attempt(() => connection.rowsUnsafe(insert, ["late"])),
        )
        other.scriptUnsafe("BEGIN IMMEDIATE")

        const error = yield* Effect.flip(write)
        other.scriptUnsafe("COMMIT")
        yield* write

        expect(error).toMatchObject({
          message: "Database locked by another process: notes.sqlite. Try again.",
          isRetryable: true,
        })
        expect(texts(connection)).toEqual(["late"])
      }),
    )

    it.effect("an operating system error outside SQLite is reported with its reason", () =>
      Effect.gen(function* () {
        const { file } = yield* notes
        const connection = yield* Connection.connect({ file, readOnly: true })
        const error = yield* Effect.flip(connection.attempt(() => readFileSync(`${file}/none`)))

        expect(error.message).toBe("Database failed: notes.sqlite (ENOTDIR, not a folder).")
      }),
    )

    it.effect("a write by a reader and a missing file are reported", () =>
      Effect.gen(function* () {
        const { file } = yield* notes
        const reader = yield* Connection.connect({ file, readOnly: true })

        const write = yield* Effect.flip(reader.attempt(() => reader.rowsUnsafe(insert, ["a"])))
        const missing = yield* Effect.flip(
          Effect.scoped(Connection.connect({ file: join(file, "..", "none.sqlite"), readOnly: true })),
        )

        expect(write).toMatchObject({
          message: "Database read-only: notes.sqlite. Check the permissions of the file and its folder.",
          isRetryable: false,
        })
        const none = join(file, "..", "none.sqlite")
        expect(missing.message).toBe(
          `Cannot read database: ${none} (ENOENT, no such file or folder). Check the path and its permissions.`,
        )
      }),
    )
  })
})
