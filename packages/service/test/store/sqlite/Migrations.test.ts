/** Files are migrated step by step without loss, and those from before the first release are rejected unchanged. */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { expect } from "vitest"
import * as Reindex from "../../../src/maintenance/Reindex.ts"
import * as Verify from "../../../src/maintenance/Verify.ts"
import * as Status from "../../../src/server/monitoring/Status.ts"
import * as Engine from "../../../src/store/Engine.ts"
import * as ChainSchema from "../../../src/store/sqlite/ChainSchema.ts"
import * as TestStore from "../TestStore.ts"
import { chainOn, refOf } from "../model.ts"
import { bodiesOf, pageBodies, ref } from "../TestDatabase.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

const { firstVersion, steps } = ChainSchema.schema
const newest = firstVersion + steps.length - 1
const databaseOf = (file: string) => Engine.fromUrl(`sqlite:${dirname(file)}`, "/")
const address = `0x${"7".repeat(40)}`

const withDatabase = <A>(file: string, use: (database: DatabaseSync) => A): A => {
  const database = new DatabaseSync(file)
  try {
    return use(database)
  } finally {
    database.close()
  }
}

const versionOf = (file: string) =>
  withDatabase(file, (database) => database.prepare("PRAGMA user_version").get()!["user_version"])

/** A file of the first version with three blocks, and a token that no index contains yet. */
const firstFile = Effect.gen(function* () {
  const file = join(yield* temporaryFolder, "chain-test.sqlite")
  const blocks = chainOn(null, 3)
  yield* Effect.scoped(
    Effect.gen(function* () {
      const store = yield* TestStore.inFolder(dirname(file), ref)
      yield* store.append(null, blocks)
      const proofs = yield* store.database.chain(ref).proofs
      const token = { name: "Gold", symbol: "GLD", decimals: 18, block: 11 }
      const first = { number: blocks[0]!.number, parentHash: blocks[0]!.parentHash }
      expect(yield* proofs.writeTokens(first, new Map([[address, token]]), 12)).toBe(true)
    }),
  )
  withDatabase(file, (database) => {
    const before = (
      table: string,
      columns: string,
      key: string,
    ) => `CREATE TABLE ${table}_first (${columns}, PRIMARY KEY (${key}, id)) WITHOUT ROWID;
      INSERT INTO ${table}_first SELECT * FROM (SELECT ${columns.replaceAll(/ \w+ NOT NULL/g, "")} FROM ${table});
      DROP TABLE ${table};
      ALTER TABLE ${table}_first RENAME TO ${table};`
    const histories = ["history", "history_copy"].map((table) =>
      before(table, "key BLOB NOT NULL, id INTEGER NOT NULL", "key"),
    )
    const ledger = before(
      "ledger",
      "wallet BLOB NOT NULL, id INTEGER NOT NULL, body BLOB NOT NULL, checksum INTEGER NOT NULL",
      "wallet",
    )
    database.exec([...histories, ledger, "DROP TABLE key_range"].join(";"))
    database.exec(
      `DROP INDEX token_symbol; DROP INDEX token_name; DROP INDEX gap_trace; PRAGMA user_version=${firstVersion}`,
    )
  })
  return { file, blocks }
})

describe("a file of an earlier version", () => {
  it.effect("a writer migrates it and keeps every row", () =>
    Effect.gen(function* () {
      const { blocks, file } = yield* firstFile
      const store = yield* TestStore.inFolder(dirname(file), ref)
      const next = chainOn(blocks.at(-1)!, 2)
      yield* store.append(refOf(blocks.at(-1)!), next)

      expect(versionOf(file)).toBe(newest)
      expect(yield* pageBodies(store)).toEqual(bodiesOf([...blocks, ...next]))
      const found = yield* store.snapshot((snapshot) => snapshot.findTokens("gl", 1))
      expect([...found.keys()]).toEqual([address])
      expect((yield* Verify.run(store.database.chain(ref).audit)).orphaned).toEqual([])
    }),
  )

  it.effect(
    "an empty file, as a full disk leaves one, is filled by a restore, and is not an earlier version for a reader",
    () =>
      Effect.gen(function* () {
        const blocks = chainOn(null, 3)
        const [base, copies] = [yield* temporaryFolder, yield* temporaryFolder]
        const store = yield* TestStore.inFolder(base, ref)
        yield* store.append(null, blocks)
        yield* store.database.backup([ref], copies)
        const fresh = yield* temporaryFolder
        writeFileSync(join(fresh, "chain-test.sqlite"), "")
        const database = yield* Engine.fromUrl(`sqlite:${fresh}`, "/")
        const { reader } = database.chain(ref)
        const refused = yield* Effect.flip(reader.snapshot((snapshot) => snapshot.checkpoint))
        yield* database.restore([ref], copies)

        expect([refused.message, refused.migration, refused.isRetryable]).toEqual([
          "Database file empty: chain-test.sqlite. The service fills it when it starts.",
          undefined,
          true,
        ])
        expect(yield* pageBodies(yield* TestStore.inFolder(fresh, ref))).toEqual(bodiesOf(blocks))
      }),
  )

  it.effect("restore: rejects it with what to do, and leaves it unchanged", () =>
    Effect.gen(function* () {
      const { file } = yield* firstFile
      const database = yield* Engine.fromUrl("sqlite:fresh", yield* temporaryFolder)
      const { message } = yield* Effect.flip(database.restore([ref], dirname(file)))

      expect(message).toBe(
        `Database of an older version: chain-test.sqlite has schema ${firstVersion}, this version needs ${newest}. The indexer migrates it when it starts. A restore does not migrate files: set "database" to "sqlite:${dirname(file)}" and start the service, or restore a backup of this version.`,
      )
      expect(versionOf(file)).toBe(firstVersion)
    }),
  )

  it.effect("migrate: updates it to the current version, so that readers accept it, and skips a missing one", () =>
    Effect.gen(function* () {
      const { file } = yield* firstFile
      const database = yield* databaseOf(file)
      yield* database.migrate([ref, { name: "none", id: 1 }])

      expect(versionOf(file)).toBe(newest)
      expect((yield* database.chain(ref).reader.snapshot((snapshot) => snapshot.checkpoint))?.first).toBe(10)
    }),
  )

  it.effect("a reader rejects it with a retryable error until a writer has migrated it", () =>
    Effect.gen(function* () {
      const { file } = yield* firstFile
      const { reader } = (yield* databaseOf(file)).chain(ref)
      const error = yield* Effect.flip(reader.snapshot((snapshot) => snapshot.checkpoint))

      expect(error).toMatchObject({ _tag: "StoreError", isRetryable: true })
      expect(error.message).toContain(
        `has schema ${firstVersion}, this version needs ${newest}. The indexer migrates it when it starts.`,
      )
      yield* Effect.scoped(TestStore.inFolder(dirname(file), ref))
      expect((yield* reader.snapshot((snapshot) => snapshot.checkpoint))?.first).toBe(10)
    }),
  )

  it.effect("a migration is logged before and after", () =>
    Effect.gen(function* () {
      const { file } = yield* firstFile
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const open = Effect.scoped(TestStore.inFolder(dirname(file), ref)).pipe(Effect.provide(Logger.layer([logger])))
      yield* open
      const first = lines.splice(0)
      yield* open

      expect(first).toEqual([
        `Migrating chain-test.sqlite from schema ${firstVersion} to ${newest}`,
        "Migrated in 0.0 s",
      ])
      expect(lines).toEqual([])
    }),
  )

  it.effect("a status reports a migration that runs or is about to begin as waiting", () =>
    Effect.gen(function* () {
      const { file } = yield* firstFile
      const database = yield* databaseOf(file)
      const chain = { ...ref, reader: database.chain(ref).reader, writeIssue: database.status.writeIssue(ref) }
      const pending = yield* Status.read(chain)
      const starting = yield* Status.read(chain, { isIndexing: true })
      const writer = new DatabaseSync(file)
      writer.exec("BEGIN IMMEDIATE")
      const running = yield* Status.read(chain)
      writer.close()

      expect([pending.state, starting.state]).toEqual(["not_started", "waiting"])
      expect([running.state, running.message]).toEqual([
        "waiting",
        `The database is being migrated: chain-test.sqlite from schema ${firstVersion} to ${newest}. Its chain is served again afterwards.`,
      ])
    }),
  )
})

describe("a file from before the first release", () => {
  const message = `Database of an unreleased version: chain-test.sqlite has schema 13, this version needs ${firstVersion} or later. Nothing was deleted. Stop the service, move the file away or name another folder as "database", and start it: it indexes again.`

  it.effect("readers, writers, migrate and reindex reject it with what to do, and leave it unchanged", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      withDatabase(file, (database) => {
        database.exec("CREATE TABLE checkpoint (chain INTEGER PRIMARY KEY, layout_from INTEGER)")
        database.exec(`PRAGMA application_id=${ChainSchema.schema.applicationId}; PRAGMA user_version=13`)
      })
      const database = yield* databaseOf(file)
      const { reader } = database.chain(ref)
      const refusals = yield* Effect.all([
        Effect.flip(reader.snapshot((snapshot) => snapshot.checkpoint)),
        Effect.flip(Effect.scoped(TestStore.inFolder(dirname(file), ref))),
        Effect.flip(Reindex.run(database, { chain: ref, owner: "maintenance", from: 0, waitMillis: 0 })),
      ])
      yield* database.migrate([ref])

      for (const refusal of refusals) expect(refusal).toMatchObject({ _tag: "StoreError", isRetryable: false, message })
      const status = yield* Status.read({ ...ref, reader, writeIssue: database.status.writeIssue(ref) })
      expect(status).toMatchObject({ state: "unreadable", message })
      expect(versionOf(file)).toBe(13)
      expect(withDatabase(file, (opened) => opened.prepare("SELECT sql FROM sqlite_schema").all())).toEqual([
        { sql: "CREATE TABLE checkpoint (chain INTEGER PRIMARY KEY, layout_from INTEGER)" },
      ])
    }),
  )
})
