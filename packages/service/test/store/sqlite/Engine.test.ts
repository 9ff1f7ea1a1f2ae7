import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Statements from "../../../src/store/sqlite/Statements.ts"
import * as DocumentStatements from "../../../src/store/sqlite/DocumentStatements.ts"
import type { ChainReader } from "../../../src/store/ChainReader.ts"
import * as ChainFile from "../../../src/store/sqlite/ChainFile.ts"
import * as ChainWriter from "../../../src/store/sqlite/ChainWriter.ts"
import * as Engine from "../../../src/store/Engine.ts"
import { backupContract } from "../backupContract.ts"
import { contract } from "../contract.ts"
import { blockOn, chainOn, refOf } from "../model.ts"
import { all, pageBodies, ref } from "../TestDatabase.ts"
import * as TestStore from "../TestStore.ts"
import { dumpOf } from "./dumpOf.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

const temporaryFile = Effect.map(temporaryFolder, (folder) => join(folder, "chain-test.sqlite"))

const withDatabase = <A>(file: string, use: (database: DatabaseSync) => A): A => {
  const database = new DatabaseSync(file)
  try {
    return use(database)
  } finally {
    database.close()
  }
}

const open = (file: string) => TestStore.inFolder(dirname(file), ref)
const readerOf = (file: string) =>
  Effect.map(Engine.fromUrl(`sqlite:${dirname(file)}`, "/"), (database) => database.chain(ref).reader)
const openOnce = (file: string) => Effect.scoped(Effect.asVoid(open(file)))
const checkpointOf = (reader: ChainReader) => reader.snapshot((snapshot) => snapshot.checkpoint)

const emptyDatabase = Effect.map(temporaryFile, (file) => ({
  connect: Engine.fromUrl(`sqlite:${dirname(file)}`, "/", { rangeEntries: 5 }),
  setClock: TestClock.setTime,
  restore: (folder: string) => Engine.fromUrl(`sqlite:${folder}`, "/"),
  dump: Effect.sync(() => dumpOf(file)),
}))

contract("SQLite", emptyDatabase)

describe("Engine SQLite", () => {
  backupContract(emptyDatabase)
})

describe("the SQLite engine", () => {
  describe("statements", () => {
    const planOf = (file: string, sql: string) =>
      withDatabase(file, (database) =>
        database
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all()
          .map((row) => String(row["detail"])),
      )

    it.effect("a page is read only with the keys of its tables, in both orders", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        yield* openOnce(file)

        for (const order of ["ASC", "DESC"] as const) {
          expect(planOf(file, DocumentStatements.pageRows[order](1))).toEqual([
            "SEARCH h USING PRIMARY KEY (range=? AND key=? AND id>? AND id<?)",
            "SEARCH d USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
          ])
          expect(planOf(file, DocumentStatements.pageCopy[order](1))).toEqual([
            "SEARCH h USING PRIMARY KEY (range=? AND key=? AND id>? AND id<?)",
          ])
        }
      }),
    )

    it.effect("no statement scans a large table or sorts", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        yield* openOnce(file)
        const { anyBlock: _, otherChain: _other, ...statements } = Statements
        const texts = Object.entries({ ...statements, ...DocumentStatements }).flatMap(([name, sql]) =>
          typeof sql === "string" ? [[name, sql] as const] : [],
        )
        const ofTables = [
          ...DocumentStatements.documentTables.map((table) => DocumentStatements.deleteDocuments(table)),
          ...DocumentStatements.historyTables.flatMap((table) => [
            DocumentStatements.insertHistory(table),
            DocumentStatements.deleteHistory(table),
            DocumentStatements.findHistory(table),
            DocumentStatements.historyAfter(table),
          ]),
        ].map((sql) => [sql, sql] as const)

        // What is `wanted` is a list of parameters.
        for (const [name, sql] of [...texts, ...ofTables]) {
          const plan = planOf(file, sql).join("; ")
          expect(`${name}: ${plan}`).not.toMatch(/SCAN (?!projection|wanted VIRTUAL)|TEMP B-TREE/)
        }
        expect(texts.length).toBeGreaterThan(40)
      }),
    )
  })

  describe("make", () => {
    const messageOf = Effect.fn(function* (file: string, mode: "read" | "write") {
      const opened = mode === "write" ? open(file) : readerOf(file)
      const error = yield* Effect.flip(Effect.scoped(Effect.flatMap(opened, checkpointOf)))
      return [error.message, error.isRetryable]
    })

    it.effect("a file keeps its rows when it is reopened", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const blocks = chainOn(null, 3)
        yield* Effect.scoped(Effect.flatMap(open(file), (store) => store.append(null, blocks)))

        const store = yield* open(file)

        expect((yield* checkpointOf(store))?.head).toEqual(refOf(blocks[2]!))
        expect(yield* pageBodies(store, { ...all, limit: 2 })).toHaveLength(2)
      }),
    )

    it.effect("a reader reads a file that the indexer creates later", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const reader = yield* readerOf(file)

        const early = yield* Effect.flip(checkpointOf(reader))
        const writer = yield* open(file)
        yield* writer.append(null, [blockOn(null)])

        expect(early.message).toBe(
          "Database file missing: chain-test.sqlite. The indexer of its chain creates it when it starts.",
        )
        expect(early.isRetryable).toBe(true)
        expect((yield* checkpointOf(reader))?.first).toBe(10)
      }),
    )

    it.effect("a file of a newer version is rejected and left unchanged", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        yield* openOnce(file)
        withDatabase(file, (database) => database.exec("PRAGMA user_version = 99"))
        const message =
          "Database of a newer version: chain-test.sqlite has schema 99, this version supports 19. Run the newer version."

        expect(yield* messageOf(file, "write")).toEqual([message, false])
        expect(yield* messageOf(file, "read")).toEqual([message, false])
        expect(withDatabase(file, (database) => database.prepare("PRAGMA user_version").get())).toEqual({
          user_version: 99,
        })
      }),
    )

    it.effect("a file that is not a database is rejected", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        writeFileSync(file, "These are my notes.\n".repeat(1000))
        const message = "Not a database: chain-test.sqlite. Move the file away, or name another folder."

        expect(yield* messageOf(file, "write")).toEqual([message, false])
        expect(yield* messageOf(file, "read")).toEqual([message, false])
      }),
    )

    it.effect("the database of another program is rejected", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        withDatabase(file, (database) => database.exec("CREATE TABLE song (title TEXT)"))
        const message = "Database of another program: chain-test.sqlite. Move it away, or name another folder."

        expect(yield* messageOf(file, "write")).toEqual([message, false])
        expect(yield* messageOf(file, "read")).toEqual([message, false])
      }),
    )

    it.effect("the file of another chain is rejected, with both ids", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        yield* Effect.scoped(TestStore.inFolder(dirname(file), { ...ref, id: 1 }))
        const message =
          "Wrong chain in database file: chain-test.sqlite, expected chain 31337, found chain 1. Correct the chain's id, or move the file away."

        expect(yield* messageOf(file, "write")).toEqual([message, false])
        expect(yield* messageOf(file, "read")).toEqual([message, false])
      }),
    )

    it.effect("a file with damaged pages is reported as damaged", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        yield* Effect.scoped(Effect.flatMap(open(file), (store) => store.append(null, chainOn(null, 50))))
        const page = withDatabase(file, (database) => {
          database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
          return database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'checkpoint'").get()
        })
        const bytes = readFileSync(file)
        bytes.fill(0xff, (Number(page!["rootpage"]) - 1) * 16384, Number(page!["rootpage"]) * 16384)
        writeFileSync(file, bytes)

        const [message, isRetryable] = yield* messageOf(file, "read")

        expect(message).toBe(
          "Database damaged: chain-test.sqlite. Restore a backup, or move the file away and index again.",
        )
        expect(isRetryable).toBe(false)
      }),
    )

    it.effect("removed blocks beyond the limit are forgotten, lowest first, however often the index is unwound", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const store = yield* open(file)
        const blocks = chainOn(null, 6)
        yield* store.append(null, blocks)
        const token = (yield* store.database.leases.acquire(ref, "test", 0))!
        const writer = ChainWriter.make(yield* ChainFile.open(file, ref, "zstd"), {
          projections: [],
          rememberedBlocks: 3,
        })
        yield* writer.unwind(refOf(blocks[5]!), null, token)

        const lowest = yield* store.snapshot((snapshot) =>
          Effect.forEach(blocks, (block) => snapshot.lowestReorgedBlock(refOf(block))),
        )

        expect(lowest).toEqual([null, null, null, 10, 10, 10])
        for (const fork of ["b", "c", "d"]) {
          const again = chainOn(null, 6, fork)
          yield* store.append(null, again)
          const next = (yield* store.database.leases.acquire(ref, "test", 0))!
          yield* writer.unwind(refOf(again[5]!), null, next)
        }
        const count = withDatabase(file, (database) => database.prepare("SELECT count(*) AS n FROM removed").get())
        // One number may be remembered with several hashes: for each of the highest numbers, all are kept.
        expect(Number(count!["n"])).toBeLessThanOrEqual(3 * 4)
      }),
    )
  })

  it.live("two threads that race for every write: one write of each round wins, and the blocks remain linked", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const rounds = 60
      const store = yield* open(file)
      const token = yield* store.database.leases.acquire(ref, "both", 0)
      const gate = new Int32Array(new SharedArrayBuffer(4))
      const run = (name: string, seed: number) =>
        Effect.promise(
          () =>
            new Promise<{ appended: number; removed: number; conflicts: number }>((resolve, reject) => {
              const worker = new Worker(new URL("writer.worker.ts", import.meta.url), {
                workerData: { folder: dirname(file), name, rounds, seed, gate, token },
              })
              worker.once("message", resolve)
              worker.once("error", reject)
            }),
        )

      const [one, two] = yield* Effect.all([run("one", 1), run("two", 2)], { concurrency: 2 })

      const blocks = withDatabase(file, (database) =>
        database.prepare("SELECT number, hash, parent_hash FROM block ORDER BY number").all(),
      )
      expect(blocks).toHaveLength(one.appended + two.appended - one.removed - two.removed)
      for (const [index, block] of blocks.slice(1).entries()) {
        expect(block["number"]).toBe(Number(blocks[index]!["number"]) + 1)
        expect(block["parent_hash"]).toEqual(blocks[index]!["hash"])
      }
      expect(yield* pageBodies(store)).toHaveLength(blocks.length)
      expect(one.conflicts + two.conflicts).toBe(rounds)
    }),
  )
})
