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
    it.effect("runs statements of effect/sql, as rows and as values, and keeps long statements apart", () =>
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
    it.effect("commits what succeeds, and rolls back what fails or is interrupted", () =>
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

    it.effect("lets one transaction at a time write", () =>
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
    it.effect("say that the disk is full, keep what was there, and pass when there is room", () =>
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
          message: "The database notes.sqlite cannot grow: the disk is full; free some space.",
          isRetryable: true,
        })
        expect(kept).toEqual([])
        expect(texts(connection)).toHaveLength(2)
      }),
    )

    it.effect("say that another connection holds the lock, and pass when it is gone", () =>
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
          message: "The database notes.sqlite is locked by another process; try again.",
          isRetryable: true,
        })
        expect(texts(connection)).toEqual(["late"])
      }),
    )

    it.effect("say that a reader may not write, and that a file is not there", () =>
      Effect.gen(function* () {
        const { file } = yield* notes
        const reader = yield* Connection.connect({ file, readOnly: true })

        const write = yield* Effect.flip(reader.attempt(() => reader.rowsUnsafe(insert, ["a"])))
        const missing = yield* Effect.flip(
          Effect.scoped(Connection.connect({ file: join(file, "..", "none.sqlite"), readOnly: true })),
        )

        expect(write).toMatchObject({
          message: "The database notes.sqlite is read-only; check the permissions of the file and its folder.",
          isRetryable: false,
        })
        const none = join(file, "..", "none.sqlite")
        expect(missing.message).toBe(`The database ${none} cannot be read (ENOENT, no such file or folder).`)
      }),
    )
  })
})
