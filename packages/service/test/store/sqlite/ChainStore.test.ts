import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Statements from "../../../src/store/sqlite/Statements.ts"
import * as SqliteStore from "../../../src/store/sqlite/ChainStore.ts"
import { contract } from "../contract.ts"
import { blockOn, chainOn, refOf } from "../model.ts"
import { all, pageBodies } from "../TestDatabase.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

const temporaryFile = Effect.map(temporaryFolder, (folder) => join(folder, "chain.sqlite"))

const withDatabase = <A>(file: string, use: (database: DatabaseSync) => A): A => {
  const database = new DatabaseSync(file)
  try {
    return use(database)
  } finally {
    database.close()
  }
}

const tables = ["block", '"transaction"', "appearance", "checkpoint"]
const open = (file: string, mode: "read" | "write" = "write") =>
  SqliteStore.make({ file, chainId: 31337, readOnly: mode === "read" })
const openOnce = (file: string) => Effect.scoped(Effect.asVoid(open(file)))
const checkpointOf = (store: Effect.Success<ReturnType<typeof open>>) =>
  store.snapshot((snapshot) => snapshot.checkpoint)

contract(
  "SQLite",
  Effect.map(temporaryFile, (file) => ({
    open: (mode) => open(file, mode),
    dump: Effect.sync(() =>
      withDatabase(file, (database) => tables.map((table) => database.prepare(`SELECT * FROM ${table}`).all())),
    ),
  })),
)

describe("SqliteStore", () => {
  describe("statements", () => {
    const planOf = (file: string, sql: string) =>
      withDatabase(file, (database) =>
        database
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all()
          .map((row) => String(row["detail"])),
      )

    it.effect("read a page by the keys of its tables alone, in both orders", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        yield* openOnce(file)

        expect(planOf(file, Statements.pageUp)).toEqual([
          "SEARCH a USING PRIMARY KEY (chain=? AND address=? AND (block,tx_index)>(?,?) AND block<?)",
          "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
        ])
        expect(planOf(file, Statements.pageDown)).toEqual([
          "SEARCH a USING PRIMARY KEY (chain=? AND address=? AND block>? AND (block,tx_index)<(?,?))",
          "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
        ])
      }),
    )

    it.effect("never scan a table nor sort", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        yield* openOnce(file)
        const { otherChain: _, schema: __, ...statements } = Statements

        for (const [name, sql] of Object.entries(statements)) {
          const plan = planOf(file, sql).join("; ")
          expect(`${name}: ${plan}`).not.toMatch(/SCAN|TEMP B-TREE/)
        }
        expect(Object.keys(statements).length).toBeGreaterThan(20)
      }),
    )
  })

  describe("make", () => {
    const messageOf = Effect.fn(function* (file: string, mode: "read" | "write") {
      const error = yield* Effect.flip(Effect.scoped(Effect.flatMap(open(file, mode), checkpointOf)))
      return [error.message, error.isRetryable]
    })

    it.effect("keeps what was written when it is opened again", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const blocks = chainOn(null, 3)
        yield* Effect.scoped(Effect.flatMap(open(file), (store) => store.append(null, blocks)))

        const store = yield* open(file)

        expect((yield* checkpointOf(store))?.head).toEqual(refOf(blocks[2]!))
        expect(yield* pageBodies(store, { ...all, limit: 2 })).toHaveLength(2)
      }),
    )

    it.effect("reads a file that the indexer makes only later", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const reader = yield* open(file, "read")

        const early = yield* Effect.flip(checkpointOf(reader))
        const writer = yield* open(file)
        yield* writer.append(null, [blockOn(null)])

        expect(early.message).toBe("The database chain.sqlite does not exist yet: the indexer of its chain makes it.")
        expect(early.isRetryable).toBe(true)
        expect((yield* checkpointOf(reader))?.first).toBe(10)
      }),
    )

    it.effect("refuses a schema that a newer program wrote", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        yield* openOnce(file)
        withDatabase(file, (database) => database.exec("PRAGMA user_version = 9"))
        const message =
          "The database chain.sqlite has schema 9, written by a newer Daybook; this one knows up to 3. Run the newer version."

        expect(yield* messageOf(file, "write")).toEqual([message, false])
        expect(yield* messageOf(file, "read")).toEqual([message, false])
        expect(withDatabase(file, (database) => database.prepare("PRAGMA user_version").get())).toEqual({
          user_version: 9,
        })
      }),
    )

    it.effect("refuses a file that is not a database, and does not touch it", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        writeFileSync(file, "These are my notes.\n".repeat(1000))
        const message = "The database chain.sqlite is not a database; move it away, or name another folder."

        expect(yield* messageOf(file, "write")).toEqual([message, false])
        expect(yield* messageOf(file, "read")).toEqual([message, false])
      }),
    )

    it.effect("refuses the database of another program", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        withDatabase(file, (database) => database.exec("CREATE TABLE song (title TEXT)"))
        const message = "The database chain.sqlite belongs to another program; move it away, or name another folder."

        expect(yield* messageOf(file, "write")).toEqual([message, false])
        expect(yield* messageOf(file, "read")).toEqual([message, false])
      }),
    )

    it.effect("refuses the file of another chain, naming both", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        yield* Effect.scoped(SqliteStore.make({ file, chainId: 1 }))
        const message =
          "The database chain.sqlite holds chain 1, not chain 31337; correct the chain's id, or move the file away."

        expect(yield* messageOf(file, "write")).toEqual([message, false])
        expect(yield* messageOf(file, "read")).toEqual([message, false])
      }),
    )

    it.effect("says that a file is damaged when its pages are", () =>
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

        expect(message).toBe("The database chain.sqlite is damaged; restore a backup, or move it away and index again.")
        expect(isRetryable).toBe(false)
      }),
    )

    it.effect("forgets the lowest of many removed blocks", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const store = yield* SqliteStore.make({ file, chainId: 31337, rememberedBlocks: 3 })
        const blocks = chainOn(null, 6)
        yield* store.append(null, blocks)
        yield* store.unwind(refOf(blocks[5]!), null)

        const lowest = yield* store.snapshot((snapshot) =>
          Effect.forEach(blocks, (block) => snapshot.lowestReorgedBlock(refOf(block))),
        )

        expect(lowest).toEqual([null, null, null, 10, 10, 10])
      }),
    )
  })

  it.live("stays linked and whole while two threads write it", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const rounds = 60
      const gate = new Int32Array(new SharedArrayBuffer(4))
      const run = (name: string, seed: number) =>
        Effect.promise(
          () =>
            new Promise<{ appended: number; removed: number; moved: number }>((resolve, reject) => {
              const worker = new Worker(new URL("writer.worker.ts", import.meta.url), {
                workerData: { file, name, rounds, seed, gate },
              })
              worker.once("message", resolve)
              worker.once("error", reject)
            }),
        )

      const [one, two] = yield* Effect.all([run("one", 1), run("two", 2)], { concurrency: 2 })

      const store = yield* open(file)
      const blocks = withDatabase(file, (database) =>
        database.prepare("SELECT number, hash, parent_hash FROM block ORDER BY number").all(),
      )
      expect(blocks).toHaveLength(one.appended + two.appended - one.removed - two.removed)
      for (const [index, block] of blocks.slice(1).entries()) {
        expect(block["number"]).toBe(Number(blocks[index]!["number"]) + 1)
        expect(block["parent_hash"]).toEqual(blocks[index]!["hash"])
      }
      expect(yield* pageBodies(store)).toHaveLength(blocks.length)
      expect(one.moved + two.moved).toBeGreaterThan(0)
    }),
  )
})
