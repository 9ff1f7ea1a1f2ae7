import { chmodSync, copyFileSync, existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Connection from "../../../src/store/sqlite/Connection.ts"
import * as DatabaseFile from "../../../src/store/sqlite/DatabaseFile.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8)

const countOf = (connection: Connection.Connection) =>
  connection.rowsUnsafe<{ readonly n: number }>("SELECT count(*) AS n FROM t", [])[0]?.n

const write = Effect.fnUntraced(function* (file: string, rows: number) {
  const connection = yield* Connection.connect({ file, readOnly: false })
  connection.scriptUnsafe("CREATE TABLE IF NOT EXISTS t (a INTEGER)")
  connection.manyUnsafe(
    "INSERT INTO t VALUES (?)",
    Array.from({ length: rows }, (_, a) => [a]),
  )
  return connection
})

describe("DatabaseFile", () => {
  it.effect("a new file, its log and its index are accessible only to the owner", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "a.sqlite")
      yield* write(file, 1)

      expect([file, `${file}-wal`, `${file}-shm`].map(modeOf)).toEqual(["600", "600", "600"])
    }),
  )

  it.effect("the permissions of an existing file are kept", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "a.sqlite")
      yield* Effect.scoped(write(file, 1))
      chmodSync(file, 0o640)
      yield* Effect.scoped(write(file, 1))

      expect(modeOf(file)).toBe("640")
    }),
  )

  it.effect("after a writer was closed, a copy of the file alone is complete, even if readers have it open", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "a.sqlite")
      const copy = join(folder, "copy.sqlite")
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* write(file, 3)
          const reader = Connection.connectUnsafe({ file, readOnly: true })
          expect(countOf(reader)).toBe(3)
        }),
      )
      expect(existsSync(`${file}-wal`)).toBe(true)

      copyFileSync(file, copy)

      expect(DatabaseFile.hasNoLog(file)).toBe(true)
      expect(countOf(yield* Connection.connect({ file: copy, readOnly: true }))).toBe(3)
    }),
  )
})
