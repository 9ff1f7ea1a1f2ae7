import { statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Connection from "../../../src/store/sqlite/Connection.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

const mebibyte = 2 ** 20

interface Log {
  readonly log: number
  readonly checkpointed: number
}

const notesIn = Effect.fnUntraced(function* (folder: string) {
  const file = join(folder, "notes.sqlite")
  const connection = yield* Connection.connect({ file, readOnly: false, hasLogThread: true })
  connection.scriptUnsafe("CREATE TABLE note (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
  const client = yield* Connection.make(connection)
  const write = (bytes: number) =>
    Connection.transaction(
      connection,
      client,
      connection.attempt(() => connection.rowsUnsafe("INSERT INTO note (body) VALUES (zeroblob(?))", [bytes])),
    )
  const log = () => connection.rowsUnsafe<Log>("PRAGMA wal_checkpoint(NOOP)", [])[0]!
  return { file, write, log }
})
const notes = Effect.flatMap(temporaryFolder, notesIn)

/** Waits for the thread without a write; the test's time limit ends a wait in vain. */
const writtenBack = (log: () => Log) =>
  Effect.gen(function* () {
    while (log().checkpointed < log().log) yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
  })

/** Writes until a write has restarted the log: the thread may be using it, and no write waits for it. */
const begunAnew = (log: () => Log, write: (bytes: number) => Effect.Effect<void, unknown>) =>
  Effect.gen(function* () {
    do {
      yield* write(1)
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
    } while (log().log >= 10)
  })

describe("WriteAheadLog", () => {
  it.live("a long log is checkpointed while nothing is written, and the next write restarts it", () =>
    Effect.gen(function* () {
      const { log, write } = yield* notes
      yield* write(20 * mebibyte)
      const written = log()
      yield* writtenBack(log)
      yield* begunAnew(log, write)

      expect(written.log).toBeGreaterThan(1024)
    }),
  )

  it.live("a short log remains unchanged", () =>
    Effect.gen(function* () {
      const { log, write } = yield* notes
      yield* write(mebibyte)

      expect(log().checkpointed).toBe(0)
      expect(log().log).toBeGreaterThan(60)
    }),
  )

  it.live("writes bound a log that the thread cannot checkpoint, once its reader has ended", () =>
    Effect.gen(function* () {
      const { file, log, write } = yield* notes
      const reader = new DatabaseSync(file, { readOnly: true })
      yield* write(mebibyte)
      reader.exec("BEGIN; SELECT count(*) FROM note")
      for (let index = 0; index < 17; index++) yield* write(10 * mebibyte)
      const held = log()
      reader.exec("COMMIT")
      reader.close()
      yield* begunAnew(log, write)

      expect(held.log).toBeGreaterThan(10_240)
      expect(held.checkpointed).toBeLessThan(100)
    }),
  )

  it.live("after closing, the file alone is complete", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { file } = yield* Effect.scoped(Effect.tap(notesIn(folder), ({ write }) => write(20 * mebibyte)))

      expect(statSync(`${file}-wal`, { throwIfNoEntry: false })).toBeUndefined()
    }),
  )
})
