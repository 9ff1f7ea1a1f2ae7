import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect } from "effect"
import * as SqliteEngine from "../../../src/store/sqlite/SqliteEngine.ts"
import { blockOn } from "../model.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

describe("Database", () => {
  describe("fromConfig", () => {
    it.effect("makes the folder for its owner alone, a file for each chain and one for keys", () =>
      Effect.gen(function* () {
        const base = yield* temporaryFolder
        const database = yield* SqliteEngine.fromConfig("sqlite:deep/data", base)
        const eth = yield* database.chainStore("eth", 1, "write")
        const mine = yield* database.chainStore("my chain", 31337, "write")
        const reader = yield* database.chainStore("eth", 1, "read")
        yield* database.keys

        yield* eth.append(null, [blockOn(null, { number: 5 })])
        yield* mine.append(null, [blockOn(null, { number: 7 })])
        const checkpoint = yield* reader.snapshot((snapshot) => snapshot.checkpoint)

        expect(checkpoint?.first).toBe(5)
        expect(statSync(join(base, "deep/data")).mode & 0o777).toBe(0o700)
        expect(readdirSync(join(base, "deep/data")).filter((name) => name.endsWith(".sqlite"))).toEqual([
          "chain-eth.sqlite",
          "chain-my-chain.sqlite",
          "daybook.sqlite",
        ])
      }),
    )

    it.effect("takes an absolute folder, and one that exists", () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const database = yield* SqliteEngine.fromConfig(`sqlite:${folder}`, "/nowhere")
        yield* Effect.scoped(database.keys)

        expect(existsSync(join(folder, "daybook.sqlite"))).toBe(true)
      }),
    )

    it.effect("says that PostgreSQL is not served, without the password", () =>
      Effect.gen(function* () {
        for (const text of ["postgres://daybook:s3cret@db/daybook", "PostgreSQL://daybook:s3cret@db/daybook"]) {
          const exit = yield* Effect.exit(SqliteEngine.fromConfig(text, "/nowhere"))

          const shown = exit._tag === "Failure" ? Cause.pretty(exit.cause) : ""
          expect(shown).toContain("names PostgreSQL; this version serves SQLite only")
          expect(shown).toContain('"sqlite:data"')
          expect(shown).not.toContain("s3cret")
        }
      }),
    )

    it.effect("says what is accepted for anything else", () =>
      Effect.gen(function* () {
        for (const text of [
          "",
          "data",
          "sqlite:",
          "sqlite::memory:",
          "sqlite://data",
          "mysql://u:s3cret@h/d",
          "sqlite:postgres://u:s3cret@h/d",
        ]) {
          const error = yield* Effect.flip(SqliteEngine.fromConfig(text, "/nowhere"))

          expect(error.message).toBe(
            `The configuration's "database" is not understood. Accepted: "sqlite:" and a folder, for example "sqlite:data".`,
          )
          expect(error.isRetryable).toBe(false)
        }
      }),
    )

    it.effect("says that the folder cannot be made", () =>
      Effect.gen(function* () {
        const base = yield* temporaryFolder
        writeFileSync(join(base, "data"), "a file")

        const error = yield* Effect.flip(SqliteEngine.fromConfig("sqlite:data", base))

        const nested = yield* Effect.flip(SqliteEngine.fromConfig("sqlite:data/below/it", base))
        const refused = yield* Effect.flip(SqliteEngine.fromConfig("sqlite:/proc/x/y", base))

        const data = join(base, "data")
        expect([error, nested, refused].map(({ message }) => message)).toEqual([
          `The folder of "database", ${data}, cannot be made (ENOTDIR, a file stands where a folder is needed).`,
          `The folder of "database", ${data}/below/it, cannot be made (${data}: ENOTDIR, a file stands where a folder is needed).`,
          `The folder of "database", /proc/x/y, cannot be made (/proc/x: ENOENT, no such file or folder).`,
        ])
      }),
    )
  })

  describe("chainStore", () => {
    it.effect("says which command makes room for another watch list, with the chain's name", () =>
      Effect.gen(function* () {
        const database = yield* SqliteEngine.fromConfig("sqlite:data", yield* temporaryFolder)
        const [mine, other] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`]
        for (const [name, word] of [
          ["eth", "eth"],
          ["my chain", "'my chain'"],
        ] as const) {
          const store = yield* database.chainStore(name, 1, "write", new Set([mine]))
          yield* store.append(null, [blockOn(null, { number: 5 })])

          const error = yield* Effect.flip(Effect.scoped(database.chainStore(name, 1, "write", new Set([mine, other]))))

          expect(error.message).toBe(
            `The database ${SqliteEngine.chainFile(name)} holds 1 watched wallet, the configuration asks for 2 watched wallets, ${other} among them. Stop the service, run: daybook reindex --all --chain ${word} and start it again; or take the old list back.`,
          )
        }
      }),
    )
  })

  describe("chainFile", () => {
    it("gives names of one chain one file", () => {
      expect(SqliteEngine.chainFile("eth")).toBe("chain-eth.sqlite")
      expect(SqliteEngine.chainFile("polygon amoy")).toBe("chain-polygon-amoy.sqlite")
      expect(SqliteEngine.chainFile("Polygon-Amoy")).toBe("chain-polygon-amoy.sqlite")
    })

    it("never leaves the folder, and keeps different chains apart", () => {
      const names = ["../../etc/passwd", "a/b", "a_b", "a\\b", "..", "", "東京", "é", "x".repeat(300), "x".repeat(301)]

      const files = names.map(SqliteEngine.chainFile)

      for (const file of files) expect(file).toMatch(/^chain-[a-z0-9_-]{0,60}\.sqlite$/)
      expect(new Set(files).size).toBe(names.length)
    })
  })
})
